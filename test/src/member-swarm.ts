/** A simulated swarm whose peers come and go, and what it came to. */
import { dpsgd, Members, Session } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import {
  type ConsensusEstimate,
  type Fabric,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  peerName
} from '@murmuration/core'
import { type MemberChange, membershipDefaults, type MembershipSettings, trustingSigner } from '@murmuration/membership'
import { type Faults, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import { consensusDistance } from '@murmuration/vectors'
import { vectorWire, type VectorMessage } from '@murmuration/wire'

export interface MemberSwarm {
  readonly peers: number
  readonly graph?: GraphDescription
  readonly seed?: number
  readonly rounds: number
  /** Of averaging, at the end. */
  readonly finalRounds?: number
  readonly faults?: Faults
  readonly membership?: Partial<MembershipSettings>
  readonly wait?: Milliseconds
  /** How long a gradient takes. */
  readonly gradient?: Milliseconds
}

/** What a process of a peer has told. */
export interface Change {
  readonly at: Milliseconds
  readonly by: PeerName
  readonly change: MemberChange
}

export interface SwarmEnd {
  /** Of each peer that came to its end. */
  readonly models: ReadonlyMap<PeerName, Float32Array>
  /** Why others did not. */
  readonly lost: ReadonlyMap<PeerName, string>
  readonly changes: readonly Change[]
  /** By peer and round, what it had after it. */
  readonly rounds: ReadonlyMap<PeerName, ReadonlyMap<number, Float32Array>>
  /** When each peer ended each round last. */
  readonly times: ReadonlyMap<PeerName, ReadonlyMap<number, Milliseconds>>
  readonly estimates: readonly ConsensusEstimate[]
}

export const namesOf = (count: number) => Array.from({ length: count }, (_, place) => peerName(`p${place + 1}`))

export async function runMembers({
  seed = 1,
  graph = { kind: 'ring' },
  faults = noFaults,
  finalRounds = 60,
  gradient = 50,
  ...swarm
}: MemberSwarm): Promise<SwarmEnd> {
  const topology = createTopology({ peers: namesOf(swarm.peers), graph })
  const { taskOf } = quadratics(topology)
  const models = new Map<PeerName, Float32Array>()
  const lost = new Map<PeerName, string>()
  const changes: Change[] = []
  const rounds = new Map<PeerName, Map<number, Float32Array>>(topology.peers.map((peer) => [peer, new Map()]))
  const times = new Map<PeerName, Map<number, Milliseconds>>(topology.peers.map((peer) => [peer, new Map()]))
  const estimates: ConsensusEstimate[] = []
  const program = async (fabric: Fabric<VectorMessage>) => {
    const { self } = fabric
    models.delete(self)
    const members = new Members(fabric, {
      settings: { ...membershipDefaults, ...swarm.membership },
      topology,
      signer: trustingSigner,
      wait: { start: swarm.wait ?? 120_000, pause: swarm.wait ?? 120_000 },
      onChange: (change) => changes.push({ at: fabric.now(), by: self, change })
    })
    const settings = { algorithm: dpsgd, seed, batchSize: 4, rounds: swarm.rounds, finalRounds, rate: () => 0.05 }
    const session = new Session(fabric, taskOf(self), { ...settings, timeout: 5000, workers: topology.peers, members })
    try {
      const steps = session.steps()
      let step = await steps.next()
      for (; step.done !== true; step = await steps.next()) {
        const { round, parameters, consensus } = step.value
        rounds.get(self)?.set(round, parameters.slice())
        times.get(self)?.set(round, fabric.now())
        if (consensus !== undefined) estimates.push(consensus)
      }
      models.set(self, step.value.slice())
    } catch (error) {
      if (!(error instanceof NeighboursMissingError)) throw error
      lost.set(self, error.message)
    }
    members.end()
  }
  const links = uniformLinks({ latency: 5 })
  const cost = ({ kind }: { kind: string }) => (kind === 'gradient' ? gradient : 0)
  await simulate({ topology, seed, wire: vectorWire, links, cost, faults }, program)
  return { models, lost, changes, rounds, times, estimates }
}

/** How far the models of a round were apart. */
export function distanceAfter({ rounds }: SwarmEnd, round: number): number {
  return consensusDistance([...rounds.values()].flatMap((models) => models.get(round) ?? []))
}
