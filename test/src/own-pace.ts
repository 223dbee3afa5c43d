/** Runs in virtual time in which each peer goes at its own pace. */
import { type Algorithm, algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import type { Fabric, Links, Milliseconds, PeerName, StepReport, Topology } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'

/** A record of the registry. */
export function recordOf(name: string): Algorithm {
  const record = algorithms.find((each) => each.name === name)
  if (record === undefined) throw new RangeError(`no algorithm is named ${name}`)
  return record
}

/** The options of a run, besides the algorithm. */
export interface PaceOptions {
  readonly topology: Topology
  readonly servers?: readonly PeerName[]
  readonly links?: Links
  /**
   * Additional bytes of a number on a link, besides its own four, so that four numbers weigh as much as many; 0 when
   * absent.
   */
  readonly extraBytes?: number
  /** How long a gradient takes. */
  readonly cost: (peer: PeerName) => Milliseconds
  readonly settings?: Partial<TrainingSettings>
  /** When all are stopped; never when absent. */
  readonly until?: Milliseconds
  /** How far apart the peers' optima lie; 0 when absent. */
  readonly spread?: number
  /** Replaces a peer's fabric. */
  readonly seen?: (fabric: Fabric<VectorMessage>) => Fabric<VectorMessage>
  readonly onStep?: (peer: PeerName, report: StepReport, now: Milliseconds) => void
}

/** The parameters of each worker after its last step, and when it ended training. */
export interface PaceResult {
  readonly models: ReadonlyMap<PeerName, readonly number[]>
  readonly ends: ReadonlyMap<PeerName, Milliseconds>
  readonly optimum: readonly number[]
}

/** Runs an algorithm on quadratics of four numbers. */
export async function runAtOwnPace(algorithm: Algorithm, given: PaceOptions): Promise<PaceResult> {
  const { topology, servers = [], links = uniformLinks({ latency: 1 }), seen = (fabric) => fabric } = given
  const { taskOf, optimum } = quadratics(topology, given.spread ?? 0)
  const models = new Map<PeerName, readonly number[]>()
  const ends = new Map<PeerName, Milliseconds>()
  const base = { algorithm, seed: 1, batchSize: 4, rounds: 40, rate: () => 0.1, timeout: 1000 }
  const settings = { ...base, ...given.settings, workers: topology.peers, servers }
  const cost = ({ kind }: { kind: string }, peer: PeerName) => (kind === 'gradient' ? given.cost(peer) : 0)
  const byteLength = (message: VectorMessage) =>
    vectorWire.byteLength(message) + (given.extraBytes ?? 0) * message.vector.length
  const wire = { ...vectorWire, ...weighed(optimum.length), byteLength }
  const world = { topology, servers: servers.map((name) => ({ name })), seed: 1, wire, links, cost, until: given.until }
  await simulate(world, async (fabric) => {
    const { self } = fabric
    for await (const report of train(seen(fabric), taskOf(self), settings)) {
      if (!topology.peers.includes(self)) continue
      given.onStep?.(self, report, fabric.now())
      if (report.phase === 'train') ends.set(self, fabric.now())
      models.set(self, [...report.parameters])
    }
  })
  return { models, ends, optimum }
}

/** The distance of two models. */
export function apart(x: readonly number[], y: readonly number[]): number {
  return Math.hypot(...x.map((value, d) => value - y[d]))
}
