import { dpsgd, Session } from '@murmuration/algorithms'
import { sin, type Fabric, fabricWith, type PeerName, peerName, type Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { vectorLength } from './exchanging.js'
import type { FabricWorld } from './fabric-world.js'
import { ring } from './graphs.js'
import type { TestFunction } from './test-function.js'
import { timeLimit } from './time-limit.js'

const peers = ['p0', 'p1', 'p2', 'p3'].map(peerName)
const rounds = 24
/** Messages from p0 to p1 are held back from this round on. */
const firstHeld = 3
/** The first round after that in which they pass. */
const firstFree = 9

/** What edges promise in a world where links delay: the sum over the peers is unchanged, and no debt is left. */
export function testEdges(test: TestFunction, world: FabricWorld): void {
  test(`${world.name}: D-PSGD keeps the sum over the peers while one direction of a link is blocked`, async (t) => {
    const topology = ring(...peers)
    const models = new Map<PeerName, readonly number[]>()
    const sessions = new Map<PeerName, Session>()
    let missed = 0
    await world.run(topology, async (original) => {
      const fabric = original.self === peers[0] ? holding(original) : original
      const session = sessionOf(fabric)
      sessions.set(fabric.self, session)
      for await (const { missing, parameters } of session.steps()) {
        missed += missing.length
        models.set(fabric.self, Array.from(parameters))
      }
      const isOver = () => models.size === peers.length && [...sessions.values()].every(isSettled)
      const limit = fabric.now() + timeLimit(20_000)
      while (!isOver() && fabric.now() < limit) await session.edges.answer(fabric.now() + 20)
      // A peer that still answers needs a moment more.
      await session.edges.answer(fabric.now() + 100)
    })
    t.true(missed > 0, 'a peer continued without another')
    for (const [peer, session] of sessions) t.deepEqual(session.edges.owing, [], `${peer} owes`)
    for (let d = 0; d < vectorLength; d++) {
      const moved = peers.reduce((sum, peer) => sum + (models.get(peer)?.[d] ?? Number.NaN) - startOf(peer)[d], 0)
      // Numbers below 4 are rounded to float32 at most three times a round.
      t.true(Math.abs(moved) < 3 * peers.length * rounds * 2 ** -23, `Σ x[${d}] moved by ${moved}`)
    }
  })
}

function isSettled(session: Session): boolean {
  return session.round === rounds && session.edges.owing.length === 0
}

/** Gradients that pull neighbours apart, and sum to 0. */
function sessionOf(fabric: Fabric<VectorMessage>): Session {
  const vector = () => new Float32Array(vectorLength).fill(peers.indexOf(fabric.self) % 2 === 0 ? 1 : -1)
  const task: Task = {
    schema: [{ name: 'x', shape: [vectorLength] }],
    samples: 1,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: vector }),
    gradient: () => ({ kind: 'gradient', samples: 1, run: () => ({ loss: 0, vector: vector() }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 1, run: () => ({ loss: 0 }) })
  }
  const settings = { algorithm: dpsgd, seed: 1, batchSize: 1, rounds, rate: () => 0.125, timeout: timeLimit(200) }
  return new Session(fabric, task, { ...settings, workers: peers }, () => startOf(fabric.self))
}

function startOf(peer: PeerName): Float32Array {
  return Float32Array.from({ length: vectorLength }, (_, d) => sin(1 + peers.indexOf(peer) * vectorLength + d))
}

/**
 * Holds back messages to p1 from round `firstHeld` until the first message of round `firstFree`; then sends all in
 * order.
 */
function holding(fabric: Fabric<VectorMessage>): Fabric<VectorMessage> {
  let held: VectorMessage[] | undefined
  let isOver = false
  return fabricWith(fabric, {
    send: (to, message) => {
      if (message.round >= firstFree) isOver = true
      if (isOver) for (const heldMessage of held?.splice(0) ?? []) fabric.send(peers[1], heldMessage)
      if (to !== peers[1] || message.round < firstHeld || isOver) return fabric.send(to, message)
      held = [...(held ?? []), { ...message, vector: message.vector.slice() }]
      return 'queued'
    }
  })
}
