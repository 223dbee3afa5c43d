import { type AllReduce, allReduces, broadcast, type Group, joinGroup, piecesOf } from '@murmuration/algorithms'
import { invariant, type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import { type CentralWorld, inCentralWorld, namesOf } from './central-worlds.js'

const patience = 10_000
const all = Object.entries(allReduces) as readonly (readonly [string, AllReduce])[]

/** Every worker's vector. */
function vectorsOf(names: readonly PeerName[], length: number, seed: number): Float32Array[] {
  return names.map((name) => {
    const dice = createRandom(seed, name)
    return Float32Array.from({ length }, () => dice.normal())
  })
}

/** Runs `call` on every worker of a group, each with its own vector. */
function inGroup(
  world: CentralWorld,
  call: (group: Group, place: number, sleep: (time: number) => PromiseLike<void>) => Promise<void>
) {
  return inCentralWorld(world, async (fabric) => {
    const group = joinGroup(fabric, world.workers, patience, 64)
    await call(group, group.rank, (time) => fabric.sleep(fabric.now() + time))
  })
}

for (const [name, allReduce] of all) {
  test(`${name}: the mean, with the same bits for everybody, however many workers, elements, pieces and stretches, whoever comes late`, async (t) => {
    const worlds = fc.record({
      size: fc.integer({ min: 1, max: 9 }),
      length: fc.nat(40),
      pieces: fc.integer({ min: 1, max: 5 }),
      parts: fc.integer({ min: 1, max: 3 }),
      jitter: fc.nat(30),
      seed: fc.nat()
    })
    await fc.assert(
      fc.asyncProperty(worlds, async ({ size, length, pieces, parts, jitter, seed }) => {
        const workers = namesOf(size)
        const own = [0, 1, 2].map((round) => vectorsOf(workers, length, seed + round))
        const got = [0, 1, 2].map(() => workers.map(() => new Float32Array(length)))
        await inGroup({ workers, jitter, seed }, async (group, place, sleep) => {
          const dice = createRandom(seed, 'lateness', String(place))
          for (const round of [0, 1, 2]) {
            await sleep(dice.integer(50))
            for (const stretch of piecesOf({ offset: 0, length }, parts)) {
              await allReduce(group, own[round][place], got[round][place], { round, stretch, pieces })
            }
          }
        })
        for (const round of [0, 1, 2]) {
          for (let i = 0; i < length; i++) {
            const values = own[round].map((vector) => vector[i])
            const mean = values.reduce((sum, value) => sum + value, 0) / size
            const most = values.reduce((sum, value) => sum + Math.abs(value), 0) / size
            invariant(Math.abs(got[round][0][i] - mean) <= size * 2 ** -24 * most, `element ${i} in round ${round}`)
          }
          invariant(new Set(got[round].map(hashVector)).size === 1, `different bits in round ${round}`)
        }
      })
    )
    t.pass()
  })

  test(`${name}: a worker that does not take part is named when the patience has ended`, async (t) => {
    const workers = namesOf(5)
    const own = vectorsOf(workers, 20, 1)
    let failed = -1
    const error = await t.throwsAsync(
      inCentralWorld({ workers }, async (fabric) => {
        if (fabric.self === workers[1]) return fabric.sleep(1e6)
        const group = joinGroup(fabric, workers, patience, 64)
        const call = { round: 0, stretch: { offset: 0, length: 20 }, pieces: 1 }
        await allReduce(group, own[group.rank], new Float32Array(20), call).catch((reason: unknown) => {
          if (failed < 0) failed = fabric.now()
          throw reason
        })
      }),
      { name: 'NeighboursMissingError', message: /w01/ }
    )
    t.deepEqual((error as unknown as { missing: unknown }).missing, [workers[1]])
    t.true(failed >= patience && failed <= patience + 40, `${failed}`)
  })
}

test('what comes early is kept for whoever asks for it, and what comes late is dropped', async (t) => {
  const [a, b] = namesOf(2)
  const got: number[] = []
  await inGroup({ workers: [a, b] }, async ({ mail, rank }, _, sleep) => {
    const at = (round: number, offset: number) => ({
      kind: 1,
      round,
      offset,
      vector: Float32Array.of(10 * round + offset)
    })
    const part = (round: number, offset: number) => ({ kind: 1, round, stretch: { offset, length: 1 } })
    if (rank === 0) {
      for (const message of [at(2, 1), at(1, 1), at(1, 0), at(2, 0), at(1, 0)]) mail.send(b, message)
      return
    }
    await sleep(50)
    for (const wanted of [part(1, 0), part(1, 1), part(2, 0), part(2, 1)]) {
      got.push((await mail.receive(a, wanted)).vector[0])
    }
    await t.throwsAsync(mail.receive(a, part(3, 0)), { name: 'NeighboursMissingError' })
  })
  t.deepEqual(got, [10, 11, 20, 21])
})

test('broadcast: everybody has the root’s vector, whoever is the root', async (t) => {
  for (const root of [0, 2, 4]) {
    const workers = namesOf(5)
    const values = vectorsOf(workers, 23, 1)
    const sent = values[root].slice()
    await inGroup({ workers }, (group, place) => {
      return broadcast(group, values[place], { round: 0, stretch: { offset: 0, length: 23 }, pieces: 4 }, root)
    })
    t.deepEqual(
      values,
      workers.map(() => sent)
    )
  }
})

/** How long a call takes all together. */
async function timeOf(
  allReduce: AllReduce,
  world: Omit<CentralWorld, 'workers'>,
  given: { readonly size: number; readonly length: number; readonly pieces?: number }
): Promise<number> {
  const { size, length, pieces = 1 } = given
  const workers = namesOf(size)
  const own = vectorsOf(workers, length, 1)
  const { elapsed } = await inGroup({ ...world, workers }, (group, place) => {
    return allReduce(group, own[place], new Float32Array(length), { round: 0, stretch: { offset: 0, length }, pieces })
  })
  return elapsed
}

test('where only latency counts, a ring takes 2 (n − 1), halving and doubling 2 ⌈log₂ n⌉ (Bruck et al. 1997), and direct exchange 2 latencies', async (t) => {
  const world = { latency: 10 }
  for (const size of [2, 3, 4, 5, 6, 7, 8, 12, 31]) {
    const given = { size, length: 62 }
    t.is(await timeOf(allReduces.ring, world, given), 2 * (size - 1) * 10)
    t.is(await timeOf(allReduces.direct, world, given), 2 * 10)
    t.is(await timeOf(allReduces['halving-doubling'], world, given), 2 * Math.ceil(Math.log2(size)) * 10)
  }
})

/** 1 MB at 80 Mbit/s: 100 ms. */
const large = { length: 250_000, seconds: 100 }
const slow = { latency: 1, bandwidth: 80e6 }

test('where bandwidth counts, a ring in pieces takes 2 (n − 1)/n · S/B and hides its latencies (Patarasuk & Yuan 2009)', async (t) => {
  for (const size of [2, 4, 8]) {
    const bound = ((2 * (size - 1)) / size) * large.seconds
    const time = await timeOf(allReduces.ring, slow, { size, length: large.length, pieces: 32 })
    t.true(time >= bound + 1 && time < bound + 1 + 0.02 * bound, `${time} ms with ${size}, at least ${bound}`)
  }
})

test('where bandwidth counts, direct exchange and halving and doubling take 2 (n − 1)/n · S/B too, off powers of two as well', async (t) => {
  for (const size of [2, 3, 4, 5, 6, 7, 8, 12, 31]) {
    const bound = ((2 * (size - 1)) / size) * large.seconds
    const direct = await timeOf(allReduces.direct, slow, { size, length: large.length })
    t.true(Math.abs(direct - bound - 2) < 0.01 * bound, `${direct} ms with ${size}, at least ${bound}`)
    const halving = await timeOf(allReduces['halving-doubling'], slow, { size, length: large.length })
    t.true(Math.abs(halving - bound - 2 * Math.ceil(Math.log2(size))) < 0.01 * bound, `${halving} ms with ${size}`)
  }
})

test('a chain broadcast of p pieces takes (n − 1) a + (1 + (n − 2)/p) S/B', async (t) => {
  const [size, pieces] = [6, 20]
  const workers = namesOf(size)
  const own = vectorsOf(workers, large.length, 1)
  const { elapsed } = await inGroup({ ...slow, workers }, (group, place) => {
    return broadcast(group, own[place], { round: 0, stretch: { offset: 0, length: large.length }, pieces })
  })
  const expected = (size - 1) * 1 + (1 + (size - 2) / pieces) * large.seconds
  t.true(Math.abs(elapsed - expected) < 0.01 * expected, `${elapsed} ms`)
})
