/**
 * A fault of a message belongs to its sender: no other peer ends by it, and the results of the others stay the same to
 * the last bit.
 */
import { type Fabric, fabricWith, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { algorithmOf, countingTask, dedicated, historyOf, type MethodSettings, namesOf } from './central-worlds.js'

const workers = namesOf(4)
const tensors = [3, 5, 4]
const training = {
  seed: 1,
  batchSize: 1,
  rounds: 4,
  rate: () => 0.25,
  optimiser: { name: 'sgd', momentum: 0.5 },
  timeout: 10_000
}

/** The malformed messages that a hostile peer sends along with each valid one. */
function malformed(message: VectorMessage): readonly VectorMessage[] {
  const { offset = 0, numbers = [], vector } = message
  return [
    { ...message, vector: vector.slice(1) },
    { ...message, vector: new Float32Array(0) },
    { ...message, vector: new Float32Array(vector.length + 1) },
    { ...message, offset: offset + 1 },
    { ...message, offset: 0xffff_ffff },
    { ...message, kind: 99 },
    { ...message, kind: 0 },
    { ...message, field: 15 },
    { ...message, numbers: [...numbers, 1] },
    { ...message, numbers: numbers.length === 0 ? [0] : numbers.map(() => Number.NaN) },
    // One of the numbers is none that the protocol allows.
    ...numbers.flatMap((_, place) =>
      [-0.75, 1e308, -1e308, 2 ** 53].map((lie) => ({ ...message, numbers: numbers.with(place, lie) }))
    ),
    { ...message, round: 0xffff_ffff },
    { ...message, round: 0xffff_ffff, kind: 98, vector: new Float32Array(1000) }
  ]
}

/** Sends malformed messages before each valid one, and a second copy after it. */
function hostile(fabric: Fabric<VectorMessage>): Fabric<VectorMessage> {
  const send = (to: PeerName, message: VectorMessage) => {
    for (const bad of malformed(message)) fabric.send(to, bad)
    const result = fabric.send(to, message)
    fabric.send(to, message)
    return result
  }
  return fabricWith(fabric, { send })
}

type Case = readonly [string, Omit<MethodSettings, keyof typeof training>]

const chunks = 2
const cases: readonly Case[] = [
  ['D-PSGD', { algorithm: 'dpsgd', finalRounds: 2 }],
  ['D-PSGD tensor by tensor', { algorithm: 'dpsgd', finalRounds: 2, fusion: 'per-tensor' }],
  ...['ring', 'halving-doubling', 'direct'].map((collective): Case => {
    return [`all-reduce by ${collective}`, { algorithm: 'all-reduce', options: { collective, chunks } }]
  }),
  ['SGP', { algorithm: 'sgp', finalRounds: 2 }],
  ['overlap SGP', { algorithm: 'overlap-sgp', finalRounds: 2 }],
  ['robust push-sum', { algorithm: 'robust-push-sum', finalRounds: 2 }],
  ['Moniqua', { algorithm: 'moniqua', options: { theta: 64 }, finalRounds: 2 }],
  ['gradient tracking', { algorithm: 'gradient-tracking', finalRounds: 2 }],
  ['Gossip-PGA', { algorithm: 'gossip-pga', options: { period: 2 } }],
  ['the trimmed mean', { algorithm: 'trimmed-mean' }],
  ['DiLoCo', { algorithm: 'diloco', options: { period: 2 } }],
  ['local SGD', { algorithm: 'local-sgd', options: { period: 2, chunks } }],
  ['a streamed parameter server', { algorithm: 'parameter-server', options: { calls: 'streamed', chunks } }],
  ['a blocking parameter server', { algorithm: 'parameter-server', options: { calls: 'blocking', chunks } }],
  ['an asynchronous parameter server', { algorithm: 'async-parameter-server', options: { chunks } }],
  ['decoupled DiLoCo', { algorithm: 'decoupled-diloco', options: { period: 2, chunks, grace: 50 } }],
  ['a stale synchronous parameter server', { algorithm: 'stale-synchronous', options: { staleness: 0, chunks } }]
]

for (const [title, method] of cases) {
  const servers = algorithmOf(method.algorithm).server === undefined ? [] : dedicated(2)
  for (const culprit of [workers[1], ...servers.slice(0, 1).map(({ name }) => name)]) {
    test(`${title}: malformed messages of ${culprit} change nothing, and are counted against it alone`, async (t) => {
      const taskOf = (self?: PeerName) =>
        countingTask(tensors, (x, count) => x.map((value) => value - count - (self === workers[2] ? 2 : 1)))
      const outcome = (isHostile: boolean) => {
        const fabricOf = (fabric: Fabric<VectorMessage>) =>
          isHostile && fabric.self === culprit ? hostile(fabric) : fabric
        return historyOf({ workers, servers, taskOf, fabricOf }, { ...training, ...method })
      }
      const honest = await outcome(false)
      const harmed = await outcome(true)
      t.deepEqual(harmed.ends, honest.ends)
      t.deepEqual([...honest.rejected], [])
      t.deepEqual([...harmed.rejected.keys()], [culprit])
    })
  }
}

for (const algorithm of ['sgp', 'robust-push-sum']) {
  test(`${algorithm}: weights that are all lies count as not sent, and against the liar alone`, async (t) => {
    const taskOf = () => countingTask(tensors, (x, count) => x.map((value) => value - count))
    const outcome = (tamper: (message: VectorMessage) => VectorMessage | undefined) => {
      const send = (fabric: Fabric<VectorMessage>) => (to: PeerName, message: VectorMessage) => {
        const changed = message.numbers?.length ? tamper(message) : message
        return changed === undefined ? 'queued' : fabric.send(to, changed)
      }
      const fabricOf = (fabric: Fabric<VectorMessage>) =>
        fabric.self === workers[1] ? fabricWith(fabric, { send: send(fabric) }) : fabric
      return historyOf({ workers, servers: [], taskOf, fabricOf }, { ...training, algorithm })
    }
    const silent = await outcome(() => undefined)
    for (const lie of [-0.75, 1e308]) {
      const lied = await outcome(({ numbers = [], ...rest }) => ({ ...rest, numbers: [lie, ...numbers.slice(1)] }))
      t.deepEqual(lied.ends, silent.ends)
      t.deepEqual([...lied.rejected.keys()], [workers[1]])
    }
  })
}
