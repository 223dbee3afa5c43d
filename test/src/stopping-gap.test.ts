/** Peers that end training once their duality gap is small enough: in both worlds, when resumed, and in epochs. */
import {
  type Algorithm,
  algorithms,
  ElasticSession,
  gapOf,
  Members,
  type Saved,
  Session,
  type StopSettings,
  type TrainingSettings
} from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import {
  type GapPart,
  type Milliseconds,
  type PeerName,
  peerName,
  type StepReport,
  type Topology
} from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createSvmTaskSet } from '@murmuration/tasks'
import { contraction, createTopology, roundsToReachAll } from '@murmuration/topology'
import { hashVector } from '@murmuration/vectors'
import { vectorWire } from '@murmuration/wire'
import test from 'ava'
import { inSimulator, overLibp2p } from './worlds.js'

const peers = ['a', 'b', 'c', 'd', 'e'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'ring' } })
/** Six inputs and the bias. */
const length = 7
const every = 5
const tasks = createSvmTaskSet({
  localData: {
    peers,
    partition: { kind: 'equal' },
    seed: 1,
    data: { kind: 'gaussians', samples: 330, features: 6 },
    testFraction: 0.1
  },
  loss: 'hinge',
  l2: 0.1
})

const stopOn = (graph: Topology, gap: number): StopSettings => ({
  gap,
  every,
  hops: roundsToReachAll(graph),
  contraction: contraction(graph).perRound
})

const settings: TrainingSettings = {
  algorithm: algorithms.find(({ name }) => name === 'cola') as Algorithm,
  options: { passes: 1 },
  seed: 1,
  batchSize: 1,
  rounds: 200,
  finalRounds: 3,
  rate: () => 1,
  timeout: timeLimit(20_000),
  workers: peers,
  stop: stopOn(topology, 0.05)
}

type World = typeof inSimulator

/** What one peer reported: its parts of the gap by round, the round with which training ended, why, and the model. */
interface End {
  readonly parts: ReadonlyMap<number, GapPart>
  readonly round: number | undefined
  readonly reason: string | undefined
  readonly model: string
}

async function endOf(session: Pick<Session, 'parameters'>, steps: AsyncIterable<StepReport>): Promise<End> {
  const parts = new Map<number, GapPart>()
  let end: Pick<End, 'round' | 'reason'> = { round: undefined, reason: undefined }
  let model = hashVector(session.parameters)
  for await (const { round, ends, gapPart, parameters } of steps) {
    if (gapPart !== undefined) parts.set(round, gapPart)
    if (ends !== undefined) end = { round, reason: ends }
    model = hashVector(parameters)
  }
  return { ...end, parts, model }
}

async function ends(world: World, saved?: ReadonlyMap<PeerName, Saved>, given = settings): Promise<readonly End[]> {
  const { of } = await tasks
  const all = new Map<PeerName, End>()
  await world({ topology, seed: 1, length }, async (fabric) => {
    const { self } = fabric
    const state = saved?.get(self)
    const session =
      state === undefined ? new Session(fabric, of(self), given) : Session.resume(fabric, of(self), given, state)
    all.set(self, await endOf(session, session.steps()))
  })
  return peers.flatMap((peer) => all.get(peer) ?? [])
}

/** Checkpoints of all peers before a round. */
async function checkpoints(round: number): Promise<ReadonlyMap<PeerName, Saved>> {
  const { of } = await tasks
  const all = new Map<PeerName, Saved>()
  await inSimulator({ topology, seed: 1, length }, async (fabric) => {
    const session = new Session(fabric, of(fabric.self), settings)
    for await (const step of session.steps(round)) void step
    const { tree, vectors } = session.checkpoint()
    all.set(fabric.self, { tree, vectors: new Map([...vectors].map(([key, vector]) => [key, vector.slice()])) })
  })
  return all
}

/** The duality gap by the parts that the peers reported of a round. */
function reportedGap(all: readonly End[], round: number, graph: Topology): number {
  const parts = all.flatMap((end) => end.parts.get(round) ?? [])
  return parts.length === graph.peers.length ? gapOf(parts, contraction(graph).perRound) : Number.NaN
}

const outcomes = (all: readonly End[]) => all.map(({ round, reason, model }) => [round, reason, model])

test.serial('all end in the first round in which their gap is known to be small, with the same bits', async (t) => {
  t.timeout(timeLimit(60_000))
  const simulated = await ends(inSimulator)
  t.deepEqual(outcomes(await ends(overLibp2p)), outcomes(simulated))
  const evaluated = [...simulated[0].parts.keys()].filter((round) => (round + 1) % every === 0)
  const found = evaluated.find((round) => reportedGap(simulated, round, topology) <= 0.05) ?? Number.NaN
  t.true(found > 2 * every, `${found}`)
  // The figures arrive in two rounds, and the decision in two more.
  t.deepEqual(new Set(simulated.map(({ round }) => round)), new Set([found + 4]))
  const gap = Number(reportedGap(simulated, found, topology).toPrecision(3))
  const reasons = new Set(simulated.map(({ reason }) => reason))
  t.deepEqual(reasons, new Set([`the duality gap is ${gap}, and 0.05 is small enough`]))
})

