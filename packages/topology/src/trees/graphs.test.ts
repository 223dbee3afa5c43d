/** Packing in graphs whose edges are lines of their own, beside published numbers. */
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { broadcastBound, type Capacities, edgePacking, gatherBound, linesOfGraph } from './graphs.test.support.js'
import { packTrees } from './pack-trees.js'
import { isNear, packingProblem } from './trees.test.support.js'

function drawGraph(seed: number): Capacities {
  const random = createRandom(seed, 'graph')
  const n = 3 + random.integer(8)
  const density = 0.2 + 0.8 * random.uniform()
  const most = [1, 3, 10, 1000][random.integer(4)]
  return Array.from({ length: n }, (_, u) =>
    Array.from({ length: n }, (__, v) => (u !== v && random.uniform() < density ? 1 + random.integer(most) : 0))
  )
}

test('in 1,000 drawn graphs trees of whole weights reach the smallest cut from the root, and so does the packing over lines', (t) => {
  let found = 0
  for (let seed = 0; found < 1000; seed++) {
    const capacities = drawGraph(seed)
    const bound = broadcastBound(capacities, 0)
    if (bound === 0) continue
    found++
    const trees = edgePacking(capacities, 0).map(({ weight, parents }) => ({ root: 0, weight, out: parents }))
    t.is(packingProblem(linesOfGraph(capacities), trees), undefined, `seed ${seed}`)
    t.true(
      trees.every(({ weight }) => Number.isInteger(weight) && weight > 0),
      `seed ${seed}`
    )
    t.is(
      trees.reduce((sum, { weight }) => sum + weight, 0),
      bound,
      `seed ${seed}`
    )
    if (found % 5 === 0) t.true(isNear(packTrees(linesOfGraph(capacities), [0], false).rate, bound), `seed ${seed}`)
  }
})

/** NVLinks of a DGX-1V (msccl); a DGX-1P has one where it has one or two. */
const volta: Capacities = [
  [0, 2, 1, 1, 2, 0, 0, 0],
  [2, 0, 1, 2, 0, 1, 0, 0],
  [1, 1, 0, 2, 0, 0, 2, 0],
  [1, 2, 2, 0, 0, 0, 0, 1],
  [2, 0, 0, 0, 0, 2, 1, 1],
  [0, 1, 0, 0, 2, 0, 1, 2],
  [0, 0, 2, 0, 1, 1, 0, 2],
  [0, 0, 0, 1, 1, 2, 2, 0]
]
const pascal = volta.map((row) => row.map((links) => Math.min(links, 1)))

/** Connected sets of 3 to 8 of its GPUs, without those that only have other numbers: their closed walks differ. */
function distinctSets(capacities: Capacities): readonly Capacities[] {
  const found = new Map<string, Capacities>()
  for (let mask = 0; mask < 256; mask++) {
    const gpus = [...capacities.keys()].filter((gpu) => (mask >> gpu) % 2 === 1)
    const among = gpus.map((u) => gpus.map((v) => capacities[u][v]))
    if (gpus.length < 3 || broadcastBound(among, 0) === 0) continue
    let power = among
    const walks = among.map((row): string[] => [row.toSorted().join()])
    for (let length = 2; length <= 8; length++) {
      const before = power
      power = before.map((row) => gpus.map((_, v) => row.reduce((sum, each, k) => sum + each * among[k][v], 0)))
      for (const [gpu, list] of walks.entries()) list.push(String(power[gpu][gpu]))
    }
    found.set(walks.map(String).sort().join(' '), among)
  }
  return [...found.values()]
}

test('a DGX-1 hands out 46 or 14 distinct sets of GPUs; all 8 broadcast along 6 trees of one link, and reduce at 24/7 (Wang et al.: Blink, MLSys 2020)', (t) => {
  t.deepEqual([distinctSets(volta).length, distinctSets(pascal).length], [46, 14])
  t.is(broadcastBound(volta, 0), 6)
  t.deepEqual(
    edgePacking(volta, 0).map(({ weight }) => weight),
    [1, 1, 1, 1, 1, 1]
  )
  const { rate, bound, trees } = packTrees(linesOfGraph(volta), [...volta.keys()], true)
  t.is(packingProblem(linesOfGraph(volta), trees), undefined)
  t.true(isNear(rate, 24 / 7) && isNear(bound, rate), `${rate} of ${bound}`)
})

/** Boxes of eight A100: NVSwitch with 300 GB/s a GPU, a card of 25 GB/s each, two switches between the boxes. */
function a100(boxes: number) {
  const nodes = new Map<string, number>()
  const edges: (readonly [number, number, number])[] = []
  const numberOf = (name: string) => nodes.get(name) ?? nodes.set(name, nodes.size).size - 1
  const join = (a: string, b: string, rate: number) => {
    edges.push([numberOf(a), numberOf(b), rate], [numberOf(b), numberOf(a), rate])
  }
  const computing: number[] = []
  for (let gpu = 0; gpu < 8 * boxes; gpu++) {
    computing.push(numberOf(`gpu ${gpu}`))
    join(`gpu ${gpu}`, `box ${Math.floor(gpu / 8)}`, 300)
    if (boxes === 1) continue
    join(`gpu ${gpu}`, `card ${gpu}`, 25)
    join(`card ${gpu}`, `switch ${gpu % 2}`, 25)
  }
  return { capacities: graphOf(nodes.size, edges), computing }
}

const xgmi =
  '0400200010000000 4000010001100000 0004001001100000 0040000200010000 2000041000000000 0100401100000000 ' +
  '0010110400000000 0002014000000000 1000000004002000 0110000040000100 0110000000040010 0001000000400002 ' +
  '0000000020000410 0000000001004011 0000000000101104 0000000000020140'

/** Boxes of sixteen MI250: xGMI links of 50 GB/s, cards of 16 GB/s to one switch. */
function mi250(boxes: number) {
  const edges: (readonly [number, number, number])[] = []
  const count = 16 * boxes
  for (let box = 0; box < boxes; box++) {
    for (const [a, row] of xgmi.split(' ').entries()) {
      for (const [b, links] of [...row].entries()) edges.push([16 * box + a, 16 * box + b, 50 * Number(links)])
      if (boxes > 1) edges.push([16 * box + a, count, 16], [count, 16 * box + a, 16])
    }
  }
  return {
    capacities: graphOf(count + (boxes > 1 ? 1 : 0), edges),
    computing: Array.from({ length: count }, (_, k) => k)
  }
}

function graphOf(count: number, edges: readonly (readonly [number, number, number])[]): Capacities {
  const capacities = Array.from({ length: count }, () => new Array<number>(count).fill(0))
  for (const [u, v, rate] of edges) capacities[u][v] += rate
  return capacities
}

test('all-gathers between A100 and MI250 have the bounds that the program of ForestColl prints (Zhao et al. 2024)', (t) => {
  const bounds = [a100(1), a100(2), mi250(1), mi250(2)].map(({ capacities, computing }) =>
    gatherBound(capacities, computing)
  )
  const printed = [342.857142857, 346.666666667, 342.857142857, 354.133333333]
  for (const [k, bound] of bounds.entries()) t.true(isNear(bound, printed[k]), `${bound}, ForestColl ${printed[k]}`)
})
