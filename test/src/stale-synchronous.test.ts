import { invariant, type PeerName, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { createQuadraticTask } from '@murmuration/tasks'
import { distance, norm } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import {
  type CentralWorld,
  countingTask,
  dedicated,
  type WorkerHistory,
  historyOf,
  type MethodSettings,
  namesOf
} from './central-worlds.js'

const training = { seed: 1, batchSize: 1, rounds: 8, rate: () => 0.5, timeout: 10_000 }

/** Runs stale synchronous SGD. */
function run(
  { staleness, chunks = 2, workers }: { staleness: number; chunks?: number; workers: readonly PeerName[] },
  taskOf: (self?: PeerName) => Task,
  world: Partial<CentralWorld> = {},
  more: Partial<MethodSettings> = {}
): Promise<WorkerHistory> {
  const options = { staleness, chunks }
  const method = { ...training, algorithm: 'stale-synchronous', options, ...more }
  return historyOf({ workers, servers: dedicated(1), taskOf, ...world }, method)
}

test('at clock c a worker sees every update of clocks up to c − s − 1, all of its own, and none twice, whichever worker is slow (Ho et al. 2013)', async (t) => {
  const worlds = fc.record({
    size: fc.integer({ min: 1, max: 5 }),
    servers: fc.integer({ min: 1, max: 3 }),
    staleness: fc.nat(4),
    chunks: fc.integer({ min: 1, max: 4 }),
    latency: fc.integer({ min: 0, max: 100 }),
    seed: fc.nat()
  })
  await fc.assert(
    fc.asyncProperty(worlds, async ({ size, servers, staleness, chunks, latency, seed }) => {
      const { rounds } = training
      const workers = namesOf(size)
      const step = Math.fround(-0.5 / size)
      const taskOf = (self?: PeerName) => {
        const place = self === undefined ? 0 : workers.indexOf(self)
        return countingTask([size * rounds], (x, clock) => {
          for (const [index, value] of x.entries()) {
            const from = Math.floor(index / rounds)
            const of = index % rounds
            const must = of < clock - staleness || (from === place && of < clock)
            invariant(value === step || (value === 0 && !must), `${value} of ${from} at ${of}, own clock ${clock}`)
          }
          return Float32Array.from(x, (_, index) => (index === place * rounds + clock ? 1 : 0))
        })
      }
      const draws = createRandom(seed)
      const cost = () => Math.round(100 * draws.uniform() ** 3)
      const world = { cost, latency, servers: dedicated(servers) }
      const { ends } = await run({ staleness, workers, chunks }, taskOf, world)
      for (const end of ends)
        invariant(
          end.every((value) => value === step),
          'an update is missing in the end'
        )
    })
  )
  t.pass()
})

test('a worker continues for exactly s steps without the slowest one, and then waits for it', async (t) => {
  const workers = namesOf(3)
  const cost = (_: unknown, peer: PeerName) => (peer === workers[0] ? 1000 : 1)
  for (const staleness of [0, 1, 3]) {
    const task = countingTask([4], (x) => x)
    const { reports } = await run({ staleness, workers }, () => task, { cost, latency: 10 })
    const waits = reports[1].map(({ waited }) => waited)
    t.deepEqual(
      waits.slice(0, staleness),
      waits.slice(0, staleness).map(() => 0)
    )
    t.true(waits[staleness] > 1000 - 10 * (staleness + 1), `${waits[staleness]}`)
  }
})

test('latency is hidden as long as the staleness allows', async (t) => {
  const workers = namesOf(3)
  const task = countingTask([4], (x) => x)
  const waits = async (staleness: number) => {
    const { reports } = await run({ staleness, workers }, () => task, { cost: ({ samples }) => 25 * samples })
    return reports[0].slice(0, -1).map(({ waited }) => waited)
  }
  t.deepEqual(new Set(await waits(0)), new Set([20]))
  t.deepEqual(new Set(await waits(1)), new Set([0]))
})

test('without staleness it is the synchronous parameter server, in parameters and in time, momentum and weight decay included', async (t) => {
  const workers = namesOf(4)
  const optimiser = { name: 'sgd', momentum: 0.9, nesterov: true }
  const given = { rounds: 30, rate: () => 0.1, optimiser, weightDecay: 1e-3 }
  const taskOf = (self?: PeerName) =>
    createQuadraticTask({ peers: workers, seed: 2, heterogeneity: 4, ...(self === undefined ? {} : { self }) })
  const cost = (_: unknown, peer: PeerName) => 10 * (1 + workers.indexOf(peer))
  const stale = await run({ staleness: 0, workers }, taskOf, { cost }, given)
  const synchronous = await historyOf(
    { workers, servers: dedicated(1), taskOf, cost },
    { ...training, ...given, algorithm: 'parameter-server', options: { chunks: 2 } }
  )
  for (const [place, steps] of synchronous.reports.entries()) {
    for (const [round, { parameters, waited }] of steps.entries()) {
      const other = stale.reports[place][round]
      t.true(distance(other.parameters, parameters) < 1e-5 * norm(parameters), `in round ${round}`)
      t.is(other.waited, waited)
    }
  }
})

test('all workers end with the same parameters, near the optimum, however stale', async (t) => {
  const workers = namesOf(4)
  const tasks = workers.map((self) => createQuadraticTask({ peers: workers, self, seed: 2, heterogeneity: 1 }))
  const draws = createRandom(3)
  const { ends } = await run(
    { staleness: 3, workers },
    (self) => tasks[self === undefined ? 0 : workers.indexOf(self)],
    { cost: () => 100 * draws.uniform() },
    { rounds: 600, rate: (clock) => 0.2 / (1 + clock / 20) }
  )
  t.deepEqual(
    ends,
    ends.map(() => ends[0])
  )
  const optimum = Float32Array.from(tasks[0].optimum)
  t.true(distance(ends[0], optimum) < 2e-3 * norm(optimum), `${distance(ends[0], optimum)} away`)
})

test('a worker that stops is named by the server when its timeout has ended', async (t) => {
  const workers = namesOf(4)
  const task = countingTask([4], (x) => x)
  const cost = ({ samples }: { readonly samples: number }) => 30 * samples
  const world = { stops: new Map([[workers[2], 200]]), cost, latency: 100 }
  const error = await t.throwsAsync(
    run({ staleness: 2, workers }, () => task, world),
    { name: 'NeighboursMissingError', message: /s00 waited 10000 ms for the up of w02: nothing arrived$/ }
  )
  t.deepEqual((error as unknown as { missing: unknown }).missing, [workers[2]])
})

test('a server that stops is named once, however many chunks it holds', async (t) => {
  const workers = namesOf(2)
  const world = { stops: new Map([[dedicated(1)[0].name, 200]]), cost: () => 30, latency: 100 }
  const error = await t.throwsAsync(
    run({ staleness: 2, chunks: 4, workers }, () => countingTask([4], (x) => x), world),
    { name: 'NeighboursMissingError', message: /w\d+ waited 20000 ms for the down of s00: nothing arrived$/ }
  )
  t.deepEqual((error as unknown as { missing: unknown }).missing, ['s00'])
})
