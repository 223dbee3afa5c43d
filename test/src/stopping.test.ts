/** Peers that agree on the last round of training: all end in it, on libp2p as in the simulator, and when resumed. */
import { algorithms, dpsgd, type Saved, Session, type TrainingSettings } from '@murmuration/algorithms'
import { quadratics, timeLimit } from '@murmuration/contract'
import { fabricWith, InputError, type PeerName, peerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import { hashVector } from '@murmuration/vectors'
import test from 'ava'
import { runMembers, stopOn } from './member-swarm.js'
import { inSimulator, overLibp2p, simulated } from './worlds.js'

const peers = ['a', 'b', 'c', 'd', 'e'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'ring' } })
const { taskOf } = quadratics(topology)
const length = 4

/** Evaluated every 5 rounds; on a ring of 5 figures arrive in 2 rounds, and the decision in 2 more. */
const settings: TrainingSettings = {
  algorithm: dpsgd,
  seed: 1,
  batchSize: 4,
  rounds: 400,
  finalRounds: 3,
  rate: () => 0.02,
  timeout: timeLimit(20_000),
  workers: peers,
  stop: { ...stopOn(topology), loss: 4 }
}

type World = typeof inSimulator
const options = { topology, seed: 1, length }

/** The round with which training ends, why, the rounds in all, and the hash of the model of each peer. */
async function ends(world: World, saved?: ReadonlyMap<PeerName, Saved>, given = settings) {
  const all = new Map<PeerName, readonly unknown[]>()
  await world(options, async (fabric) => {
    const { self } = fabric
    const state = saved?.get(self)
    const task = taskOf(self)
    const session = state === undefined ? new Session(fabric, task, given) : Session.resume(fabric, task, given, state)
    let end: readonly unknown[] = [undefined, undefined]
    let rounds = 0
    let model = hashVector(session.parameters)
    for await (const { round, ends: reason, parameters } of session.steps()) {
      if (reason !== undefined) end = [round, reason]
      rounds++
      model = hashVector(parameters)
    }
    all.set(self, [...end, rounds, model])
  })
  return peers.map((peer) => [peer, ...(all.get(peer) ?? [])])
}

/** Checkpoints of all peers before a round. */
async function checkpoints(world: World, round: number, given = settings): Promise<ReadonlyMap<PeerName, Saved>> {
  const all = new Map<PeerName, Saved>()
  await world(options, async (fabric) => {
    const session = new Session(fabric, taskOf(fabric.self), given)
    for await (const step of session.steps(round)) void step
    const { tree, vectors } = session.checkpoint()
    all.set(fabric.self, { tree, vectors: new Map([...vectors].map(([key, vector]) => [key, vector.slice()])) })
  })
  return all
}

test.serial('all end training in the same round, with the same bits in both worlds', async (t) => {
  t.timeout(timeLimit(60_000))
  const simulated = await ends(inSimulator)
  t.deepEqual(await ends(overLibp2p), simulated)
  const found = new Set(simulated.map(([, round, reason, rounds]) => `${round}: ${reason}; ${rounds} rounds`))
  t.deepEqual(found, new Set(["23: the peers' median loss is 3.87, and 4 is low enough; 27 rounds"]))
})

test('a run that is resumed while the peers agree, or once they have, ends with the same bits', async (t) => {
  const models = async (round: number) =>
    (await ends(inSimulator, await checkpoints(inSimulator, round))).map(([peer, end, , , model]) => [peer, end, model])
  const whole = await models(0)
  for (const round of [20, 21, 23]) t.deepEqual(await models(round), whole, `from round ${round}`)
  const over = await models(24)
  t.deepEqual(
    over,
    whole.map(([peer, , model]) => [peer, undefined, model]),
    'training was over'
  )
})

test('patience counts the evaluations of the run, also of those before a checkpoint', async (t) => {
  const given = { ...settings, rate: () => 0, stop: { ...stopOn(topology), loss: undefined, patience: 3 } }
  for (const round of [0, 8, 17]) {
    const all = await ends(inSimulator, await checkpoints(inSimulator, round, given), given)
    t.deepEqual(new Set(all.map(([, end]) => end)), new Set([23]), `from round ${round}`)
  }
})

test('an algorithm whose peers count their own rounds is refused, and a task without the figure', async (t) => {
  const refused = (given: Partial<TrainingSettings>) =>
    t.throwsAsync(ends(inSimulator, undefined, { ...settings, ...given }), { instanceOf: InputError })
  const adPsgd = algorithms.find(({ name }) => name === 'ad-psgd')
  t.regex((await refused({ algorithm: adPsgd }))?.message ?? '', /^stop: AD-PSGD is asynchronous: each peer counts/)
  const accuracy = { ...stopOn(topology), accuracy: 0.5 }
  t.regex((await refused({ stop: accuracy }))?.message ?? '', /^stop\.accuracy: the task has no accuracy/)
})

test('what no peer says about the end is its fault, and changes nothing', async (t) => {
  const models = new Map<PeerName, string>()
  const [liar] = peers
  const wrong: readonly (readonly number[])[] = [[Number.NaN], [-1, 0, 0], [7, 0, 0], [9, 7, 0], [9, 0, Infinity], [9]]
  let count = 0
  const complete = createTopology({ peers, graph: { kind: 'complete' } })
  const given = { ...settings, rate: () => 0, stop: { ...stopOn(complete), loss: undefined, patience: 2 } }
  const { rejected } = await simulated({ ...options, topology: complete }, async (plain) => {
    const { self } = plain
    // Of all messages only those about the end have numbers here.
    const lies = fabricWith(plain, {
      send: (to, message) => {
        const { numbers = [] } = message
        if (numbers.length === 0) return plain.send(to, message)
        return plain.send(to, { ...message, part: count % 2, numbers: wrong[count++ % wrong.length] })
      }
    })
    const session = new Session(self === liar ? lies : plain, taskOf(self), given)
    for await (const { ends: reason, round, parameters } of session.steps()) {
      if (reason !== undefined) t.is(round, 16)
      models.set(self, hashVector(parameters))
    }
  })
  t.deepEqual([...rejected.keys()], [liar])
  t.true((rejected.get(liar) ?? 0) >= wrong.length)
  t.is(models.size, peers.length)
})

test('a slow peer ends its last round, though most others have skipped all that are left', async (t) => {
  const gradient = (peer: PeerName) => (peer === 'p1' ? 700 : 50)
  const { books, ended } = await runMembers({ peers: 12, rounds: 300, finalRounds: 60, stopsAt: 10_000, gradient })
  t.deepEqual([...new Set(ended.values())], [41])
  t.deepEqual(
    [...books.values()].map(({ life }) => life),
    Array(12).fill(1)
  )
})
