/** Simulates a drawn run in epochs, or the same without membership. */
import {
  ElasticSession,
  type EpochSettings,
  Members,
  optionsOn,
  Session,
  type TrainingSettings
} from '@murmuration/algorithms'
import {
  type Fabric,
  fabricWith,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  type Task,
  type Topology
} from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import { Simulation, uniformLinks } from '@murmuration/simulator'
import { averagingRounds } from '@murmuration/topology'
import { codedWire, pooledVectorWire, type VectorMessage, weighed } from '@murmuration/wire'
import { watchingSessions } from './sessions-watch.js'
import { improving, stopOn } from '../member-swarm.js'
import type { DrawnRun } from './draw-epochs.js'
import { bitsOf, type EpochWatch, watchedStart } from './epoch-watch.js'

/** How a peer's last process has ended. */
export type ProcessEnd =
  | {
      readonly how: 'finished'
      readonly model: Float32Array
      /** The round with which training ended early, if it did while this process took part. */
      readonly ended?: number | undefined
    }
  | { readonly how: 'missed others'; readonly reason: string }
  | { readonly how: 'left' }

export interface EpochsEnd {
  /** A peer that has crashed, or never begun, has none. */
  readonly outcomes: ReadonlyMap<PeerName, ProcessEnd>
  /** When the training of each peer began. */
  readonly begun: ReadonlyMap<PeerName, Milliseconds>
  /** What was sent in training and computed, in order. */
  readonly events: readonly string[]
  /** Why the simulation has failed, if it did. */
  readonly error: string | undefined
  /** By peer, how many of its messages and notes others have rejected. */
  readonly rejected: ReadonlyMap<PeerName, number>
  readonly elapsed: Milliseconds
}

/** How long a peer waits for the others. */
const wait: Milliseconds = 60_000
/** Whatever happens, all is over by then. */
export const maxElapsed: Milliseconds = 1_200_000
/** Averaging ends after so many rounds, even where models are not nearly equal. */
export const maxFinalRounds = 400
/** What is left of the differences between models after averaging. */
const consensus = 1e-2
/** The first kind of the messages with which some runs close, beside their training. */
const firstClosingKind = 192

/** As in the simulator: with a codec, the sender keeps its own values. */
export function areEqualIn({ algorithm, codec }: DrawnRun): boolean {
  return algorithm.keeps === 'equality' && codec === 'float32'
}

/** Whether each peer counts its own rounds: then there is no averaging, and the run closes with the mean. */
export function hasOwnPace({ algorithm: { pace, answers, server, keeps } }: DrawnRun): boolean {
  const isAsked = answers !== undefined || server?.answers !== undefined
  return pace === 'own' || isAsked || (server !== undefined && keeps === 'nothing')
}

/** The rounds of averaging on a graph. */
export function finalRoundsOf(run: DrawnRun, graph: Topology): number {
  if (!run.isAveraged || areEqualIn(run) || hasOwnPace(run) || graph.peers.length === 1) return 0
  return Math.min(maxFinalRounds, averagingRounds(graph, run.rounds, consensus))
}

/** `f_i(x) = ½ Σ_d a_d (x_d − b_id)²`, with a little noise by sample. */
function taskOf(run: DrawnRun, fabric: Pick<Fabric<never>, 'self' | 'now'>): Task {
  const { self: peer } = fabric
  const [rows, columns] = run.shape
  const length = rows * columns + 1
  const random = createRandom(run.seed, `task of ${peer}`)
  const centre = Float64Array.from({ length }, (_, d) => 2 - d / length + 2 * random.uniform())
  const curvature = (d: number) => 0.4 + ((7 * d) % 5) / 8
  const gradientAt = (x: Float32Array, batch: Uint32Array) => {
    const offset = batch.reduce((sum, sample) => sum + (sample % 7) / 50, 0) / Math.max(1, batch.length)
    const distances = Array.from(x, (value, d) => value - centre[d] - offset)
    const loss = distances.reduce((sum, distance, d) => sum + (curvature(d) * distance ** 2) / 2, 0)
    return { loss, vector: Float32Array.from(distances, (distance, d) => curvature(d) * distance) }
  }
  const task: Task = {
    schema: [
      { name: 'w', shape: [rows, columns] },
      { name: 'b', shape: [1] }
    ],
    samples: run.samples(peer),
    about: {},
    initialise: () => ({
      kind: 'initialise',
      samples: 0,
      run: () => Float32Array.from({ length }, (_, d) => d / length)
    }),
    gradient: (x, batch) => ({ kind: 'gradient', samples: batch.length, run: () => gradientAt(x, batch) }),
    evaluate: (x) => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: gradientAt(x, new Uint32Array(0)).loss }) })
  }
  return run.stopsAt === undefined ? task : improving(task, fabric, run.stopsAt)
}

