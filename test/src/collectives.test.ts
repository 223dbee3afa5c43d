import {
  algorithm,
  broadcast,
  collectiveOn,
  meanOver,
  type MeanSettings,
  Session,
  type TrainingSettings,
  type Vector
} from '@murmuration/algorithms'
import { type Fabric, invariant, type Links, type PeerName, shuffleInPlace } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { millisecondsFor, type PackedTree } from '@murmuration/topology'
import { hashVector } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import fc from 'fast-check'
import { algorithmOf, type CentralWorld, countingTask, inCentralWorld, namesOf } from './central-worlds.js'

const collectives = ['ring', 'halving-doubling', 'direct', 'trees'] as const

/** Any spanning trees, as many as asked for, with any weights. */
function treesOf(size: number, count: number, seed: number, from?: number): readonly PackedTree[] {
  const draws = createRandom(seed, 'trees')
  return Array.from({ length: count }, () => {
    const root = from ?? draws.integer(size)
    const parents = () => {
      const joined = [root]
      const parentOf = Array.from({ length: size }, () => -1)
      for (const peer of shuffleInPlace([...parentOf.keys()], draws).filter((each) => each !== root)) {
        parentOf[peer] = joined[draws.integer(joined.length)]
        joined.push(peer)
      }
      return parentOf
    }
    return { root, weight: 0.01 + draws.uniform(), into: parents(), out: parents() }
  })
}

/** The trees of even links: a star from each peer. */
function stars(size: number): readonly PackedTree[] {
  return Array.from({ length: size }, (_, root) => {
    const parents = Array.from({ length: size }, (__, peer) => (peer === root ? -1 : root))
    return { root, weight: 1, into: parents, out: parents }
  })
}

interface Given {
  readonly collective: (typeof collectives)[number] | 'broadcast' | 'options'
  /** In place of all others. */
  readonly options?: MeanSettings['options']
  /** 'broadcast': the rank that sends. */
  readonly root?: number
  readonly chunks?: number
  /** Those of `trees`; of `broadcast` too, where there are some. */
  readonly trees?: readonly PackedTree[]
  /** Tensors that are exchanged one after the other; all together when absent. */
  readonly tensors?: readonly number[]
}

/** An algorithm whose round is one collective over x. */
const once = ({ collective, options: own, root = 0, chunks = 1, tensors = [], trees = [] }: Given) =>
  algorithm({
    name: 'once',
    title: 'One collective a round',
    source: 'these tests',
    options: algorithmOf('sgd').options,
    needs: { reach: 'everyone', delivery: 'reliable' },
    keeps: 'mean',
    channels: { all: { part: 'range' } },
    start: ({ x }) => ({ x }),
    async round(node, { x }, k): Promise<{ x: Vector }> {
      const route = node.route(k)
      if (collective === 'broadcast') {
        const along = trees.length === 0 ? {} : { collective: { trees } }
        return { x: await broadcast(node.all, route, x, { chunks, root, ...along }) }
      }
      const fusion = tensors.length > 1 ? 'per-tensor' : 'fused'
      if (own !== undefined) return { x: await meanOver(node.all, route, x, { options: own, tensors: node.tensors }) }
      const chosen = collective === 'trees' || collective === 'options' ? { trees } : collective
      const options = { collective: chosen, fusion, calls: 'blocking', chunks } as const
      return { x: await meanOver(node.all, route, x, { options, tensors: node.tensors }) }
    }
  })

/** The vector of a worker after each of several rounds of a collective, beginning with `own`. */
async function* rounds(
  fabric: Fabric<VectorMessage>,
  workers: readonly PeerName[],
  own: Float32Array,
  given: Given,
  count = 1
): AsyncGenerator<Float32Array, void> {
  const algorithm = once(given)
  const settings: TrainingSettings = {
    algorithm,
    workers,
    seed: 1,
    batchSize: 1,
    rounds: count,
    rate: () => 1,
    timeout
  }
  const session = new Session(
    fabric,
    countingTask(given.tensors ?? [own.length], (x) => x),
    settings,
    () => own
  )
  for await (const { parameters } of session.steps()) yield parameters.slice()
}

const timeout = 10_000

/** Every worker's vector. */
function vectorsOf(names: readonly PeerName[], length: number, seed: number): Float32Array[] {
  return names.map((name) => {
    const draws = createRandom(seed, name)
    return Float32Array.from({ length }, () => draws.normal())
  })
}

