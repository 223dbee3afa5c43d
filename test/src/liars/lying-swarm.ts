/** D-PSGD with one lying peer, in either world. */
import { dpsgd, Members, Session } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import {
  type Fabric,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  peerName,
  type Task
} from '@murmuration/core'
import { type MemberChange, type MembershipSettings, type Signer } from '@murmuration/membership'
import { type FaultEvent, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { hashText } from '@murmuration/vectors'
import { vectorWire, type VectorMessage } from '@murmuration/wire'
import { type FabricLie, LyingFabric } from './lying-fabric.js'

export const names = ['a', 'b', 'c', 'd', 'e', 'm'].map(peerName)
export const liar = names[5]
export const honest = names.slice(0, 5)

/** The liar joins honestly, and lies from then on. */
const honestFor = 5000

/** The result of a swarm. */
export interface SwarmOutcome {
  /** Of each honest peer that has finished. */
  readonly models: Map<PeerName, Float32Array>
  /** The reasons why others have not. */
  readonly lost: Map<PeerName, string>
  /** When each honest peer ended each round. */
  readonly times: Map<PeerName, Milliseconds[]>
  /** Peers that honest peers have considered dead. */
  readonly dead: Set<PeerName>
  /** The last round of each honest peer. */
  readonly latest: Map<PeerName, number>
  /** The largest lead of an honest peer over all others, in rounds. */
  lead: number
  lies: number
}

export interface LyingSwarm {
  /** Of the simulated world. */
  readonly seed?: number
  readonly graph: 'ring' | 'complete'
  readonly timeout: Milliseconds
  readonly rounds: number
  /** How long a gradient takes. */
  readonly gradient: Milliseconds
  readonly lie?: FabricLie
  /** The task with gradients that take time, where the world does not simulate it. */
  readonly slowed?: (task: Task) => Task
  readonly settings?: Partial<MembershipSettings>
}

export const topologyOf = (graph: LyingSwarm['graph']) => createTopology({ peers: names, graph: { kind: graph } })

export function noOutcome(): SwarmOutcome {
  const times = new Map(honest.map((name): [PeerName, Milliseconds[]] => [name, []]))
  return { models: new Map(), lost: new Map(), times, dead: new Set(), latest: new Map(), lead: 0, lies: 0 }
}

/** An honest peer is in this round now. */
function note(outcome: SwarmOutcome, self: PeerName, round: number): void {
  const others = [...outcome.latest].filter(([name]) => name !== self).map(([, latest]) => latest)
  outcome.latest.set(self, round)
  outcome.lead = Math.max(outcome.lead, round - Math.max(0, ...others))
}

/** Runs one peer from its start to its end. The liar does not end by itself: it continues while any other peer runs. */
export async function runPeer(
  inner: Fabric<VectorMessage>,
  signer: Signer,
  swarm: LyingSwarm,
  outcome: SwarmOutcome,
  lieNow = () => (inner.now() < honestFor ? undefined : swarm.lie)
): Promise<void> {
  const isLiar = inner.self === liar
  const fabric = isLiar ? new LyingFabric(inner, signer, honest, lieNow) : inner
  const topology = topologyOf(swarm.graph)
  const onChange = (change: MemberChange) => {
    if (!isLiar && change.kind === 'died') outcome.dead.add(change.peer)
    if (!isLiar && change.kind === 'done' && change.peer !== liar) note(outcome, change.peer, swarm.rounds)
  }
  const wait = { start: 120_000, pause: 120_000 }
  const members = new Members(fabric, { settings: swarm.settings ?? {}, topology, signer, wait, onChange })
  const rounds = isLiar ? 1_000_000 : swarm.rounds
  const options = { algorithm: dpsgd, seed: 1, batchSize: 4, rounds, finalRounds: 40, rate: () => 0.05 }
  const { timeout } = swarm
  const run = { ...options, timeout, workers: topology.peers, members }
  const { slowed = (task: Task) => task } = swarm
  const session = new Session(fabric, slowed(quadratics(topology).taskOf(fabric.self)), run)
  try {
    const steps = session.steps()
    let step = await steps.next()
    for (; step.done !== true; step = await steps.next()) {
      outcome.times.get(fabric.self)?.push(inner.now())
      if (!isLiar) note(outcome, fabric.self, step.value.round)
    }
    if (!isLiar) outcome.models.set(fabric.self, step.value.slice())
  } catch (error) {
    if (!isLiar && !(error instanceof NeighboursMissingError)) throw error
    if (!isLiar) outcome.lost.set(fabric.self, (error as Error).message)
  }
  members.end()
  if (fabric instanceof LyingFabric) outcome.lies = fabric.lies
}

/** A signature of the simulated world: no other peer makes it by mistake. */
function simulatedSigner(self: PeerName): Signer {
  const signatureOf = (peer: PeerName, text: string) => hashText(`key of ${peer} ${text}`).slice(0, 32)
  return {
    sign: (text) => signatureOf(self, text),
    verify: (peer, text, signature) => signature === signatureOf(peer, text)
  }
}

/** In virtual time. `b` is restarted at these times, and takes a state of another peer. */
export async function simulated(swarm: LyingSwarm, restarts: readonly Milliseconds[] = []): Promise<SwarmOutcome> {
  const outcome = noOutcome()
  const events: FaultEvent[] = restarts.flatMap((at) => [
    { at, kind: 'crash', peer: honest[1] },
    { at: at + 100, kind: 'restart', peer: honest[1] }
  ])
  const options = {
    topology: topologyOf(swarm.graph),
    seed: swarm.seed ?? 1,
    wire: vectorWire,
    links: uniformLinks({ latency: 5 }),
    cost: ({ kind }: { kind: string }) => (kind === 'gradient' ? swarm.gradient : 0),
    faults: { rules: [], events }
  }
  await simulate(options, (fabric) => runPeer(fabric, simulatedSigner(fabric.self), swarm, outcome))
  return outcome
}

/** How many rounds each honest peer had ended by then; the minimum. */
export function roundsBy({ times }: SwarmOutcome, at: Milliseconds, peers: readonly PeerName[] = honest): number {
  return Math.min(...peers.map((name) => (times.get(name) ?? []).filter((time) => time <= at).length))
}