function settingsOf(run: DrawnRun): TrainingSettings {
  return {
    algorithm: run.algorithm,
    options: optionsOn(run.algorithm, run.topology, run.options, run.links),
    seed: run.seed,
    batchSize: 4,
    rounds: run.rounds,
    finalRounds: finalRoundsOf(run, run.topology),
    rate: (round) => 0.01 / (1 + round / 400),
    optimiser: run.optimiser,
    timeout: run.timeout,
    workers: run.topology.peers,
    servers: run.servers,
    ...(run.stopsAt !== undefined && { stop: { ...stopOn(run.topology), ...(run.servers.length > 0 && { hops: 2 }) } })
  }
}

/** Whether no fault happens. */
export function isUndisturbed({ events, quits, notes: { lost, late, again, undecided } }: DrawnRun): boolean {
  return events.length + quits.size + lost + late + again + undecided === 0
}

/** A simulation of all peers and servers. */
function simulationOf(
  run: DrawnRun,
  watch: EpochWatch | undefined,
  events: string[],
  program: (fabric: Fabric<VectorMessage>) => Promise<void>
): Simulation<VectorMessage> {
  const [rows, columns] = run.shape
  const elements = rows * columns + 1
  const { seed, topology, servers } = run
  const coding = { codec: run.codec, elements, random: (peer: PeerName) => createRandom(seed, peer) }
  const pooled = pooledVectorWire()
  const { sessions } = watch ?? {}
  const copied = {
    ...pooled,
    ...weighed(elements),
    copy: (message: VectorMessage) => {
      const copy = pooled.copy(message)
      return sessions?.copied(copy) ?? copy
    },
    allocate: (length: number) => {
      const vector = pooled.allocate(length)
      return sessions?.reused(vector) ?? vector
    }
  }
  const simulation = new Simulation<VectorMessage>(
    {
      topology,
      servers: servers.map((name) => ({ name })),
      seed,
      wire: codedWire(copied, coding),
      links: uniformLinks({ latency: run.latency, bandwidth: run.bandwidth }),
      cost: ({ kind }, peer) => (kind === 'gradient' ? run.gradient(peer) : 0),
      faults: { rules: [], events: run.events },
      until: maxElapsed,
      observer: { work: (peer, kind, start, end) => void events.push(`${end} ${peer} ${kind} since ${start}`) }
    },
    program
  )
  return simulation
}

