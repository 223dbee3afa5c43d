/** A fault of a message is the sender's: nobody else ends by it, and what the others compute stays the same to the last bit. */
import {
  allReduceSgd,
  asyncParameterServerWorker,
  type Collective,
  localSgd,
  parameterServerWorker,
  serveAsyncParameters,
  serveParameters,
  serveStaleParameters,
  staleSynchronousWorker
} from '@murmuration/algorithms'
import { fabricWith } from '@murmuration/contract'
import type { Fabric, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import test from 'ava'
import { type Contender, countingTask, dedicated, historyOf, namesOf, type Service } from './central-worlds.js'
import { dpsgd } from './gossip.js'

const workers = namesOf(4)
const servers = dedicated(2)
const tensors = [3, 5, 4]
const options = {
  seed: 1,
  batchSize: 1,
  rounds: 4,
  closingRounds: 2,
  rate: () => 0.25,
  momentum: 0.5,
  nesterov: false,
  weightDecay: 0,
  patience: 10_000,
  pieces: 2,
  period: 2,
  staleness: 0,
  order: 'combine-then-adapt',
  fusion: 'fused',
  calls: 'streamed',
  workers,
  servers: servers.map(({ name }) => name)
} as const

/** What is wrong with messages of one that means harm, beside each that is right. */
function malformed(message: VectorMessage): readonly VectorMessage[] {
  const { offset = 0, vector } = message
  return [
    { ...message, vector: vector.slice(1) },
    { ...message, vector: new Float32Array(0) },
    { ...message, vector: new Float32Array(vector.length + 1) },
    { ...message, offset: offset + 1 },
    { ...message, offset: 0xffff_ffff },
    { ...message, kind: 99 },
    { ...message, round: 0xffff_ffff },
    { ...message, round: 0xffff_ffff, kind: 98, vector: new Float32Array(1000) }
  ]
}

/** Sends malformed messages before, and a second copy after each that is right. */
function hostile(fabric: Fabric<VectorMessage>): Fabric<VectorMessage> {
  const send = (to: PeerName, message: VectorMessage) => {
    for (const bad of malformed(message)) fabric.send(to, bad)
    const result = fabric.send(to, message)
    fabric.send(to, message)
    return result
  }
  return fabricWith(fabric, { send })
}

interface Case {
  readonly title: string
  readonly run: Contender
  readonly serve?: Service
}

const collective = (name: Collective): Case => ({
  title: `all-reduce by ${name}`,
  run: (fabric, task) => allReduceSgd(fabric, task, { ...options, collective: name })
})
const served = (calls: 'streamed' | 'blocking'): Case => ({
  title: `a ${calls} parameter server`,
  run: (fabric, task) => parameterServerWorker(fabric, task, { ...options, calls }),
  serve: (fabric, task) => serveParameters(fabric, task, { ...options, calls })
})
const cases: readonly Case[] = [
  { title: 'D-PSGD', run: (fabric, task) => dpsgd(fabric, task, options) },
  {
    title: 'D-PSGD tensor by tensor',
    run: (fabric, task) => dpsgd(fabric, task, { ...options, fusion: 'per-tensor' })
  },
  collective('ring'),
  collective('halving-doubling'),
  collective('direct'),
  {
    title: 'local SGD',
    run: (fabric, task) => localSgd(fabric, task, { ...options, collective: 'ring' })
  },
  served('streamed'),
  served('blocking'),
  {
    title: 'an asynchronous parameter server',
    run: (fabric, task) => asyncParameterServerWorker(fabric, task, options),
    serve: (fabric, task) => serveAsyncParameters(fabric, task, options)
  },
  {
    title: 'a stale synchronous parameter server',
    run: (fabric, task) => staleSynchronousWorker(fabric, task, options),
    serve: (fabric, task) => serveStaleParameters(fabric, task, options)
  }
]

for (const { title, run, serve } of cases) {
  const culprits = serve === undefined ? [workers[1]] : [workers[1], servers[0].name]
  for (const culprit of culprits) {
    test(`${title}: malformed messages of ${culprit} change nothing, and are counted against it alone`, async (t) => {
      const taskOf = (self?: PeerName) =>
        countingTask(tensors, (x, count) => x.map((value) => value - count - (self === workers[2] ? 2 : 1)))
      const of = (fabric: Fabric<VectorMessage>, isHostile: boolean) =>
        isHostile && fabric.self === culprit ? hostile(fabric) : fabric
      const outcome = (isHostile: boolean) =>
        historyOf(
          {
            workers,
            taskOf,
            ...(serve === undefined ? {} : { servers, serve: (fabric, task) => serve(of(fabric, isHostile), task) })
          },
          (fabric, task) => run(of(fabric, isHostile), task)
        )
      const [honest, harmed] = [await outcome(false), await outcome(true)]
      t.deepEqual(harmed.ends, honest.ends)
      t.deepEqual([...honest.rejected], [])
      t.deepEqual([...harmed.rejected.keys()], [culprit])
    })
  }
}
