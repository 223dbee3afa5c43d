import { train } from '@murmuration/algorithms'
import { MemoryStore, type Milliseconds, type PeerName, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { Server } from '@murmuration/simulator'
import test from 'ava'
import {
  algorithmOf,
  type CentralWorld,
  colocated,
  countingTask,
  dedicated,
  historyOf,
  inCentralWorld,
  namesOf
} from './central-worlds.js'

const training = { seed: 1, batchSize: 1, rounds: 3, rate: () => 0.5, timeout: 10_000 }

interface Given {
  readonly fusion?: 'fused' | 'per-tensor'
  readonly calls?: 'streamed' | 'blocking'
  readonly chunks?: number
  readonly tensors: readonly number[]
  readonly workers?: readonly PeerName[]
  readonly servers?: readonly Server[]
}

/** How long a worker waits in each round when all begin at once. */
async function waitsOf(given: Given, world: Partial<CentralWorld> = {}): Promise<readonly Milliseconds[]> {
  const { tensors, workers = namesOf(4), servers = dedicated(1), ...rest } = given
  const task = countingTask(tensors, (x) => x)
  const { reports } = await historyOf(
    { workers, servers, taskOf: () => task, ...world },
    { ...training, algorithm: 'parameter-server', options: { chunks: 1, ...rest } }
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
      t.deepEqual(await waitsOf({ tensors, fusion, servers, chunks: 2 }), [20, 20, 20])
    }
  }
})

