/** D-PSGD over libp2p, to its end, with a neighbour in the peer list that sends everything but what it should. */
import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dpsgd, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type Fabric, type PeerName, peerName, type Task } from '@murmuration/core'
import {
  createIdentity,
  createPeer,
  type Identity,
  type Peer,
  type PeerEvent,
  writeIdentity
} from '@murmuration/libp2p'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import type { VectorMessage } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from './command.js'
import { root } from '../repository.js'
import { inSimulator } from '../worlds.js'

const [a, b, c, m] = ['a', 'b', 'c', 'm'].map(peerName)
const honest = [a, b, c]
const topology = createTopology({ peers: [...honest, m], graph: { kind: 'complete' } })
const dimension = 50
const seed = 3

/** Ten times the number of attacks: one that arrives when a peer has no room is not noticed, and is repeated. */
const rounds = 160

/** Resolves when each victim has seen more attacks than this. The first is to leave, so that the others do not wait. */
type Attacked = (count: number) => Promise<void>

/**
 * Trains to the end. Each round begins after another attack: so the attacks happen during training, and the peers
 * process what was sent.
 */
async function trained(fabric: Fabric<VectorMessage>, attacked: Attacked = () => Promise.resolve()) {
  const task: Task = createQuadraticTask({ peers: honest, self: fabric.self, seed, dimension })
  const original = task.gradient.bind(task)
  const gradient: Task['gradient'] = (parameters, batch, round = 0) => {
    const work = original(parameters, batch, round)
    return { ...work, run: () => attacked(round).then(() => work.run()) }
  }
  const options = {
    seed,
    batchSize: 4,
    rounds,
    finalRounds: 5,
    rate: () => 0.4,
    // The last round waits this long for what the neighbour still owes, and is attacked meanwhile.
    timeout: timeLimit(4_000)
  }
  const run = { ...options, algorithm: dpsgd, workers: topology.peers }
  const steps = train(fabric, Object.assign(task, { gradient }), run)
  for (;;) {
    const step = await steps.next()
    if (step.done) return { x: step.value, loss: (await task.evaluate(step.value).run()).loss }
  }
}

/** The result of the honest peers when the fourth sends nothing at all. */
async function besideSilence() {
  const ends = new Map<PeerName, Float32Array>()
  await inSimulator({ topology, seed, length: dimension }, async (fabric) => {
    if (fabric.self !== m) ends.set(fabric.self, (await trained(fabric)).x)
  })
  return ends
}

/** Starts the hostile neighbour. Its attacks are waited for until all kinds of faults were counted. */
async function mallory(
  t: ExecutionContext,
  identity: Identity,
  victims: readonly string[],
  areAllCounted: () => boolean
) {
  const file = join(await temporaryFolder(), 'm.key')
  await writeIdentity(file, identity)
  const child = fork(join(root, 'packages/libp2p/dist/processes/hostile-neighbour.test.support.js'))
  t.teardown(() => child.kill('SIGKILL'))
  const attacks = new Map(victims.map((victim) => [victim, 0]))
  const changed = new EventEmitter().setMaxListeners(0)
  child.on('message', ({ victim, made }: { victim: string; made: number }) => {
    attacks.set(victim, made)
    changed.emit('attack')
  })
  child.send({ name: m, key: await readFile(file, 'utf8'), victims })
  const attacked: Attacked = async (count) => {
    while (Math.min(...attacks.values()) <= count && !areAllCounted()) await once(changed, 'attack')
    // The last round waits for long: further attacks in all that time show nothing more.
    if (areAllCounted()) child.send('slowly')
  }
  return { attacked, go: () => child.send('go') }
}

/** An honest peer that lets every peer try again at once. */
async function honestPeer(t: ExecutionContext, self: PeerName, events: PeerEvent[]) {
  const peer = await createPeer({
    self,
    identity: await createIdentity(),
    topology,
    seed,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'test' }, schema: [{ name: 'x', shape: [dimension] }], start: 'same' },
    limits: { initialShutOut: 1, maxShutOut: 1, maxBackoff: 200 },
    onEvent: (event) => events.push(event)
  })
  t.teardown(() => peer.close())
  return peer
}

const kinds = ['codec', 'flood', 'gap', 'length', 'magic', 'message', 'not-finite', 'protocol', 'range'] as const

/** The faults of another peer that a peer has counted. */
const faultsOf = (peer: Peer, other: PeerName) => peer.neighbours().find(({ name }) => name === other)?.faults
const lackingAt = (peer: Peer) => kinds.filter((kind) => faultsOf(peer, m)?.kinds[kind] === undefined)

test('D-PSGD trains to its end next to a neighbour that sends wrong frames and floods, with the same bits as next to a silent one', async (t) => {
  const events: PeerEvent[] = []
  const identity = await createIdentity()
  const peers = await Promise.all(honest.map((self) => honestPeer(t, self, events)))
  const entries = peers.map(({ id, addresses }, place) => ({ name: honest[place], id, addresses }))
  const peerList = [...entries, { name: m, id: identity.id, addresses: [] }]
  const victims = peers.map(({ addresses }) => addresses[0])
  const areAllCounted = () => peers.every((peer) => lackingAt(peer).length === 0)
  const { attacked, go } = await mallory(t, identity, victims, areAllCounted)
  await Promise.all(peers.map((peer) => peer.connect(peerList, timeLimit(20_000))))
  go()
  while (events.filter(({ kind }) => kind === 'left').length < peers.length) await delay(5)
  const ends = await Promise.all(peers.map(({ fabric }) => trained(fabric, attacked)))

  const expected = await besideSilence()
  for (const [place, { x, loss }] of ends.entries()) {
    t.deepEqual(x, expected.get(honest[place]))
    t.true(loss < 1e-9, `${loss}`)
  }
  const bad = events.flatMap((event) => (event.kind === 'bad-frame' ? event.peer : []))
  t.deepEqual([...new Set(bad)], [m])
  for (const peer of peers) {
    t.deepEqual(lackingAt(peer), [])
    t.deepEqual(
      honest.filter((other) => (faultsOf(peer, other)?.cutOff ?? 0) > 0),
      []
    )
  }
})
