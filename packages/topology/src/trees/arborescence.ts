/** A directed graph with costs. */
export interface CostedGraph {
  readonly count: number
  readonly root: number
  /** Row after row, from → to. Infinity for no edge. */
  readonly costs: Float64Array
}

/**
 * The cheapest spanning tree whose edges lead away from `root`: each node takes its cheapest edge; each cycle becomes
 * one node, into which an edge costs what it adds to the edge of the cycle that it replaces (Chu & Liu, Scientia Sinica
 * 14, 1965; Edmonds, Journal of Research of the National Bureau of Standards 71B, 1967). Among equal edges the one from
 * the node with the lower number is taken. Every node must be reachable. O(n²) per
 * contraction.
 *
 * @returns the parent of each node; −1 at the root
 */
export function cheapestArborescence({ count, root, costs }: CostedGraph): Int32Array {
  const parents = new Int32Array(count).fill(-1)
  for (let to = 0; to < count; to++) if (to !== root) parents[to] = cheapestInto(to, count, costs)
  const groups = new Int32Array(count).fill(-1)
  const cycles = groupCycles(parents, root, groups)
  if (cycles === 0) return parents
  let groupCount = cycles
  for (let node = 0; node < count; node++) if (groups[node] < 0) groups[node] = groupCount++

  // The cheapest edge from group to group, and its ends.
  const between = new Float64Array(groupCount * groupCount).fill(Infinity)
  const froms = new Int32Array(groupCount * groupCount)
  const tos = new Int32Array(groupCount * groupCount)
  for (let from = 0; from < count; from++) {
    const row = groups[from] * groupCount
    for (let to = 0; to < count; to++) {
      const group = groups[to]
      if (groups[from] === group) continue
      const cost = costs[from * count + to] - (group < cycles ? costs[parents[to] * count + to] : 0)
      if (!(cost < between[row + group])) continue
      between[row + group] = cost
      froms[row + group] = from
      tos[row + group] = to
    }
  }
  const outer = cheapestArborescence({ count: groupCount, root: groups[root], costs: between })
  for (const [group, parent] of outer.entries()) {
    if (parent < 0) continue
    const edge = parent * groupCount + group
    parents[tos[edge]] = froms[edge]
  }
  return parents
}

function cheapestInto(to: number, count: number, costs: Float64Array): number {
  let parent = -1
  let cost = Infinity
  for (let from = 0; from < count; from++) {
    if (from === to || !(costs[from * count + to] < cost)) continue
    parent = from
    cost = costs[from * count + to]
  }
  return parent
}

/** Numbers the cycles of `parents` in `groups`, and returns how many there are. */
function groupCycles(parents: Int32Array, root: number, groups: Int32Array): number {
  const seen = new Int32Array(parents.length).fill(-1)
  let cycles = 0
  for (let start = 0; start < parents.length; start++) {
    let node = start
    while (node !== root && seen[node] < 0) {
      seen[node] = start
      node = parents[node]
    }
    if (node === root || seen[node] !== start || groups[node] >= 0) continue
    for (; groups[node] < 0; node = parents[node]) groups[node] = cycles
    cycles++
  }
  return cycles
}