test('where only latency counts, a blocking parameter server takes 4 latencies for every chunk of a server', async (t) => {
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
    const [first] = await waitsOf({ tensors: [250_000], workers, servers, chunks: 50 }, slow)
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

/** Durations of a worker's steps, different for each worker, in milliseconds. */
const uneven = (_: unknown, peer: PeerName) => 10 + 40 * Number(peer.slice(1))

for (const calls of ['streamed', 'blocking'] as const) {
  test(`${calls}: a worker that is early gets the parameters of the round’s step, not those before it`, async (t) => {
    const workers = namesOf(3)
    const task = countingTask([4], () => Float32Array.of(1, 2, 3, 4))
    const { reports } = await historyOf(
      { workers, servers: dedicated(1), taskOf: () => task, cost: uneven },
      { ...training, algorithm: 'parameter-server', options: { calls, chunks: 1 } }
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
  test(`${calls}: a worker that stops is named by the server when its timeout has ended`, async (t) => {
    const workers = namesOf(4)
    const stops = new Map([[workers[2], stop]])
    const error = await t.throwsAsync(
      waitsOf({ tensors: [8], calls, workers }, { stops, cost: ({ samples }) => 90 * samples }),
      { name: 'NeighboursMissingError', message: /s00 waited 10000 ms for the up of w02: nothing arrived$/ }
    )
    t.deepEqual((error as unknown as { missing: unknown }).missing, [workers[2]])
  })
}

/**
 * Worker w's gradient of its round c is 1 at the index w · rounds + c, and 0 elsewhere: parameters show which gradients
 * they contain.
 */
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

const asynchronous = {
  ...training,
  algorithm: 'async-parameter-server',
  rounds: 12,
  rate: (round: number) => 2 ** -round
} as const

function runAsynchronously(world: Partial<CentralWorld>, seen: (x: Float32Array) => void = () => {}) {
  const workers = namesOf(4)
  const taskOf = markedTask(workers, asynchronous.rounds, seen)
  const options = { fusion: 'per-tensor', chunks: 2 }
  return historyOf({ workers, servers: dedicated(2), taskOf, ...world }, { ...asynchronous, options })
}

test('an asynchronous parameter server applies every gradient exactly once, at the rate of its worker’s round', async (t) => {
  const draws = createRandom(7)
  const whole = Float32Array.from({ length: 48 }, (_, place) => -(2 ** -(place % 12)))
  const { ends } = await runAsynchronously({ cost: () => 100 * draws.uniform() }, (x) => {
    for (const [place, value] of x.entries()) if (value !== 0 && value !== whole[place]) t.fail(`${value} at ${place}`)
  })
  const union = whole.map((_, place) => Math.min(...ends.map((end) => end[place])))
  t.deepEqual(union, whole)
})

test('an asynchronous parameter server skips gradients of rounds that are not due, and those that arrive twice', async (t) => {
  const workers = namesOf(1)
  const servers = dedicated(1)
  const answers: (readonly number[])[] = []
  // The kinds of a worker's gradient and of the answer.
  const up = 1
  const down = 2
  await inCentralWorld({ workers, servers }, async (fabric) => {
    if (fabric.self !== workers[0]) {
      const task = countingTask([1], (x) => x)
      const algorithm = algorithmOf(asynchronous.algorithm)
      const steps = train(fabric, task, { ...asynchronous, algorithm, rounds: 2, workers, servers: namesOf(1, 's') })
      while ((await steps.next()).done !== true) continue
      return
    }
    // The server must use the second and the fourth of these: the first of round 0, and the first of round 1.
    for (const [place, round] of [1, 0, 0, 1, 1].entries()) {
      fabric.send(servers[0].name, { kind: up, round, offset: 0, vector: Float32Array.of(10 ** place) })
    }
    for (let envelope = await fabric.receive(fabric.now() + 100); envelope !== undefined;) {
      const { kind, round, vector } = envelope.message
      answers.push([kind, round, ...vector])
      envelope = await fabric.receive(fabric.now() + 100)
    }
  })
  // With the rates 1 and 1/2.
  t.deepEqual(answers, [
    [down, 0, -10],
    [down, 1, -10 - 1000 / 2]
  ])
})

test('with an asynchronous parameter server no worker waits for a slow one', async (t) => {
  const cost = (_: unknown, peer: PeerName) => (peer === namesOf(1)[0] ? 5000 : 30)
  const { reports, elapsed } = await runAsynchronously({ cost })
  t.deepEqual(new Set(reports.flat().map(({ waited }) => waited)), new Set([20]))
  t.true(elapsed > 12 * 5000)
})

test('a worker that leaves an asynchronous server does not hold the others up, and is named when they have ended', async (t) => {
  const workers = namesOf(4)
  const ended: string[] = []
  const taskOf = markedTask(workers, 12, () => {})
  const error = await t.throwsAsync(
    historyOf(
      {
        workers,
        servers: dedicated(1),
        taskOf,
        stops: new Map([[workers[1], 95]]),
        cost: ({ samples }) => 30 * samples,
        onEnd: (worker) => ended.push(worker)
      },
      asynchronous
    ),
    { name: 'NeighboursMissingError', message: /for the up of w01: nothing arrived$/ }
  )
  t.truthy(error)
  t.deepEqual(ended.sort(), ['w00', 'w02', 'w03'])
})

test('asynchronous DiLoCo: each of N changes moves θ at once, and after every N the momentum does (Liu 2024, delayed Nesterov)', async (t) => {
  const workers = namesOf(4)
  const η = 0.7
  const β = 0.9
  const H = 2
  const rounds = 12
  const placeOf = (peer?: PeerName) => (peer === undefined ? 0 : workers.indexOf(peer))
  // The changes of a worker do not depend on its start.
  const gradientOf = (worker: number, i: number) => 2 + worker + i
  const taskOf = (self?: PeerName) => countingTask([3, 2], (x) => x.map((_, i) => gradientOf(placeOf(self), i)))
  // In each period the changes arrive in the order of the workers.
  const world = { workers, servers: dedicated(2), taskOf, cost: (_: unknown, peer: PeerName) => 100 + placeOf(peer) }
  const options = { fusion: 'per-tensor', chunks: 2, period: H, outerRate: η, momentum: β }
  const { reports } = await historyOf(world, { ...training, rounds, algorithm: 'async-diloco', options })
  for (let i = 0; i < 5; i++) {
    let m = 0
    let θ = 0
    for (let round = H - 1; round < rounds; round += H) {
      let mean = 0
      for (const worker of workers.keys()) {
        const change = H * training.rate() * gradientOf(worker, i)
        θ -= (η * change) / 4
        mean += change / 4
        if (worker === 3) {
          m = β * m + mean
          θ -= η * β * m
        }
        const found = reports[worker][round].parameters[i]
        t.true(Math.abs(found - θ) < 1e-5 * Math.abs(θ), `worker ${worker} in round ${round}: ${found}, not ${θ}`)
      }
    }
  }
})

for (const { alpha, atomic } of [1, 0.6].flatMap((alpha) => [false, true].map((atomic) => ({ alpha, atomic })))) {
  const rule = alpha === 1 ? 'w ← w + u, with u since the last exchange' : 'w ← α w + (1 − α) x'
  const by = atomic ? 'the store adds' : 'they write'
  test(`parameter services in the order of arrival: ${rule}, and ${by} (Atre 2021)`, async (t) => {
    const workers = namesOf(3)
    const H = 3
    const rounds = 12
    const centre = (worker: number, i: number) => 1 + worker + 2 * i
    const placeOf = (peer?: PeerName) => (peer === undefined ? 0 : workers.indexOf(peer))
    const taskOf = (self?: PeerName) =>
      countingTask([3, 2], (x) => x.map((value, i) => value - centre(placeOf(self), i)))
    // In each period the workers ask in their order.
    const world = { workers, servers: dedicated(1), taskOf, cost: (_: unknown, peer: PeerName) => 30 + placeOf(peer) }
    const options = { period: H, alpha, atomic, chunks: 2 }
    const method = { ...training, rounds, algorithm: 'parameter-services', options, store: new MemoryStore() }
    const { reports } = await historyOf(world, method)
    for (let i = 0; i < 5; i++) {
      let w = 0
      const models = workers.map(() => 0)
      const check = (worker: number, round: number) => {
        const found = reports[worker][round].parameters[i]
        t.true(Math.abs(found - w) < 1e-5 * Math.abs(w), `worker ${worker} in round ${round}: ${found}, not ${w}`)
      }
      for (let round = H - 1; round < rounds; round += H) {
        for (const worker of workers.keys()) {
          let x = models[worker]
          for (let step = 0; step < H; step++) x -= training.rate() * (x - centre(worker, i))
          w = alpha === 1 ? w + x - models[worker] : alpha * w + (1 - alpha) * x
          models[worker] = w
          if (round < rounds - 1) check(worker, round)
        }
      }
      // At the end all have what the store has.
      for (const worker of workers.keys()) check(worker, rounds - 1)
    }
  })
}
