import type { Evaluation, KeyCounts, Milliseconds, PeerName, StepReport, Task } from '@murmuration/core'
import type { CurvePoint } from '@murmuration/results'
import { consensusDistance, hashVector, lengthOf, mean } from '@murmuration/vectors'
import { placeRows, sumOfCounts } from '../rows.js'
import { keepCopy } from './keep-copy.js'

/** What a run is watched with. */
export interface CurveOptions {
  /** Who reports steps: the workers, and servers where these hold rows of the parameters. */
  readonly workers: readonly PeerName[]
  /** The task of all data, whose evaluation judges the mean model. */
  readonly union: Task
  /** Evaluate after every so many steps of all peers, counted per peer. */
  readonly every: number
  /** The loss at which the run has arrived. */
  readonly targetLoss: number | undefined
  /** After how many steps of all peers, counted per peer, it is over in any case. */
  readonly maxRounds?: number | undefined
}

/** What is read off a simulation while it runs. */
export interface WatchedSimulation {
  readonly traffic: { readonly bytes: number }
  now(): Milliseconds
  hasCrashed(peer: PeerName): boolean
}

/** The simulator knows the models of all peers. */
type SimulatedPoint = CurvePoint & { readonly consensusDistance: number }

/** What it took to arrive. */
export type ToTarget = Pick<CurvePoint, 'seconds' | 'samples' | 'bytes'>

/** More peers than this are not evaluated one by one at the end. */
const maxPeersForWorst = 64

/**
 * Follows a run: keeps the newest parameters of every peer, and evaluates their mean whenever the peers have taken so many more
 * steps together. For peers in lock-step that is the end of a round. Watching takes no virtual time.
 */
export class MetricsRecorder {
  readonly points: SimulatedPoint[] = []
  /** Hashes of what each peer has in the end; of few peers. */
  readonly models: Record<string, string> = {}
  readonly #options: CurveOptions
  readonly #simulation: WatchedSimulation
  readonly #samples = new Map<PeerName, number>()
  /** Copies, since a report's vectors are valid until the next step only. */
  readonly #newest = new Map<PeerName, Float32Array>()
  /** The parameters of all, where they are rows that are divided among those who report. */
  #rows: Float32Array | undefined
  readonly #keys = new Map<PeerName, KeyCounts>()
  readonly #lost = new Set<PeerName>()
  #steps = 0
  /** When the last step of training was taken, in virtual seconds. */
  #last = 0
  #isAveraging = false
  #toTarget: ToTarget | undefined

  constructor(options: CurveOptions, simulation: WatchedSimulation) {
    this.#options = options
    this.#simulation = simulation
  }

  /** What it took to reach the target loss, once it was reached. */
  get toTarget(): ToTarget | undefined {
    return this.#toTarget
  }

  /** Leaves a peer that has given up out of all that follows. */
  lose(peer: PeerName): void {
    this.#lost.add(peer)
  }

  /** Takes in a step of a peer. The result says whether the run has arrived, or is over. */
  async take(peer: PeerName, report: StepReport): Promise<boolean> {
    this.#samples.set(peer, report.samples)
    this.#keepModel(peer, report)
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

  /** Evaluates once more, unless that has just been done; and the peers one by one, but for a run that was to be cut off. */
  async finish(): Promise<void> {
    if (this.#models().length === 0) return
    const seconds = this.#simulation.now() / 1000
    const last = this.points.at(-1)
    const point = last?.seconds === seconds ? last : await this.#addPoint()
    if (this.#options.maxRounds !== undefined || this.#newest.size > maxPeersForWorst) return
    for (const [peer, model] of this.#newest) this.models[peer] = hashVector(model)
    const losses = await Promise.all(this.#models().map(async (model) => (await this.#evaluate(model)).loss))
    this.points[this.points.length - 1] = { ...point, worstLoss: Math.max(...losses) }
  }

  /** When training ended, in virtual seconds; `undefined` where no final averaging rounds came after it. */
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

  /** How rows were reached, by all together; `undefined` where there are none. */
  get keys(): KeyCounts | undefined {
    return sumOfCounts([...this.#keys.values()])
  }

  /** A copy of what a peer reports, of its rows at their places where it holds some. */
  #keepModel(peer: PeerName, { parameters, holds, keys }: StepReport): void {
    if (keys !== undefined) this.#keys.set(peer, keys)
    if (holds === undefined) return keepCopy(this.#newest, peer, parameters)
    this.#rows ??= new Float32Array(lengthOf(this.#options.union.schema))
    placeRows(this.#rows, holds, parameters)
  }

  async #addPoint(): Promise<SimulatedPoint> {
    const models = this.#models()
    const evaluation = await this.#evaluate(mean(models))
    const point: SimulatedPoint = {
      seconds: this.#simulation.now() / 1000,
      samples: this.samples,
      bytes: this.#simulation.traffic.bytes,
      round: this.rounds,
      ...evaluation,
      consensusDistance: consensusDistance(models)
    }
    this.points.push(point)
    return point
  }

  /** The newest of all who are there: what a crashed peer had is lost, and one that has given up has an old model. */
  #models(): Float32Array[] {
    if (this.#rows !== undefined) return [this.#rows]
    const there = this.#options.workers.filter((peer) => !this.#simulation.hasCrashed(peer) && !this.#lost.has(peer))
    return there.flatMap((peer) => this.#newest.get(peer) ?? [])
  }

  async #evaluate(model: Float32Array): Promise<Evaluation> {
    return this.#options.union.evaluate(model).run()
  }
}
