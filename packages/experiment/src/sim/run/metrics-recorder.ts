import { GapParts } from '@murmuration/algorithms'
import type { KeyCounts, Milliseconds, PeerName, StepReport, Task } from '@murmuration/core'
import type { CurvePoint } from '@murmuration/results'
import { consensusDistance, hashVector, lengthOf, mean } from '@murmuration/vectors'
import { placeRows, sumOfCounts } from '../../base/rows.js'
import { keepCopy } from './keep-copy.js'

/** Options for recording a run. */
export interface CurveOptions {
  /** The peers that report steps: the workers, and servers that hold rows of the parameters. */
  readonly workers: readonly PeerName[]
  /** The task with all data, which evaluates the mean model. */
  readonly union: Task
  /** The steps per peer between two evaluations, averaged over the peers. */
  readonly every: number
  /** The loss to reach. */
  readonly targetLoss: number | undefined
  /** Of the topology; see gapOf. Only where an algorithm ascends a dual. */
  readonly contraction?: number | undefined
  /** The maximum number of steps per peer, averaged over the peers. */
  readonly maxRounds?: number | undefined
}

/** What the recorder reads from a running simulation. */
export interface WatchedSimulation {
  readonly traffic: { readonly bytes: number }
  now(): Milliseconds
  hasCrashed(peer: PeerName): boolean
}

/** The simulator knows the models of all peers. */
type SimulatedPoint = CurvePoint & { readonly consensusDistance: number }

/** Time, samples and bytes until the target was reached. */
export type ToTarget = Pick<CurvePoint, 'seconds' | 'samples' | 'bytes'>

/** With more peers than this, peers are not evaluated individually at the end. */
const maxPeersForWorst = 64

/**
 * Records a run: keeps the newest parameters of every peer, and evaluates their mean each time the peers have together
 * taken a given number of steps. If the peers run in lock-step, that is the end of a round. Recording takes no virtual
 * time.
 */
export class MetricsRecorder {
  readonly points: SimulatedPoint[] = []
  /** Hashes of each peer's parameters at the end; only for few peers. */
  readonly models: Record<string, string> = {}
  readonly #options: CurveOptions
  readonly #simulation: WatchedSimulation
  readonly #samples = new Map<PeerName, number>()
  /** The parts of the duality gap, where an algorithm ascends a dual. */
  #gaps = new GapParts()
  /** Copies, since a report's vectors are valid only until the next step. */
  readonly #newest = new Map<PeerName, Float32Array>()
  /** The parameters of all, if their rows are divided among the peers that report. */
  #rows: Float32Array | undefined
  readonly #keys = new Map<PeerName, KeyCounts>()
  readonly #lost = new Set<PeerName>()
  #steps = 0
  /** The virtual time of the last training step, in seconds. */
  #last = 0
  #isAveraging = false
  #toTarget: ToTarget | undefined

  constructor(options: CurveOptions, simulation: WatchedSimulation) {
    this.#options = options
    this.#simulation = simulation
  }

  /** What was needed to reach the target loss; undefined if it was not reached. */
  get toTarget(): ToTarget | undefined {
    return this.#toTarget
  }

  /** Excludes a peer that has given up from now on. */
  lose(peer: PeerName): void {
    this.#lost.add(peer)
  }

  /** Takes a step of a peer. Returns whether the target is reached, or the run is over. */
  async take(peer: PeerName, report: StepReport): Promise<boolean> {
    this.#samples.set(peer, report.samples)
    this.#keepModel(peer, report)
    if (report.gapPart !== undefined) this.#gaps.add(peer, report.round, report.gapPart)
    // The members of a later epoch may be others than those whose parts are needed.
    if (report.epoch !== undefined && report.epoch > 0) this.#gaps = new GapParts()
    if (report.phase === 'average') {
      this.#isAveraging = true
      return false
    }
    this.#last = this.#simulation.now() / 1000
    this.#steps++
    const { workers, every, targetLoss, maxRounds = Number.POSITIVE_INFINITY } = this.#options
    const isOver = this.#steps >= workers.length * maxRounds
    if (this.#steps % (workers.length * every) !== 0) return isOver
    const point = await this.#addPoint()
    if (targetLoss === undefined || point.loss > targetLoss) return isOver
    const { seconds, samples, bytes } = point
    this.#toTarget = { seconds, samples, bytes }
    return true
  }

  /** Evaluates the end, unless that was just done; also each peer, unless the run had a limit of rounds. */
  async finish(): Promise<void> {
    if (this.#models().length === 0) return
    const seconds = this.#simulation.now() / 1000
    const last = this.points.at(-1)
    const point = last?.seconds === seconds ? last : await this.#addPoint()
    if (this.#options.maxRounds !== undefined || this.#newest.size > maxPeersForWorst) return
    for (const [peer, model] of this.#newest) this.models[peer] = hashVector(model)
    const losses = await Promise.all(
      this.#models().map(async (model) => (await this.#options.union.evaluate(model).run()).loss)
    )
    this.points[this.points.length - 1] = { ...point, worstLoss: Math.max(...losses) }
  }

  /** When training ended, in virtual seconds; `undefined` if there were no final averaging rounds. */
  get trained(): number | undefined {
    return this.#isAveraging ? this.#last : undefined
  }

  /** Steps per peer, the mean. */
  get rounds(): number {
    return this.#steps / this.#options.workers.length
  }

  /** Of all peers together. */
  get samples(): number {
    return [...this.#samples.values()].reduce((sum, samples) => sum + samples, 0)
  }

  /** How rows were accessed, by all peers together; `undefined` if there are none. */
  get keys(): KeyCounts | undefined {
    return sumOfCounts([...this.#keys.values()])
  }

  /** Copies a peer's parameters; rows are copied to their places. */
  #keepModel(peer: PeerName, { parameters, holds, keys }: StepReport): void {
    if (keys !== undefined) this.#keys.set(peer, keys)
    if (holds === undefined) return keepCopy(this.#newest, peer, parameters)
    this.#rows ??= new Float32Array(lengthOf(this.#options.union.schema))
    placeRows(this.#rows, holds, parameters)
  }

  async #addPoint(): Promise<SimulatedPoint> {
    const models = this.#models()
    const { workers, contraction } = this.#options
    const gap = contraction === undefined ? undefined : this.#gaps.gap(workers, contraction)
    const evaluation = await this.#options.union.evaluate(mean(models)).run()
    const point: SimulatedPoint = {
      seconds: this.#simulation.now() / 1000,
      samples: this.samples,
      bytes: this.#simulation.traffic.bytes,
      round: this.rounds,
      ...evaluation,
      consensusDistance: consensusDistance(models),
      ...(gap === undefined ? {} : { gap })
    }
    this.points.push(point)
    return point
  }

  /**
   * The newest models of the present peers: a crashed peer has lost its model, and that of a peer that gave up is
   * outdated.
   */
  #models(): Float32Array[] {
    if (this.#rows !== undefined) return [this.#rows]
    const present = this.#options.workers.filter((peer) => !this.#simulation.hasCrashed(peer) && !this.#lost.has(peer))
    return present.flatMap((peer) => this.#newest.get(peer) ?? [])
  }
}