test('a gap beside a loss: the first that holds ends training', async (t) => {
  const [{ reason }] = await ends(inSimulator, undefined, { ...settings, stop: { ...stopOn(topology, 1e-9), loss: 5 } })
  t.regex(reason ?? '', /^the peers' median loss is /)
  const [other] = await ends(inSimulator, undefined, { ...settings, stop: { ...stopOn(topology, 0.05), loss: 0 } })
  t.regex(other.reason ?? '', /^the duality gap is /)
})

test('a run that is resumed at any round ends in the same one by the gap, with the same bits', async (t) => {
  const whole = outcomes(await ends(inSimulator))
  const [[last]] = whole as number[][]
  // Before the round that is evaluated, while its figures travel, and while the decision does.
  for (const round of [last - 9, last - 4, last - 3, last - 2, last - 1])
    t.deepEqual(outcomes(await ends(inSimulator, await checkpoints(round))), whole, `from round ${round}`)
})

test('an algorithm without a duality gap is refused, and a gap without what it depends on', async (t) => {
  const dpsgd = algorithms.find(({ name }) => name === 'dpsgd') as Algorithm
  const refused = async (given: Partial<TrainingSettings>) =>
    (await t.throwsAsync(ends(inSimulator, undefined, { ...settings, ...given })))?.message
  t.is(
    await refused({ algorithm: dpsgd, options: {} }),
    'stop: D-PSGD has no duality gap; omit gap, or choose an algorithm that has one: cola'
  )
  t.regex((await refused({ stop: { gap: 1, every, hops: 2 } })) ?? '', /^stop\.contraction: found none/)
})

/** A run in epochs, in which c crashes: the ends of those that are left, and when they ended each round. */
async function endsWithout(at: Milliseconds) {
  const { of } = await tasks
  const all = new Map<PeerName, End & { readonly x: Float32Array }>()
  const times = new Map<number, Milliseconds>()
  const everyone: Topology = { ...topology, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const faults = { rules: [], events: [{ at, kind: 'crash', peer: peerName('c') }] } as const
  const shared = { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), faults }
  await simulate({ ...shared, cost: ({ samples }) => samples / 10 }, async (fabric) => {
    const { self } = fabric
    const wait = { start: 60_000, pause: 60_000 }
    const members = new Members(fabric, { topology: everyone, signer: trustingSigner, wait })
    const on = (graph: Topology) => ({ stop: stopOn(graph, 0.05) })
    const given = { ...settings, timeout: 2000, finalRounds: 60, members, epochs: { topology, areEqual: false, on } }
    const session = new ElasticSession(fabric, of(self), given)
    async function* noted() {
      for await (const step of session.steps()) {
        times.set(step.round, fabric.now())
        yield step
      }
    }
    const end = await endOf(session, noted())
    all.set(self, { ...end, x: session.parameters.slice() })
    members.end()
  })
  return { all: peers.flatMap((peer) => all.get(peer) ?? []), times }
}

test('those that are left in a new epoch end by their own gap; what was decided of models that are lost is void', async (t) => {
  const whole = await endsWithout(1e9)
  const last = whole.all[0].round ?? Number.NaN
  const left = createTopology({ peers: peers.filter((peer) => peer !== 'c'), graph: { kind: 'ring' } })
  // In the first case before any decision, in the second before the round with which training would have ended.
  for (const round of [last - 10, last - 2]) {
    const { all } = await endsWithout((whole.times.get(round) ?? Number.NaN) + 1)
    t.is(all.length, 4)
    const [{ round: end = Number.NaN, reason }] = all
    for (const each of all) t.like(each, { round: end, reason })
    t.true(end > last, `${end}, with all ${last}`)
    const gap = reportedGap(all, end - 2 * roundsToReachAll(left), left)
    t.is(reason, `the duality gap is ${Number(gap.toPrecision(3))}, and 0.05 is small enough`)
  }
})

test('a peer that is lost after training takes nothing of the model with it', async (t) => {
  const { union } = await tasks
  const whole = await endsWithout(1e9)
  const averaging = [...whole.times.keys()].filter((round) => round >= settings.rounds)
  const ended = whole.times.get(whole.all[0].round ?? -1) ?? Number.NaN
  // While some train their last round, in final averaging, and when all of that is over.
  for (const at of [ended - 5, whole.times.get(averaging[30]) ?? 0, (whole.times.get(averaging[59]) ?? 0) - 5]) {
    const { all } = await endsWithout(at)
    t.is(all.length, 4)
    for (const { x } of all) t.true((await union.evaluate(x).run()).loss < 0.2, `${at}: ${x}`)
  }
})
