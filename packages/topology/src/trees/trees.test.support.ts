import { type Links, type PeerName, peerName, type Pipe } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { PackedTree } from './packed-tree.js'
import type { SharedLines } from './shared-lines.js'

export const named = (count: number) => Array.from({ length: count }, (_, k) => peerName(`p${10 + k}`))

interface GivenLinks {
  readonly up?: readonly number[]
  readonly down?: readonly number[]
  readonly latency?: number
  /** Pipes around some peers, by index. */
  readonly around?: readonly { readonly group: readonly number[]; readonly up: number; readonly down: number }[]
  /** The bandwidth of each pair. */
  readonly pairs?: (from: number, to: number) => number
}

/** Links of the peers that {@link named} names. */
export function linksWith({ up, down, latency = 0, around = [], pairs = () => Infinity }: GivenLinks): Links {
  const index = (peer: PeerName) => Number(peer.slice(1)) - 10
  return {
    access: (peer) => ({ up: up?.[index(peer)] ?? Infinity, down: down?.[index(peer)] ?? Infinity }),
    path: (from, to) => ({
      latency,
      jitter: 0,
      loss: 0,
      window: Infinity,
      bandwidth: pairs(index(from), index(to)),
      pipes: around.flatMap(({ group, ...rates }, k): Pipe[] => {
        if (group.includes(index(from)) === group.includes(index(to))) return []
        const way = group.includes(index(from)) ? 'up' : 'down'
        return [{ name: `home${k} ${way}`, bandwidth: rates[way] }]
      })
    })
  }
}

/** Lines of some homes: uneven access lines and up to two pipes around groups. */
export function drawLinks(seed: number, count: number): Links {
  const random = createRandom(seed, 'links')
  const rates = [2, 5, 10, 20, 50, 100, 1000]
  const up = Array.from({ length: count }, () => rates[random.integer(rates.length)])
  const down = up.map((rate) => rate * [1, 2, 5, 10][random.integer(4)])
  const around = Array.from({ length: random.integer(3) }, () => {
    const group = random.shuffle([...up.keys()]).slice(0, 1 + random.integer(count - 1))
    return { group, up: 5 + random.integer(46), down: 5 + random.integer(200) }
  })
  return linksWith({ up, down, latency: 1 + random.integer(40), around })
}

/** Why these trees are no packing into the lines; undefined if they are one. */
export function packingProblem({ peers, rates, uses, names }: SharedLines, trees: readonly PackedTree[]) {
  const loads = rates.map(() => 0)
  for (const { root, weight, into, out } of trees) {
    for (const parents of into === undefined ? [out] : [into, out]) {
      if (parents.length !== peers.length || parents[root] !== -1) return `the root is not ${root}`
      for (const peer of peers.keys()) {
        let node = peer
        for (let hop = 0; node !== root; hop++) {
          if (hop > peers.length || parents[node] === undefined || parents[node] < 0)
            return `${peer} has no way to ${root}`
          node = parents[node]
        }
      }
    }
    for (const peer of peers.keys()) {
      if (peer === root) continue
      for (const line of uses[out[peer]][peer] ?? []) loads[line] += weight
      if (into !== undefined) for (const line of uses[peer][into[peer]] ?? []) loads[line] += weight
    }
  }
  const full = loads.findIndex((load, line) => load > rates[line] * (1 + 1e-9))
  return full < 0 ? undefined : `${names[full]} carries ${loads[full]} of ${rates[full]}`
}

export const isNear = (found: number, expected: number, tolerance = 1e-6) =>
  Math.abs(found - expected) <= tolerance * Math.abs(expected)
