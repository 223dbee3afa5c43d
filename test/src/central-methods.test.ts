import type { Calls, Fusion } from '@murmuration/algorithms'
import { poisonedSteps } from '@murmuration/contract'
import type { PeerName, StepReport } from '@murmuration/core'
import { createSoftmaxTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { distance, mean, norm } from '@murmuration/vectors'
import test from 'ava'
import {
  colocated,
  dedicated,
  type WorkerHistory,
  historyOf,
  inCentralWorld,
  type MethodSettings,
  namesOf
} from './central-worlds.js'
import { dpsgd } from './gossip.js'
import { plainSgd } from './plain-sgd.js'

const training = {
  seed: 1,
  batchSize: 8,
  rounds: 10,
  rate: (round: number) => 0.2 / (1 + round),
  weightDecay: 1e-3,
  timeout: 10_000
}
const momentum = { momentum: 0.9, nesterov: true }
const optimiser = { name: 'sgd', ...momentum }
const central = { ...training, optimiser }
const workers = namesOf(3)
const localData = {
  data: { kind: 'digits', samples: 400 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: workers,
  seed: 3
} as const
const taskOf = (self?: PeerName) =>
  createSoftmaxTask({ localData: { ...localData, ...(self === undefined ? {} : { self }) } })
const trained = (method: MethodSettings) => historyOf({ workers, taskOf }, method)

const methods: [string, () => Promise<WorkerHistory>][] = []
for (const fusion of ['fused', 'per-tensor'] as const) {
  for (const calls of ['streamed', 'blocking'] as const) {
    const options = { fusion, calls, chunks: 3 }
    for (const [title, servers] of [
      ['one server', dedicated(1)],
      ['two shards', dedicated(2)],
      ['three shards on the workers’ machines', colocated(workers)]
    ] as const) {
      methods.push([
        `the synchronous parameter server, ${title}, ${fusion}, ${calls}`,
        () => historyOf({ workers, servers, taskOf }, { ...central, algorithm: 'parameter-server', options })
      ])
    }
    for (const collective of ['ring', 'halving-doubling', 'direct']) {
      methods.push([
        `SGD on an all-reduce, ${collective}, ${fusion}, ${calls}`,
        () => trained({ ...central, algorithm: 'all-reduce', options: { ...options, collective } })
      ])
    }
  }
}

for (const [title, run] of methods) {
  test.serial(`plain SGD on the joint batch, momentum and weight decay included: ${title}`, async (t) => {
    const { reports, ends } = await run()
    const union = await createSoftmaxTask({ localData })
    const shards = workers.map((name) => ({ name, samples: union.samples / workers.length }))
    let round = 0
    for await (const { parameters } of plainSgd(union, { ...training, ...momentum, shards })) {
      for (const steps of reports) {
        t.true(distance(steps[round].parameters, parameters) < 1e-5 * norm(parameters), `in round ${round}`)
        t.deepEqual(steps[round].parameters, reports[0][round].parameters)
        t.like(steps[round], { round, phase: 'train', samples: 8 * (round + 1), missing: [], unsent: [] })
      }
      round++
    }
    t.deepEqual(
      reports.map((steps) => steps.length),
      workers.map(() => round)
    )
    t.deepEqual(
      ends,
      reports.map((steps) => steps[round - 1].parameters)
    )
  })
}

test.serial('plain SGD on the fabric is the oracle with one shard, bit by bit', async (t) => {
  const { ends } = await trained({ ...central, algorithm: 'sgd' })
  for (const [place, name] of workers.entries()) {
    const task = await taskOf(name)
    const steps = plainSgd(task, { ...training, ...momentum, shards: [{ name, samples: task.samples }] })
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    t.deepEqual(ends[place], step.value)
  }
})

test.serial('local SGD with period 1 is SGD on an all-reduce', async (t) => {
  const local = await trained({ ...training, weightDecay: 0, algorithm: 'local-sgd', options: { period: 1 } })
  const joint = await trained({ ...training, weightDecay: 0, algorithm: 'all-reduce' })
  for (const [round, { parameters }] of joint.reports[0].entries()) {
    t.true(distance(local.reports[0][round].parameters, parameters) < 1e-5 * norm(parameters))
  }
})

test.serial(
  'local SGD is plain SGD up to the mean that is taken after each period, and after the last step',
  async (t) => {
    const local = await trained({ ...central, algorithm: 'local-sgd', options: { collective: 'direct', period: 4 } })
    const alone = await trained({ ...central, algorithm: 'sgd' })
    for (const place of [0, 1, 2]) {
      for (const round of [0, 1, 2]) {
        t.deepEqual(local.reports[place][round].parameters, alone.reports[place][round].parameters)
        t.is(local.reports[place][round].waited, 0)
      }
      t.deepEqual(local.reports[place][3].parameters, mean(alone.reports.map((steps) => steps[3].parameters)))
      t.deepEqual(
        local.reports[place].filter(({ waited }) => waited > 0).map(({ round }) => round),
        [3, 7, 9]
      )
    }
    t.deepEqual(local.ends, [local.ends[0], local.ends[0], local.ends[0]])
  }
)

const ring = createTopology({ peers: namesOf(5), graph: { kind: 'ring' } })
const gossip = { ...training, ...momentum, finalRounds: 2, order: 'combine-then-adapt' } as const
const ofRing = { ...localData, peers: ring.peers }

test.serial('D-PSGD tensor by tensor has the same bits as with one message per neighbour', async (t) => {
  const messages: number[] = []
  const ends = await Promise.all(
    (['fused', 'per-tensor'] as const).map(async (fusion) => {
      const ofPeers: Float32Array[] = []
      const result = await inCentralWorld({ workers: ring.peers, topology: ring }, async (fabric) => {
        const task = await createSoftmaxTask({ localData: { ...ofRing, self: fabric.self } })
        const steps = poisonedSteps(dpsgd(fabric, task, { ...gossip, fusion }))
        for await (const { parameters } of steps) ofPeers[ring.peers.indexOf(fabric.self)] = parameters.slice()
      })
      messages.push(result.messages)
      return ofPeers
    })
  )
  t.deepEqual(ends[1], ends[0])
  t.is(messages[0], 5 * 2 * 12)
  t.is(messages[1], 2 * messages[0], 'softmax regression has two tensors')
})

test.serial('D-PSGD tensor by tensor: a vector counts when all of its tensors have arrived', async (t) => {
  let rounds = 0
  await inCentralWorld({ workers: ring.peers, topology: ring, queueLimit: 1 }, async (fabric) => {
    const task = await createSoftmaxTask({ localData: { ...ofRing, self: fabric.self } })
    const steps = dpsgd(fabric, task, { ...gossip, fusion: 'per-tensor' })
    const { value } = (await steps.next()) as { value: StepReport }
    // There is room for only one tensor.
    t.is(value.unsent.length, 2)
    t.deepEqual([...value.missing].sort(), [...value.unsent].sort())
    t.deepEqual(value.distances, [])
    rounds++
  })
  t.is(rounds, 5)
})

test.serial('the mean of D-PSGD moves by what its optimiser moves, and by nothing else', async (t) => {
  const sums: Float64Array[] = []
  const moved: Float64Array[] = []
  await inCentralWorld({ workers: ring.peers, topology: ring }, async (fabric) => {
    const task = await createSoftmaxTask({ localData: { ...ofRing, self: fabric.self } })
    for await (const { round, moves, parameters } of poisonedSteps(dpsgd(fabric, task, gossip))) {
      sums[round] ??= new Float64Array(parameters.length)
      moved[round] ??= new Float64Array(parameters.length)
      parameters.forEach((value, k) => (sums[round][k] += value))
      for (const { from, to } of moves) to.values.forEach((value, k) => (moved[round][k] += value - from.values[k]))
      t.is(moves.length, round < 10 ? 1 : 0)
    }
  })
  for (let round = 1; round < 12; round++) {
    const left = Float32Array.from(sums[round], (sum, k) => sum - sums[round - 1][k] - moved[round][k])
    t.true(norm(left) < 1e-6 * norm(Float32Array.from(sums[round])))
  }
  t.true(norm(Float32Array.from(moved[5])) > 0.001)
})

test.serial(
  'where only latency counts, a direct all-reduce takes 2 latencies for all tensors streamed, and 2 for each blocking',
  async (t) => {
    const waits = async (fusion: Fusion, calls: Calls) => {
      const options = { collective: 'direct', fusion, calls, chunks: 3 }
      const { reports } = await trained({ ...central, algorithm: 'all-reduce', options })
      return reports[0][0].waited
    }
    t.is(await waits('fused', 'streamed'), 20)
    t.is(await waits('fused', 'blocking'), 20)
    t.is(await waits('per-tensor', 'streamed'), 20)
    t.is(await waits('per-tensor', 'blocking'), 40, 'softmax regression has two tensors')
  }
)

test.serial(
  'D-PSGD has the same bits whether the exchange overlaps with the gradient or follows it, and then takes as long as both',
  async (t) => {
    const [together, after] = await Promise.all(
      [true, false].map((overlap) =>
        historyOf(
          {
            workers: ring.peers,
            topology: ring,
            cost: () => 8,
            taskOf: (self) => createSoftmaxTask({ localData: { ...ofRing, ...(self === undefined ? {} : { self }) } })
          },
          { ...central, algorithm: 'dpsgd', finalRounds: 2, options: { overlap } }
        )
      )
    )
    t.deepEqual(after.ends, together.ends)
    t.is(after.elapsed - together.elapsed, 8 * gossip.rounds)
  }
)
