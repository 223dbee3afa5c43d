import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { packAllReduce, packBroadcast } from './pack-trees.js'
import { PackingProgram } from './packing-program.js'
import { linesOf, type SharedLines } from './shared-lines.js'
import { drawLinks, isNear, linksWith, named, packingProblem } from './trees.test.support.js'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

test('access lines alone: a broadcast reaches min(up of the root, min down, Σ up / (n − 1)) (Kumar & Ross 2006), an all-reduce min(min b, Σ b / (2 (n − 1)))', (t) => {
  for (let seed = 0; seed < 200; seed++) {
    const random = createRandom(seed, 'access lines')
    const peers = named(2 + random.integer(7))
    const n = peers.length
    const up = peers.map(() => 1 + random.integer(100))
    const down = peers.map(() => 1 + random.integer(100))
    const broadcast = packBroadcast(peers, linksWith({ up, down }), peers[0])
    t.true(isNear(broadcast.rate, Math.min(up[0], ...down.slice(1), sum(up) / (n - 1))), `seed ${seed}`)
    const links = linksWith({ up, down: up })
    const { rate, bound, trees } = packAllReduce(peers, links)
    t.true(isNear(rate, Math.min(...up, sum(up) / (2 * (n - 1)))), `seed ${seed}: ${rate}`)
    t.true(isNear(bound, rate), `seed ${seed}: ${bound}`)
    t.is(packingProblem(linesOf(peers, links), trees), undefined, `seed ${seed}`)
  }
})

/** The peers' parents in every tree of 4 whose edges lead away from `root`. */
function everyTree(root: number): readonly (readonly number[])[] {
  const all = Array.from({ length: 4 ** 4 }, (_, k) => [k & 3, (k >> 2) & 3, (k >> 4) & 3, (k >> 6) & 3])
  const isTree = (parents: readonly number[]) =>
    parents.every((_, peer) => {
      let node = peer
      for (let hop = 0; hop < 4 && node !== root; hop++) node = parents[node]
      return node === root
    })
  return all.filter((parents) => parents[root] === root && isTree(parents))
}

/** The rate of an all-reduce among 4 peers by the program with all its 1,024 columns. */
function rateByAll({ rates, uses }: SharedLines): number {
  const program = new PackingProgram(rates)
  for (const root of [0, 1, 2, 3]) {
    for (const into of everyTree(root)) {
      for (const out of everyTree(root)) {
        const loads = new Map<number, number>()
        for (const peer of [0, 1, 2, 3]) {
          if (peer === root) continue
          const lines = [...(uses[out[peer]][peer] ?? []), ...(uses[peer][into[peer]] ?? [])]
          for (const line of lines) loads.set(line, (loads.get(line) ?? 0) + 1)
        }
        program.add({ lines: Int32Array.from(loads.keys()), loads: Float64Array.from(loads.values()), worth: 1 })
      }
    }
  }
  program.solve(Infinity)
  return sum(program.packed().map(({ amount }) => amount))
}

test('the trees that are found are as fast as all trees that there are', (t) => {
  t.is(everyTree(2).length, 16)
  for (let seed = 0; seed < 40; seed++) {
    const links = drawLinks(seed, 4)
    const { rate } = packAllReduce(named(4), links)
    t.true(isNear(rate, rateByAll(linesOf(named(4), links))), `seed ${seed}: ${rate}`)
  }
})

test('trees over access lines, pipes and pairs fit into the lines and reach the bound, with at most one tree for each line', (t) => {
  for (let seed = 0; seed < 60; seed++) {
    const random = createRandom(seed, 'pairs')
    const peers = named(3 + random.integer(8))
    const drawn = drawLinks(seed, peers.length)
    const caps = peers.map(() => peers.map(() => (random.integer(4) === 0 ? 1 + random.integer(20) : Infinity)))
    const ofPairs = linksWith({ pairs: (from, to) => caps[from][to] })
    const links = {
      access: drawn.access,
      path: (...ends: Parameters<typeof drawn.path>) => ({
        ...drawn.path(...ends),
        bandwidth: ofPairs.path(...ends).bandwidth
      })
    }
    const lines = linesOf(peers, links)
    for (const { trees, rate, bound, limits } of [packAllReduce(peers, links), packBroadcast(peers, links, peers[2])]) {
      t.is(packingProblem(lines, trees), undefined, `seed ${seed}`)
      t.true(isNear(rate, bound), `seed ${seed}: ${rate} of ${bound}`)
      t.true(trees.length <= lines.rates.length && limits.length > 0, `seed ${seed}`)
    }
  }
})

test('even lines are packed with stars of the same weight: the direct all-reduce', (t) => {
  const peers = named(6)
  const { trees, limits } = packAllReduce(peers, linksWith({ up: peers.map(() => 100), down: peers.map(() => 100) }))
  const star = (root: number) => peers.map((_, peer) => (peer === root ? -1 : root))
  const byRoot = trees.toSorted((left, right) => left.root - right.root)
  t.deepEqual(
    byRoot.map(({ root, into, out }) => ({ root, into, out })),
    peers.map((_, root) => ({ root, into: star(root), out: star(root) }))
  )
  t.true(trees.every(({ weight }) => isNear(weight, 10)))
  t.true(limits.includes('p10 up') || limits.includes('p10 down'))
})

test('without limits the rate is infinite, and all stars have the weight 1', (t) => {
  const { trees, rate } = packAllReduce(named(3), linksWith({}))
  t.is(rate, Infinity)
  t.deepEqual(
    trees.map(({ root, weight }) => [root, weight]),
    [
      [0, 1],
      [1, 1],
      [2, 1]
    ]
  )
  const slow = packAllReduce(named(3), linksWith({ up: [Infinity, 1, 1], down: [Infinity, 1, 1] }))
  t.deepEqual([slow.rate, slow.trees.length, slow.limits[0].slice(0, 3)], [1, 1, 'p11'])
  t.deepEqual(packAllReduce(named(1), linksWith({})).trees, [])
})

test('40 peers are packed within 1 % of the bound', (t) => {
  const { rate, bound } = packAllReduce(named(40), drawLinks(1, 40))
  t.true(rate >= 0.99 * bound && bound < Infinity, `${rate} of ${bound}`)
})

test('lines of 0 bit/s are not used, and who cannot be reached without them is named', (t) => {
  const peers = named(3)
  const around = linksWith({ up: [8, 8, 8], down: [8, 8, 8], pairs: (from, to) => (from + to === 3 ? 0 : Infinity) })
  const { rate, trees } = packAllReduce(peers, around)
  t.true(isNear(rate, 4), String(rate))
  t.true(trees.every(({ into, out }) => into?.[2] !== 1 && into?.[1] !== 2 && out[2] !== 1 && out[1] !== 2))
  const split = linksWith({ up: [8, 0, 8], down: [8, 8, 8] })
  t.notThrows(() => packBroadcast(peers, split, peers[0]))
  t.throws(() => packAllReduce(peers, split), {
    instanceOf: InputError,
    message: /^links: found no way from "p11" to "p10", .* expected one; give these lines a bandwidth above 0$/
  })
})