/** A run in epochs. */
export async function runInEpochs(run: DrawnRun, watch: EpochWatch): Promise<EpochsEnd> {
  const outcomes = new Map<PeerName, ProcessEnd>()
  const begun = new Map<PeerName, Milliseconds>()
  const events: string[] = []
  const settings = settingsOf(run)
  const everyone = [...run.topology.peers, ...run.servers].sort()
  const all: Topology = { peers: everyone, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const simulation = simulationOf(run, watch, events, async (plain) => {
    const { self } = plain
    const process = watch.process(self)
    const fabric = flawed(isUndisturbed(run) ? noting(plain, events) : plain, run, (note) => process.tells(note))
    outcomes.delete(self)
    const members = new Members(fabric, {
      settings: run.membership,
      topology: all,
      signer: trustingSigner,
      wait: { start: wait, pause: wait }
    })
    const record = watchedStart(run.algorithm, process, () => begun.set(self, fabric.now()))
    const epochs: EpochSettings = {
      topology: run.topology,
      areEqual: areEqualIn(run),
      on: (graph) => ({
        options: optionsOn(run.algorithm, graph, run.options, run.links),
        finalRounds: finalRoundsOf(run, graph)
      }),
      before: ({ epoch }) => process.opened(epoch)
    }
    const task = taskOf(run, fabric)
    const session = new ElasticSession(fabric, task, { ...settings, algorithm: record, members, epochs })
    process.begins(session, members)
    let ended: number | undefined
    try {
      const steps = session.steps()
      let step = await steps.next()
      for (; step.done !== true; step = await steps.next()) {
        process.stepped(step.value, fabric.now())
        if (step.value.ends !== undefined) ended = step.value.round
        if (fabric.now() < (run.quits.get(self) ?? Number.POSITIVE_INFINITY)) continue
        await session.leave()
        outcomes.set(self, { how: 'left' })
        return
      }
      outcomes.set(self, { how: 'finished', model: step.value.slice(), ended })
    } catch (error) {
      if (error instanceof NeighboursMissingError) outcomes.set(self, { how: 'missed others', reason: error.message })
      else if (fabric.isStopping && !simulation.isStopping) outcomes.set(self, { how: 'left' })
      else throw error
      members.leave(session.round)
    } finally {
      members.end()
    }
  })
  let error: string | undefined
  await watchingSessions(watch.sessions, () => simulation.run()).catch((reason: unknown) => {
    error =
      reason instanceof Error ? (reason.stack ?? String(reason)).split('\n').slice(0, 4).join('\n') : String(reason)
  })
  return { outcomes, begun, events, error, rejected: simulation.traffic.rejected, elapsed: simulation.now() }
}

/** The same run without membership; peers begin at the given times. */
export async function runWithout(run: DrawnRun, begun: EpochsEnd['begun']): Promise<EpochsEnd> {
  const outcomes = new Map<PeerName, ProcessEnd>()
  const events: string[] = []
  const settings = settingsOf(run)
  const simulation = simulationOf(run, undefined, events, async (plain) => {
    const { self } = plain
    const fabric = noting(plain, events)
    await fabric.sleep(begun.get(self) ?? 0)
    const steps = new Session(fabric, taskOf(run, fabric), settings).steps()
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    outcomes.set(self, { how: 'finished', model: step.value.slice() })
  })
  await simulation.run()
  return { outcomes, begun, events, error: undefined, rejected: new Map(), elapsed: simulation.now() }
}

/** A fabric whose messages are noted, but for those with which a run closes. */
function noting(fabric: Fabric<VectorMessage>, events: string[]): Fabric<VectorMessage> {
  const { self } = fabric
  return fabricWith(fabric, {
    send: (to, message) => {
      const { kind, round, part = 0, field = 0, numbers = [], vector } = message
      if (kind < firstClosingKind)
        events.push(`${fabric.now()} ${self} ${to} ${[kind, round, part, field, ...numbers].join()} ${bitsOf(vector)}`)
      return fabric.send(to, message)
    }
  })
}

const ofDecision = /^E\{"kind":"(?:accept|accepted|decided)"/

/** A fabric whose notes may be lost, late and duplicate. */
function flawed(
  fabric: Fabric<VectorMessage>,
  { seed, notes: { lost, late, again, undecided } }: DrawnRun,
  told: (note: string) => void
): Fabric<VectorMessage> {
  const random = createRandom(seed, `notes of ${fabric.self}`)
  const tellIn = (time: Milliseconds, to: PeerName, note: string) =>
    fabric.spawn(async (spawned) => {
      await spawned.sleep(spawned.now() + time)
      spawned.tell(to, note)
    })
  return fabricWith(fabric, {
    tell: (to, note) => {
      told(note)
      if (undecided > 0 && ofDecision.test(note) && random.uniform() < undecided) return
      const what = lost + late + again === 0 ? 1 : random.uniform()
      if (what < lost) return
      if (what < lost + late) return tellIn(3000 * random.uniform(), to, note)
      if (what < lost + late + again) tellIn(6000 * random.uniform(), to, note)
      fabric.tell(to, note)
    }
  })
}
