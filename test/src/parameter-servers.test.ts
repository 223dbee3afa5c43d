import {
  asyncParameterServerWorker,
  type ParameterServerOptions,
  parameterServerWorker,
  type ServerOptions,
  serveAsyncParameters,
  serveParameters
} from '@murmuration/algorithms'
import type { Milliseconds, PeerName, Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { Server } from '@murmuration/simulator'
import test from 'ava'
import {
  type CentralWorld,
  colocated,
  countingTask,
  dedicated,
  historyOf,
  inCentralWorld,
  namesOf
} from './central-worlds.js'

const options = {
  seed: 1,
  batchSize: 1,
  rounds: 3,
  rate: () => 0.5,
  momentum: 0,
  nesterov: false,
  weightDecay: 0,
  patience: 10_000,
  pieces: 1
}

interface Given extends Partial<Pick<ParameterServerOptions, 'fusion' | 'calls' | 'pieces'>> {
  readonly tensors: readonly number[]
  readonly workers?: readonly PeerName[]
  readonly servers?: readonly Server[]
}

/** How long a worker waits in each round when all begin at once. */
async function waitsOf(given: Given, world: Partial<CentralWorld> = {}): Promise<readonly Milliseconds[]> {
  const { tensors, workers = namesOf(4), servers = dedicated(1), ...rest } = given
  const names = servers.map(({ name }) => name)
  const all = { ...options, fusion: 'fused', calls: 'streamed', workers, servers: names, ...rest } as const
  const task = countingTask(tensors, (x) => x)
  const { reports } = await historyOf(
    { workers, servers, taskOf: () => task, serve: (fabric) => serveParameters(fabric, task, all), ...world },
    (fabric) => parameterServerWorker(fabric, task, all)
  )
  for (const steps of reports) {
    for (const { round, waited } of steps) {
      if (Math.abs(waited - reports[0][round].waited) > 1e-6) throw new Error('the workers wait for different times')
    }
  }
  return reports[0].map(({ waited }) => waited)
}

test('where only latency counts, a streamed parameter server takes 2 latencies a round, however many tensors and servers', async (t) => {
  const tensors = [3, 1, 4, 1, 5]
  for (const fusion of ['fused', 'per-tensor'] as const) {
    for (const servers of [dedicated(1), dedicated(3), dedicated(7), colocated(namesOf(4))]) {
      t.deepEqual(await waitsOf({ tensors, fusion, servers, pieces: 2 }), [20, 20, 20])
    }
  }
})

test('where only latency counts, a blocking parameter server takes 4 latencies for every stretch of a server', async (t) => {
  const blocking = { tensors: [3, 1, 4, 1, 5], calls: 'blocking' } as const
  t.deepEqual(await waitsOf({ ...blocking, fusion: 'fused' }), [40, 40, 40])
  t.deepEqual(await waitsOf({ ...blocking, fusion: 'per-tensor' }), [200, 200, 200])
  t.deepEqual(await waitsOf({ ...blocking, fusion: 'fused', servers: dedicated(3) }), [40, 40, 40])
  t.deepEqual(await waitsOf({ ...blocking, fusion: 'per-tensor', servers: dedicated(5) }), [40, 40, 40])
  t.deepEqual(await waitsOf({ ...blocking, fusion: 'per-tensor', servers: dedicated(3) }), [80, 80, 80])
})

/** 1 MB at 80 Mbit/s: 100 ms. */
const slow = { latency: 1, bandwidth: 80e6 }

test('where bandwidth counts, a streamed server takes n S/B, k shards n/k S/B, and shards on all workers’ machines 2 (n − 1)/n S/B', async (t) => {
  const workers = namesOf(4)
  const near = async (expected: Milliseconds, servers: readonly Server[]) => {
    const [first] = await waitsOf({ tensors: [250_000], workers, servers, pieces: 50 }, slow)
    t.true(first > expected && first < 1.03 * expected + 2, `${first} ms, not ${expected}`)
  }
  await near(4 * 100, dedicated(1))
  await near((4 / 2) * 100, dedicated(2))
  await near(100, dedicated(4))
  await near(((2 * 3) / 4) * 100, colocated(workers))
})

test('where bandwidth counts, a blocking server takes 2 n S/B', async (t) => {
  const [first] = await waitsOf({ tensors: [250_000], calls: 'blocking' }, slow)
  t.true(Math.abs(first - 2 * 4 * 100 - 4) < 5, `${first} ms`)
})

/** Steps of a worker that the others do not keep pace with, in milliseconds. */
const uneven = (_: unknown, peer: PeerName) => 10 + 40 * Number(peer.slice(1))

for (const calls of ['streamed', 'blocking'] as const) {
  test(`${calls}: a worker that comes early gets the parameters of the round’s step, not those before it`, async (t) => {
    const workers = namesOf(3)
    const all = { ...options, fusion: 'fused', calls, workers, servers: namesOf(1, 's') } as const
    const task = countingTask([4], () => Float32Array.of(1, 2, 3, 4))
    const { reports } = await historyOf(
      {
        workers,
        servers: dedicated(1),
        taskOf: () => task,
        serve: (fabric) => serveParameters(fabric, task, all),
        cost: uneven
      },
      (fabric) => parameterServerWorker(fabric, task, all)
    )
    // x ← x − 0.5 g in each round.
    for (const { round, parameters } of reports.flat()) {
      t.deepEqual(
        parameters,
        Float32Array.of(-0.5, -1, -1.5, -2).map((step) => step * (round + 1)),
        `round ${round}`
      )
    }
  })
}

for (const [calls, stop] of [
  ['streamed', 105],
  ['blocking', 125]
] as const) {
  test(`${calls}: a worker that stops is named by the server when its patience has ended`, async (t) => {
    const workers = namesOf(4)
    const stops = new Map([[workers[2], stop]])
    const error = await t.throwsAsync(
      waitsOf({ tensors: [8], calls, workers }, { stops, cost: ({ samples }) => 90 * samples }),
      { name: 'NeighboursMissingError', message: /s00.*10000 ms.*waits for w02$/ }
    )
    t.deepEqual((error as unknown as { missing: unknown }).missing, [workers[2]])
  })
}

/** Worker w's gradient of its round c is 1 at the place w · rounds + c, and 0 elsewhere: parameters say what is in them. */
function markedTask(
  workers: readonly PeerName[],
  rounds: number,
  seen: (x: Float32Array) => void
): (self?: PeerName) => Task {
  return (self) => {
    const place = self === undefined ? 0 : workers.indexOf(self)
    return countingTask([5, workers.length * rounds - 5], (x, count) => {
      seen(x)
      const gradient = new Float32Array(workers.length * rounds)
      gradient[place * rounds + count] = 1
      return gradient
    })
  }
}

const asynchronous = { ...options, rounds: 12, pieces: 2, rate: (round: number) => 2 ** -round } as const

async function runAsynchronously(
  given: Partial<ServerOptions>,
  world: Partial<CentralWorld>,
  seen: (x: Float32Array) => void = () => {}
) {
  const workers = namesOf(4)
  const servers = dedicated(2)
  const names = servers.map(({ name }) => name)
  const all = { ...asynchronous, fusion: 'per-tensor', workers, servers: names, ...given } as const
  const taskOf = markedTask(workers, all.rounds, seen)
  return historyOf(
    { workers, servers, taskOf, serve: (fabric, task) => serveAsyncParameters(fabric, task, all), ...world },
    (fabric, task) => asyncParameterServerWorker(fabric, task, all)
  )
}

test('an asynchronous parameter server applies every gradient exactly once, at the rate of its worker’s round', async (t) => {
  const dice = createRandom(7)
  const whole = Float32Array.from({ length: 48 }, (_, place) => -(2 ** -(place % 12)))
  const { ends } = await runAsynchronously({}, { cost: () => 100 * dice.uniform() }, (x) => {
    for (const [place, value] of x.entries()) if (value !== 0 && value !== whole[place]) t.fail(`${value} at ${place}`)
  })
  const union = whole.map((_, place) => Math.min(...ends.map((end) => end[place])))
  t.deepEqual(union, whole)
})

test('an asynchronous parameter server passes over gradients of rounds that are not due, and those that come twice', async (t) => {
  const [workers, servers] = [namesOf(1), dedicated(1)]
  const all = { ...asynchronous, rounds: 2, pieces: 1, fusion: 'fused', workers, servers: namesOf(1, 's') } as const
  const answers: (readonly number[])[] = []
  // The kinds of a worker's gradient and of the answer.
  const [push, parameters] = [1, 4]
  await inCentralWorld({ workers, servers }, async (fabric) => {
    if (fabric.self !== workers[0])
      return serveAsyncParameters(
        fabric,
        countingTask([1], (x) => x),
        all
      )
    // Of these the server is to take the second and the fourth: the first of round 0, and the first of round 1.
    for (const [place, round] of [1, 0, 0, 1, 1].entries()) {
      fabric.send(all.servers[0], { kind: push, round, offset: 0, vector: Float32Array.of(10 ** place) })
    }
    for (let envelope = await fabric.receive(fabric.now() + 100); envelope !== undefined;) {
      const { kind, round, vector } = envelope.message
      answers.push([kind, round, ...vector])
      envelope = await fabric.receive(fabric.now() + 100)
    }
  })
  // At the rates 1 and 1/2.
  t.deepEqual(answers, [
    [parameters, 0, -10],
    [parameters, 1, -10 - 1000 / 2]
  ])
})

test('an asynchronous parameter server lets nobody wait for a slow worker', async (t) => {
  const cost = (_: unknown, peer: PeerName) => (peer === namesOf(1)[0] ? 5000 : 30)
  const { reports, elapsed } = await runAsynchronously({}, { cost })
  t.deepEqual(new Set(reports.flat().map(({ waited }) => waited)), new Set([20]))
  t.true(elapsed > 12 * 5000)
})

test('a worker that leaves an asynchronous server does not hold the others up, and is named when they have ended', async (t) => {
  const workers = namesOf(4)
  const ended: string[] = []
  const all = { ...asynchronous, fusion: 'fused', workers, servers: namesOf(1, 's') } as const
  const taskOf = markedTask(workers, 12, () => {})
  const error = await t.throwsAsync(
    historyOf(
      {
        workers,
        servers: dedicated(1),
        taskOf,
        serve: (fabric, task) => serveAsyncParameters(fabric, task, all),
        stops: new Map([[workers[1], 95]]),
        cost: ({ samples }) => 30 * samples
      },
      async function* (fabric, task) {
        const end = yield* asyncParameterServerWorker(fabric, task, all)
        ended.push(fabric.self)
        return end
      }
    ),
    { name: 'NeighboursMissingError', message: /waits for w01$/ }
  )
  t.truthy(error)
  t.deepEqual(ended.sort(), ['w00', 'w02', 'w03'])
})