for (const collective of collectives) {
  test(`${collective}: the mean, with the same bits for every worker, however many workers, elements, chunks and tensors, whichever is late`, async (t) => {
    const worlds = fc.record({
      size: fc.integer({ min: 1, max: 9 }),
      tensors: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
      chunks: fc.integer({ min: 1, max: 5 }),
      count: fc.integer({ min: 1, max: 4 }),
      jitter: fc.nat(30),
      seed: fc.nat()
    })
    await fc.assert(
      fc.asyncProperty(worlds, async ({ size, tensors, chunks, count, jitter, seed }) => {
        const workers = namesOf(size)
        const length = tensors.reduce((sum, each) => sum + each, 0)
        const own = vectorsOf(workers, length, seed)
        const trees = treesOf(size, count, seed)
        const got: Float32Array[][] = [[], []]
        await inCentralWorld({ workers, jitter, seed }, async (fabric) => {
          const place = workers.indexOf(fabric.self)
          const late = createRandom(seed, 'lateness', String(place))
          await fabric.sleep(late.integer(50))
          let round = 0
          for await (const x of rounds(fabric, workers, own[place], { collective, chunks, tensors, trees }, 2)) {
            got[round++][place] = x
            await fabric.sleep(fabric.now() + late.integer(50))
          }
        })
        for (const round of [0, 1]) {
          for (let i = 0; i < length; i++) {
            const values = own.map((vector) => vector[i])
            const mean = values.reduce((sum, value) => sum + value, 0) / size
            const most = values.reduce((sum, value) => sum + Math.abs(value), 0) / size
            const error = Math.abs(got[round][0][i] - mean)
            invariant(error <= (1 + round) * size * 2 ** -24 * most, `element ${i} in round ${round}`)
          }
          invariant(new Set(got[round].map(hashVector)).size === 1, `different bits in round ${round}`)
        }
      })
    )
    t.pass()
  })

  test(`${collective}: a worker that does not take part is named within two timeouts`, async (t) => {
    const workers = namesOf(5)
    const own = vectorsOf(workers, 20, 1)
    let failed = -1
    const error = await t.throwsAsync(
      inCentralWorld({ workers }, async (fabric) => {
        if (fabric.self === workers[1]) return fabric.sleep(1e6)
        try {
          const given = { collective, trees: stars(5) }
          for await (const _ of rounds(fabric, workers, own[workers.indexOf(fabric.self)], given)) continue
        } catch (reason) {
          if (failed < 0) failed = fabric.now()
          throw reason
        }
      }),
      { name: 'NeighboursMissingError', message: /w01/ }
    )
    t.deepEqual((error as unknown as { missing: unknown }).missing, [workers[1]])
    t.true(failed >= timeout && failed <= 2 * timeout + 40, `${failed}`)
  })
}

test('broadcast: every worker has the root’s vector, whichever worker is the root, along a chain and along trees', async (t) => {
  for (const [root, trees] of [0, 2, 4].flatMap((each) => [
    [each, []] as const,
    [each, treesOf(5, 3, each, each)] as const
  ])) {
    const workers = namesOf(5)
    const values = vectorsOf(workers, 23, 1)
    const got: Float32Array[] = []
    await inCentralWorld({ workers }, async (fabric) => {
      const place = workers.indexOf(fabric.self)
      const given = { collective: 'broadcast', root, chunks: 4, trees } as const
      for await (const x of rounds(fabric, workers, values[place], given)) got[place] = x
    })
    t.deepEqual(
      got,
      workers.map(() => values[root])
    )
  }
})

/** The duration of a call. */
async function timeOf(
  collective: Given['collective'],
  world: Omit<CentralWorld, 'workers'>,
  { size, length, chunks = 1 }: { readonly size: number; readonly length: number; readonly chunks?: number }
): Promise<number> {
  const workers = namesOf(size)
  const own = vectorsOf(workers, length, 1)
  const { elapsed } = await inCentralWorld({ ...world, workers }, async (fabric) => {
    const x = own[workers.indexOf(fabric.self)]
    for await (const _ of rounds(fabric, workers, x, { collective, chunks })) continue
  })
  return elapsed
}

test('where only latency counts, a ring takes 2 (n − 1), halving and doubling 2 ⌈log₂ n⌉ (Bruck et al. 1997), and direct exchange 2 latencies', async (t) => {
  const world = { latency: 10 }
  for (const size of [2, 3, 4, 5, 6, 7, 8, 12, 31]) {
    const given = { size, length: 62 }
    t.is(await timeOf('ring', world, given), 2 * (size - 1) * 10)
    t.is(await timeOf('direct', world, given), 2 * 10)
    t.is(await timeOf('halving-doubling', world, given), 2 * Math.ceil(Math.log2(size)) * 10)
  }
})

