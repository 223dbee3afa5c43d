/**
 * Checkpoints with codecs that build on what was sent before: a run that continues from them has the bits of an
 * uninterrupted one.
 */
import { dpsgd, type Saved, Session } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type Fabric, type PeerName, peerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import { bodyOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { pullingTask } from './pulling-task.js'
import { inSimulator, overLibp2p } from './worlds.js'

const peers = ['p0', 'p1', 'p2', 'p3'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'ring' } })
const length = 300

const settings = {
  algorithm: dpsgd,
  seed: 1,
  batchSize: 4,
  rounds: 12,
  finalRounds: 3,
  rate: () => 0.2,
  timeout: timeLimit(20_000),
  workers: peers
}

/** A saved session whose vectors stay valid after the next step; `structuredClone` does not copy shared memory. */
function copyOf({ tree, vectors }: Saved): Saved {
  return { tree, vectors: new Map([...vectors].map(([name, numbers]) => [name, numbers.slice()])) }
}

async function finish(session: Session, ends: Map<PeerName, Float32Array>, self: PeerName): Promise<void> {
  for await (const { parameters } of session.steps()) ends.set(self, parameters.slice())
}

for (const [name, world] of [
  ['simulator', inSimulator],
  ['libp2p', overLibp2p]
] as const) {
  for (const codec of ['int8', 'int4', 'delta-int4', 'top-k:0.05']) {
    test.serial(`${name}: ${codec}: checkpoints of round 5 continue in a new run, with the same bits`, async (t) => {
      const options = { topology, seed: 11, length, codec }
      const checkpoints = new Map<PeerName, Saved>()
      const whole = new Map<PeerName, Float32Array>()
      const resumed = new Map<PeerName, Float32Array>()
      await world(options, async (fabric: Fabric<VectorMessage>) => {
        const { self } = fabric
        const session = new Session(fabric, pullingTask(peers, self, length), settings)
        for await (const { round } of session.steps(5)) t.true(round < 5)
        checkpoints.set(self, copyOf(session.checkpoint()))
        await finish(session, whole, self)
      })
      await world(options, async (fabric: Fabric<VectorMessage>) => {
        const { self } = fabric
        const saved = checkpoints.get(self) as Saved
        await finish(Session.resume(fabric, pullingTask(peers, self, length), settings, saved), resumed, self)
      })
      for (const peer of peers) {
        t.deepEqual(bodyOf(resumed.get(peer) as Float32Array), bodyOf(whole.get(peer) as Float32Array), peer)
      }
    })
  }
}

test('after a round, a session has the state from before it, until the next step', async (t) => {
  const world = { topology, seed: 11, length }
  const whole = new Map<PeerName, Float32Array>()
  const resumed = new Map<PeerName, Float32Array>()
  const saved = new Map<PeerName, Saved>()
  await inSimulator(world, async (fabric) => {
    const { self } = fabric
    const session = new Session(fabric, pullingTask(peers, self, length), settings)
    t.is(session.previousCheckpoint(), undefined)
    session.keepsBeginnings = true
    // Two have ended one round more than the others.
    const ahead = peers.indexOf(self) < 2
    for await (const { round } of session.steps()) {
      if (round === 5 && !ahead) saved.set(self, copyOf(session.checkpoint()))
      if (round === 6 && ahead) saved.set(self, copyOf(session.previousCheckpoint() as Saved))
      whole.set(self, session.parameters.slice())
    }
    t.is(session.previousCheckpoint(), undefined)
  })
  await inSimulator(world, async (fabric) => {
    const task = pullingTask(peers, fabric.self, length)
    const session = Session.resume(fabric, task, settings, saved.get(fabric.self) as Saved)
    t.is(session.round, 6)
    await finish(session, resumed, fabric.self)
  })
  for (const peer of peers) t.deepEqual(resumed.get(peer), whole.get(peer), peer)
})
