/** A simulated swarm whose peers come and go, and its result. */
import {
  type Agreement,
  type Algorithm,
  dpsgd,
  Members,
  type OwnLinks,
  Session,
  type StopSettings,
  type Vector
} from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import {
  type ConsensusEstimate,
  type Fabric,
  type Links,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  peerName,
  type StepReport,
  StoppedError,
  type Task,
  type Topology
} from '@murmuration/core'
import { type MemberChange, type MembershipSettings, trustingSigner } from '@murmuration/membership'
import { type FaultEvent, type Faults, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { createRandom } from '@murmuration/random'
import { createTopology, type GraphDescription, roundsToReachAll } from '@murmuration/topology'
import { consensusDistance } from '@murmuration/vectors'
import { codedWire, vectorWire, type VectorMessage } from '@murmuration/wire'
import type { SwarmWatch } from './swarms/swarm-watch.js'

export interface MemberSwarm {
  readonly algorithm?: Algorithm
  /** The peer that leaves, and after which round. */
  readonly leaves?: { readonly peer: PeerName; readonly round: number }
  readonly peers: number
  readonly graph?: GraphDescription
  readonly seed?: number
  readonly rounds: number
  /** Final averaging rounds. */
  readonly finalRounds?: number
  readonly faults?: Faults
  readonly membership?: Partial<MembershipSettings>
  readonly wait?: Milliseconds
  /** How long a gradient takes. */
  readonly gradient?: Milliseconds | ((peer: PeerName) => Milliseconds)
  readonly options?: Readonly<Record<string, unknown>>
  readonly codec?: string
  readonly links?: Links
  /** What a peer knows of its own links; all are there when absent. */
  readonly ownLinks?: (fabric: Pick<Fabric<never>, 'self' | 'now'>) => OwnLinks
  readonly timeout?: Milliseconds
  /** When the peers agree to end training, about: their losses become 0 at this time. Never when absent. */
  readonly stopsAt?: Milliseconds
  /** In this many rounds at the end, only received messages change a peer's parameters. */
  readonly calmRounds?: number
  /** Checks the run. */
  readonly watch?: SwarmWatch
  /** Replaces the class of members. */
  readonly membersOf?: (...given: ConstructorParameters<typeof Members>) => Members
}

/** A change that a process of a peer has reported. */
export interface ReportedChange {
  readonly at: Milliseconds
  readonly by: PeerName
  readonly change: MemberChange
}

export interface SwarmEnd {
  /** Of each peer that has finished. */
  readonly models: ReadonlyMap<PeerName, Float32Array>
  /** The reasons why others have not. */
  readonly lost: ReadonlyMap<PeerName, string>
  readonly changes: readonly ReportedChange[]
  /** By peer and round, the parameters after it. */
  readonly rounds: ReadonlyMap<PeerName, ReadonlyMap<number, Float32Array>>
  /** When each peer last ended each round. */
  readonly times: ReadonlyMap<PeerName, ReadonlyMap<number, Milliseconds>>
  readonly estimates: readonly ConsensusEstimate[]
  /** How each peer that has finished found that its final model compares with those of others. */
  readonly agreements: ReadonlyMap<PeerName, Agreement>
  /** Of each process that has finished. */
  readonly books: ReadonlyMap<PeerName, FinalBooks>
  /** The round in which the training of each peer ended early whose life has not just begun. */
  readonly ended: ReadonlyMap<PeerName, number>
}

/** The values of a peer at the end of training, once nothing is in flight, and what its optimiser has added to them. */
export interface FinalBooks {
  readonly life: number
  readonly x: readonly number[]
  readonly w: number
  readonly moved: readonly number[]
}

export const namesOf = (count: number) => Array.from({ length: count }, (_, place) => peerName(`p${place + 1}`))

/** For so long a peer lives that has heard what the others agreed on before. */
const settled: Milliseconds = 3000

export async function runMembers({
  algorithm = dpsgd,
  seed = 1,
  graph = { kind: 'ring' },
  faults = noFaults,
  finalRounds = 60,
  gradient = 50,
  codec = 'float32',
  links = uniformLinks({ latency: 5 }),
  timeout = 5000,
  calmRounds = 0,
  watch,
  membersOf = (...given) => new Members(...given),
  ...swarm
}: MemberSwarm): Promise<SwarmEnd> {
  const topology = createTopology({ peers: namesOf(swarm.peers), graph })
  const { taskOf } = quadratics(topology)
  const models = new Map<PeerName, Float32Array>()
  const lost = new Map<PeerName, string>()
  const changes: ReportedChange[] = []
  const rounds = new Map<PeerName, Map<number, Float32Array>>(topology.peers.map((peer) => [peer, new Map()]))
  const times = new Map<PeerName, Map<number, Milliseconds>>(topology.peers.map((peer) => [peer, new Map()]))
  const estimates: ConsensusEstimate[] = []
  const agreements = new Map<PeerName, Agreement>()
  const books = new Map<PeerName, FinalBooks>()
  const ended = new Map<PeerName, number>()
  const program = async (fabric: Fabric<VectorMessage>) => {
    const { self } = fabric
    models.delete(self)
    ended.delete(self)
    const watching = watch?.process(fabric)
    const members = membersOf(fabric, {
      settings: swarm.membership ?? {},
      topology,
      signer: watching?.signer ?? trustingSigner,
      links: swarm.ownLinks?.(fabric),
      wait: { start: swarm.wait ?? 120_000, pause: swarm.wait ?? 120_000 },
      onChange: (change) => {
        changes.push({ at: fabric.now(), by: self, change })
        watching?.changed(change)
      }
    })
    const rate = (round: number) => (round < swarm.rounds - calmRounds ? 0.05 : 0)
    const training = {
      algorithm: watching?.algorithm ?? algorithm,
      seed,
      batchSize: 4,
      rounds: swarm.rounds,
      finalRounds,
      rate
    }
    const swarmSettings = { timeout, workers: topology.peers, members }
    const { stopsAt } = swarm
    const task = taskOf(self)
    const session = new Session(fabric, stopsAt === undefined ? task : improving(task, fabric, stopsAt), {
      ...training,
      ...(stopsAt !== undefined && { stop: stopOn(topology) }),
      ...swarmSettings,
      ...(swarm.options && { options: swarm.options })
    })
    watching?.begins(session, members)
    let moved = [0, 0, 0, 0]
    let life = 1
    let livesSince = fabric.now()
    try {
      const steps = session.steps()
      let step = await steps.next()
      for (; step.done !== true; step = await steps.next()) {
        const { round, ends, parameters, consensus } = step.value
        if (step.value.life !== life) livesSince = fabric.now()
        if (ends !== undefined && livesSince < fabric.now() - settled) ended.set(self, round)
        watching?.stepped(step.value)
        moved = withMoves(moved, step.value)
        life = step.value.life ?? 1
        rounds.get(self)?.set(round, parameters.slice())
        times.get(self)?.set(round, fabric.now())
        if (consensus !== undefined) estimates.push(consensus)
        if (swarm.leaves?.peer === self && swarm.leaves.round === round) {
          books.set(self, { life, moved, x: [0, 0, 0, 0], w: 0 })
          await session.leave()
          return
        }
      }
      models.set(self, step.value.slice())
      if (members.agreement !== undefined) agreements.set(self, members.agreement)
      watching?.ended('finished')
      books.set(self, { life, moved, ...(await endOf(session, fabric)) })
    } catch (error) {
      if (!(error instanceof NeighboursMissingError || error instanceof StoppedError)) throw error
      if (error instanceof NeighboursMissingError) lost.set(self, error.message)
      members.leave()
      watching?.ended('left')
    }
    members.end()
  }
  const coding = { codec, elements: 4, random: (peer: PeerName) => createRandom(seed, peer) }
  const observer = watch === undefined ? {} : { fault: (event: FaultEvent) => watch.fault(event) }
  const wire = codedWire(vectorWire, coding)
  const gradientOf = typeof gradient === 'number' ? () => gradient : gradient
  const cost = ({ kind }: { kind: string }, peer: PeerName) => (kind === 'gradient' ? gradientOf(peer) : 0)
  await simulate({ topology, seed, wire, links, cost, faults, observer }, program)
  return { models, lost, changes, rounds, times, estimates, agreements, books, ended }
}

/** Models are good enough once their losses are 0. */
export const stopOn = (topology: Topology): StopSettings => ({
  loss: 0,
  every: 5,
  hops: roundsToReachAll(topology)
})

/** A task whose loss falls with time, and is 0 at `stopsAt`. */
export function improving(task: Task, clock: Pick<Fabric<never>, 'now'>, stopsAt: Milliseconds): Task {
  return {
    ...task,
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 1 - clock.now() / stopsAt }) })
  }
}

/** The values of a peer once everything in flight to it has arrived. */
async function endOf(session: Session, fabric: Fabric<VectorMessage>): Promise<Pick<FinalBooks, 'x' | 'w'>> {
  await session.edges.answer(fabric.now() + 2000)
  session.save()
  const { x, w = 1 } = session.state
  return { x: Array.from((x as Vector).values), w: w as number }
}

function withMoves(moved: readonly number[], { moves }: StepReport): number[] {
  return moved.map((sum, d) => moves.reduce((total, { from, to }) => total + to.values[d] - from.values[d], sum))
}

/** How far apart the models of a round were. */
export function distanceAfter({ rounds }: SwarmEnd, round: number): number {
  return consensusDistance([...rounds.values()].flatMap((models) => models.get(round) ?? []))
}