/** 1 MB at 80 Mbit/s: 100 ms. */
const large = { length: 250_000, seconds: 100 }
const slow = { latency: 1, bandwidth: 80e6 }

test('where bandwidth counts, a ring in chunks takes 2 (n − 1)/n · S/B and hides its latencies (Patarasuk & Yuan 2009)', async (t) => {
  for (const size of [2, 4, 8]) {
    const bound = ((2 * (size - 1)) / size) * large.seconds
    const time = await timeOf('ring', slow, { size, length: large.length, chunks: 32 })
    t.true(time >= bound + 1 && time < bound + 1 + 0.02 * bound, `${time} ms with ${size}, at least ${bound}`)
  }
})

test('where bandwidth counts, direct exchange and halving and doubling take 2 (n − 1)/n · S/B too, off powers of two as well', async (t) => {
  for (const size of [2, 3, 4, 5, 6, 7, 8, 12, 31]) {
    const bound = ((2 * (size - 1)) / size) * large.seconds
    const direct = await timeOf('direct', slow, { size, length: large.length })
    t.true(Math.abs(direct - bound - 2) < 0.01 * bound, `${direct} ms with ${size}, at least ${bound}`)
    const halving = await timeOf('halving-doubling', slow, { size, length: large.length })
    t.true(Math.abs(halving - bound - 2 * Math.ceil(Math.log2(size))) < 0.01 * bound, `${halving} ms with ${size}`)
  }
})

test('a chain broadcast of p chunks takes (n − 1) a + (1 + (n − 2)/p) S/B', async (t) => {
  const size = 6
  const chunks = 20
  const elapsed = await timeOf('broadcast', slow, { size, length: large.length, chunks })
  const expected = (size - 1) * 1 + (1 + (size - 2) / chunks) * large.seconds
  t.true(Math.abs(elapsed - expected) < 0.01 * expected, `${elapsed} ms`)
})

/** Two sites with a thin line between them, whose names alternate. */
const sites = ({ size = 8 } = {}) => {
  const names = namesOf(size)
  const thin = { name: 'thin', bandwidth: 10e6 }
  const isInside = (name: PeerName) => names.indexOf(name) % 2 === 0
  const links: Links = {
    access: () => ({ up: 1e9, down: 1e9 }),
    path: (from, to) => ({
      latency: 10,
      jitter: 0,
      loss: 0,
      bandwidth: Number.POSITIVE_INFINITY,
      window: Number.POSITIVE_INFINITY,
      pipes: isInside(from) === isInside(to) ? [] : [{ ...thin, name: isInside(from) ? 'thin up' : 'thin down' }]
    })
  }
  return { workers: names, links }
}

test('between two sites whose names alternate, a ring by links is four times as fast as by names, and trees take what the lines take', async (t) => {
  const { workers, links } = sites()
  const length = 2 ** 20
  const own = vectorsOf(workers, length, 1)
  const topology = { peers: workers }
  const secondsOf = async (words: {
    readonly collective: 'ring' | 'trees' | 'auto'
    readonly order?: 'links' | 'names'
  }) => {
    const options = {
      fusion: 'fused',
      calls: 'streamed',
      chunks: 16,
      ...words,
      ...collectiveOn(topology, links, words)
    } as const
    const { elapsed } = await inCentralWorld({ workers, links }, async (fabric) => {
      const given = { collective: 'options', options } as const
      for await (const _ of rounds(fabric, workers, own[workers.indexOf(fabric.self)], given)) continue
    })
    return elapsed / 1000
  }
  const byNames = await secondsOf({ collective: 'ring', order: 'names' })
  const byLinks = await secondsOf({ collective: 'ring', order: 'links' })
  const trees = await secondsOf({ collective: 'trees' })
  const auto = await secondsOf({ collective: 'auto', order: 'links' })
  t.true(byNames > 3.9 * byLinks, `${byNames} s by names, ${byLinks} s by links`)
  // The vector crosses the thin line once in each direction.
  const least = (32 * length) / 10e6 + 4 * 0.01
  t.true(trees < 1.03 * least, `${trees} s, at least ${least}`)
  t.true(auto <= 1.02 * trees, `${auto} s`)
  const { candidates = [] } = collectiveOn(topology, links, { collective: 'auto', order: 'links' }).collective ?? {}
  for (const [name, seconds] of Object.entries({ ring: byLinks, trees })) {
    const predicted = millisecondsFor(candidates.find((each) => each.name === name)?.time ?? [], 4 * length) / 1000
    t.true(Math.abs(predicted / seconds - 1) < 0.03, `${name} takes ${seconds} s, predicted ${predicted}`)
  }
})
