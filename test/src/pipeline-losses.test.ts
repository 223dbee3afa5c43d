/** Models in stages whose peers are lost: other peers of the stage take their places in the lines. */
import {
  type Algorithm,
  algorithms,
  type ElasticSettings,
  type EpochBeginning,
  Members,
  type PipelineSettings,
  train
} from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type Fabric, type Milliseconds, NeighboursMissingError, type PeerName, peerName } from '@murmuration/core'
import { type StageTask, StoppedError } from '@murmuration/core'
import { createIdentity, createPeer, type Peer } from '@murmuration/libp2p'
import { type Signer, trustingSigner } from '@murmuration/membership'
import { type FaultEvent, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { alone, createTopology, linesOf, unionOf } from '@murmuration/topology'
import { bodyOf } from '@murmuration/vectors'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { caseOf } from './algorithm-cases.js'
import { namesOf, stageCount, taskOf } from './line-tasks.js'

const lineCount = 2
const rounds = 12
const day = 86_400_000
const peers = namesOf(lineCount)
const lines = linesOf(peers, stageCount)
const stages = lines[0].map((_, stage) => {
  const replicas = lines.map((line) => line[stage])
  return replicas.length === 1 ? alone(replicas[0]) : createTopology({ peers: replicas, graph: { kind: 'complete' } })
})
const topology = unionOf(stages)
const members = { peers, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
const pipeline: PipelineSettings = { schedule: '1f1b', splitSize: 2, lines }
const recordOf = (name: string) => algorithms.find((record) => record.name === name) as Algorithm
const placeOf = (peer: PeerName) => {
  const line = lines.findIndex((each) => each.includes(peer))
  return { line, stage: lines[line].indexOf(peer) }
}

interface Losing {
  readonly algorithm: Algorithm
  readonly more?: Partial<ElasticSettings>
  /** How long the peers wait in a pause. */
  readonly pause?: Milliseconds
}

/** What the peers have done. */
class Survival {
  readonly models = new Map<PeerName, Float32Array>()
  readonly epochs = new Map<PeerName, EpochBeginning['epoch'][]>()
  readonly failures = new Map<PeerName, unknown>()
  readonly #losing: Losing
  readonly #ended = new Map<PeerName, number>()

  constructor(losing: Losing) {
    this.#losing = losing
  }

  /** Trains one peer. `onRound` is awaited after each round. */
  async train(
    fabric: Fabric<VectorMessage>,
    signer: Signer,
    onRound?: (round: number) => Promise<void> | void
  ): Promise<void> {
    const { self } = fabric
    const { algorithm, more, pause = day } = this.#losing
    const { line, stage } = placeOf(self)
    const task = (await (await taskOf(lineCount, line)).stages?.of(stage, stage + 1)) as StageTask
    const epochs: EpochBeginning['epoch'][] = []
    this.epochs.set(self, epochs)
    const wait = { start: day, pause }
    const swarm = new Members(fabric, { topology: members, signer, wait })
    const settings: ElasticSettings = {
      algorithm,
      options: caseOf(algorithm.name).options,
      seed: 1,
      batchSize: 8,
      rounds,
      rate: (k) => 0.3 / (1 + k),
      timeout: timeLimit(20_000),
      workers: stages[stage].peers,
      pipeline,
      members: swarm,
      epochs: {
        topology: stages[stage],
        areEqual: algorithm.keeps === 'equality',
        before: ({ epoch }) => void epochs.push(epoch)
      },
      ...more
    }
    try {
      for await (const { round, parameters } of train(fabric, task, settings)) {
        this.#ended.set(self, round)
        this.models.set(self, parameters.slice())
        await onRound?.(round)
      }
    } catch (error) {
      if (!(error instanceof NeighboursMissingError)) throw error
      this.failures.set(self, error)
    } finally {
      swarm.leave()
    }
  }

  /** Whether all have ended a round. */
  haveEnded(round: number): boolean {
    return peers.every((name) => (this.#ended.get(name) ?? -1) >= round)
  }

  /** The models of a line's peers, one after the other, of whom some may be others'. */
  modelOf(line: readonly PeerName[]): Float32Array {
    return Float32Array.from(line.flatMap((peer) => [...(this.models.get(peer) as Float32Array)]))
  }
}

/** In the simulator a pass takes some milliseconds; `onRound` is called with the time. */
async function inSimulator(
  losing: Losing,
  events: readonly FaultEvent[] = [],
  onRound?: (survival: Survival, round: number, now: Milliseconds) => void
): Promise<Survival> {
  const survival = new Survival(losing)
  const cost = ({ kind }: { readonly kind: string }) => (kind === 'forward' || kind === 'backward' ? 10 : 0)
  const wire = { ...vectorWire, ...weighed(5000) }
  const faults = { ...noFaults, events }
  await simulate({ topology, seed: 1, wire, links: uniformLinks({ latency: 5 }), cost, faults }, (fabric) =>
    survival.train(fabric, trustingSigner, (round) => onRound?.(survival, round, fabric.now()))
  )
  return survival
}

/** When all have ended a round. */
async function endOf(losing: Losing, round: number): Promise<Milliseconds> {
  let end = Number.POSITIVE_INFINITY
  await inSimulator(losing, [], (survival, _, now) => {
    if (survival.haveEnded(round)) end = Math.min(end, now)
  })
  return end
}

/** Some die once all have ended a round. */
async function overLibp2p(
  t: ExecutionContext,
  losing: Losing,
  dying: readonly PeerName[],
  last: number
): Promise<Survival> {
  const survival = new Survival(losing)
  const all = await Promise.all(peers.map((self) => startPeer(t, self)))
  const peerList = all.map(({ id, addresses }, place) => ({ name: peers[place], id, addresses }))
  for (const peer of all) peer.meet(peerList)
  const trained = async (peer: Peer) => {
    const { fabric, signer } = peer
    const dies = async (ended: number) => {
      if (ended !== last) return
      while (!survival.haveEnded(ended)) await fabric.sleep(fabric.now() + 5)
      peer.stop()
    }
    const isDying = dying.includes(fabric.self)
    try {
      await survival.train(fabric, signer, isDying ? dies : undefined)
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
    if (isDying) await peer.close()
  }
  await Promise.all(all.map(trained))
  return survival
}

async function startPeer(t: ExecutionContext, self: PeerName): Promise<Peer> {
  const peer = await createPeer({
    self,
    identity: await createIdentity(),
    topology,
    reach: 'everyone',
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'test' }, schema: [{ name: 'x', shape: [5000] }], start: 'same' }
  })
  t.teardown(() => peer.close())
  return peer
}

function assertNear(t: ExecutionContext, found: Float32Array, expected: Float32Array, limit: number) {
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const worst = expected.reduce((most, value, k) => Math.max(most, Math.abs(value - found[k])), 0)
  t.true(worst <= limit * largest, `${worst}, the largest is ${largest}`)
}

const [p0, p1, p2, p3, p4, p5] = peers.map(String).map(peerName)
const crash = (peer: PeerName, at: Milliseconds): FaultEvent => ({ kind: 'crash', peer, at })

for (const name of ['all-reduce', 'dpsgd'])
  test.serial(`${name}: where a stage's peer dies another trains for both lines, in both worlds`, async (t) => {
    t.timeout(timeLimit(60_000))
    const algorithm = recordOf(name)
    const losing = { algorithm, more: { clip: 1, weightDecay: 0.01 } }
    const round = 4
    const whole = await inSimulator(losing)
    const lost = await inSimulator(losing, [crash(p1, (await endOf(losing, round - 1)) + 1)])
    const others = peers.filter((peer) => peer !== p1)
    for (const peer of others)
      t.deepEqual(
        lost.epochs.get(peer)?.map((epoch) => [epoch.round, epoch.members.map((member) => member.name)]),
        [[round, others]]
      )
    // p4 has served the line of p1 as well as its own, so that no sample is lost.
    if (algorithm.keeps === 'equality') assertNear(t, lost.modelOf([p0, p4, p2]), whole.modelOf(lines[0]), 2e-6)
    const real = await overLibp2p(t, losing, [p1], round - 1)
    // Peers of D-PSGD may be a round apart when they hear of the death.
    for (const peer of others) t.true(real.models.get(peer)?.every(Number.isFinite), peer)
    for (const peer of name === 'all-reduce' ? others : [])
      t.is(
        Buffer.compare(bodyOf(real.models.get(peer) as Float32Array), bodyOf(lost.models.get(peer) as Float32Array)),
        0,
        peer
      )
  })

test.serial('a peer may serve both lines in each stage, its own data those of a lost first peer', async (t) => {
  const losing = { algorithm: recordOf('all-reduce') }
  const at = await endOf(losing, 2)
  const events = [crash(p0, at + 3), crash(p1, at + 1500), crash(p5, at + 3000)]
  const { models, failures } = await inSimulator({ ...losing, more: { rounds: 200 } }, events)
  t.is(failures.size, 0)
  for (const peer of [p2, p3, p4]) t.true(models.get(peer)?.every(Number.isFinite), peer)
})

test.serial('a stage without peers ends the run after the pause, which says so', async (t) => {
  const losing = { algorithm: recordOf('all-reduce'), pause: 5000 }
  const at = await endOf(losing, 2)
  const { failures } = await inSimulator(losing, [crash(p1, at + 3), crash(p4, at + 3)])
  t.deepEqual([...failures.keys()].sort(), [p0, p2, p3, p5])
  for (const error of failures.values()) t.regex(String(error), /nobody is left who trains stage 1 of the model/)
})

test.serial('a stage whose peers are frozen pauses the run, which continues with them', async (t) => {
  const losing = { algorithm: recordOf('all-reduce') }
  const at = await endOf(losing, 2)
  const freeze = (peer: PeerName): FaultEvent => ({ kind: 'freeze', peer, at: at + 3 })
  const thaw = (peer: PeerName): FaultEvent => ({ kind: 'thaw', peer, at: at + 30_000 })
  const { models, failures } = await inSimulator(losing, [freeze(p1), freeze(p4), thaw(p1), thaw(p4)])
  t.is(failures.size, 0)
  t.deepEqual(models.get(p1), models.get(p4))
  t.is(models.size, peers.length)
})
