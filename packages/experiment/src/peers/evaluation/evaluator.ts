import { hasRows } from '@murmuration/algorithms'
import { deferred, type Evaluation, type PeerName } from '@murmuration/core'
import { buildTaskHere, startTaskWorker, type TaskWorker } from '@murmuration/tasks/peer'
import { consensusDistance, lengthOf, mean } from '@murmuration/vectors'
import { trainCentrally } from './centralised.js'
import { startingFrom } from '../../models/start-model.js'
import { type EpochEvent, type EvaluationEvent, type LostEvent, secondsOf, type TextEvent } from '../../base/events.js'
import { AveragedPeers } from './averaged-peers.js'
import { LineSnapshots } from './line-snapshots.js'
import { RowSnapshots } from './row-snapshots.js'
import type { PeerProgress, Snapshot } from '../reporting/snapshots.js'
import { sharersOf } from '../../training/pipeline.js'
import { type RunPlan, taskOf } from '../../training/plan.js'

/** The result of plain SGD. */
export interface Centralised extends Evaluation {
  readonly seconds: number
}

/** Of mean models that wait for their evaluation. A run has at most seventy of them. */
const maxPendingBytes = 256 * 1024 * 1024

/** How many texts of its model a run shows. */
const texts = 5

/** Sees all peers: evaluates the mean of their parameters, and runs plain SGD on the union of their data. */
export class Evaluator {
  readonly #plan: RunPlan
  readonly #task: TaskWorker
  readonly #emit: (event: EvaluationEvent | TextEvent) => void
  readonly #snapshots = new Map<number, Map<PeerName, Snapshot>>()
  /** The last progress of lost peers and of servers, which are not in later snapshots of all. */
  readonly #latest = new Map<PeerName, PeerProgress>()
  readonly #averaged: AveragedPeers
  /** For models whose stages are divided among the peers of lines. */
  readonly #lines: LineSnapshots | undefined
  /** For rows that are divided among all peers. */
  readonly #rows: RowSnapshots
  /** Also receives the evaluations of the mean. */
  listener: ((event: EvaluationEvent) => void) | undefined
  readonly #failure = deferred<never>()
  #busy: Promise<void> = Promise.resolve()
  #pending = 0
  /** The consensus distance in the last round with the parameters of all peers. */
  lastDistance: number | undefined
  #nextText = 0

  constructor(plan: RunPlan, task: TaskWorker, emit: (event: EvaluationEvent | TextEvent) => void) {
    this.#plan = plan
    this.#task = task
    this.#emit = emit
    const { topology, servers, pipeline } = plan.file
    this.#averaged = new AveragedPeers(sharersOf(plan.file))
    this.#lines = pipeline && new LineSnapshots(pipeline.lines)
    this.#failure.promise.catch(() => {})
    this.#rows = new RowSnapshots(topology.peers.length + servers.length, lengthOf(task.schema))
  }

  /** Loads the union of all data. Stops its work when `signal` is aborted. */
  static async start(
    plan: RunPlan,
    emit: (event: EvaluationEvent | TextEvent) => void,
    signal: AbortSignal
  ): Promise<Evaluator> {
    const task = hasRows(plan.options)
      ? await buildTaskHere(taskOf(plan))
      : await startTaskWorker(taskOf(plan), { signal })
    try {
      return new Evaluator(plan, await startingFrom(plan.init, task), emit)
    } catch (error) {
      await task.close()
      throw error
    }
  }

  /** Rejects with the first error of an evaluation during the run. */
  get failure(): Promise<never> {
    return this.#failure.promise
  }

  /** Takes a peer's parameters of a round; once all have arrived, evaluates their mean. */
  take(from: PeerName, given: Snapshot): void {
    const joined = this.#lines === undefined ? [{ peer: from, snapshot: given }] : this.#lines.take(from, given)
    for (const { peer, snapshot } of joined) {
      const { round, seconds, samples, bytes, parameters } = snapshot
      if (snapshot.holds !== undefined) {
        const all = this.#rows.take(snapshot)
        if (all !== undefined) this.#evaluate(round, [all.parameters], totalOf(all.snapshots, []))
        continue
      }
      const isServer = parameters.length === 0
      this.#latest.set(peer, { seconds, samples: isServer ? 0 : samples, bytes })
      if (isServer) continue
      const ofRound = this.#snapshots.get(round) ?? new Map<PeerName, Snapshot>()
      this.#snapshots.set(round, ofRound.set(peer, snapshot))
      this.#evaluateIfComplete(round, ofRound)
    }
  }

  /** From now on the mean is that of the peers that are left, or of those of the epoch. */
  follow(event: LostEvent | EpochEvent): void {
    this.#averaged.take(event)
    if (event.kind === 'epoch') this.#lines?.follow(event.members)
    for (const [round, ofRound] of [...this.#snapshots]) this.#evaluateIfComplete(round, ofRound)
  }

  #evaluateIfComplete(round: number, ofRound: ReadonlyMap<PeerName, Snapshot>): void {
    const alive = this.#averaged.names
    const snapshots = alive.flatMap((peer) => ofRound.get(peer) ?? [])
    if (snapshots.length === 0 || snapshots.length < alive.length) return
    for (const earlier of [...this.#snapshots.keys()]) if (earlier <= round) this.#snapshots.delete(earlier)
    const others = [...this.#latest].filter(([peer]) => !alive.includes(peer)).map(([, progress]) => progress)
    const models = snapshots.map(({ parameters }) => parameters)
    this.#evaluate(round, models, totalOf(snapshots, others))
  }

  /** Evaluates the mean of `models`, in the order of the peers' names, after all earlier evaluations were reported. */
  async evaluateMean(models: readonly Float32Array[]): Promise<Evaluation> {
    await this.#busy
    return this.#task.evaluate(mean(models)).run()
  }

  /**
   * Plain SGD with the same number of samples, over the same batches; with keyed rows, one worker. `shards` are the
   * peers' sample counts, in the order of names; `rounds` are those that the run has trained.
   */
  async centralised(
    shards: readonly number[],
    rounds: number,
    now: () => number,
    signal: AbortSignal
  ): Promise<Centralised> {
    const { options, file } = this.#plan
    const start = now()
    const named = sharersOf(file).map((name, index) => ({ name, samples: shards[index] }))
    const every = Math.ceil(rounds / 4)
    const parameters = await trainCentrally(
      this.#task,
      { ...options, rounds, stop: undefined },
      named,
      async ({ round, parameters }) => {
        signal.throwIfAborted()
        if ((round + 1) % every !== 0) return
        this.#emit({ kind: 'evaluation', of: 'centralised', round, ...(await this.#task.evaluate(parameters).run()) })
      }
    )
    return { ...(await this.#task.evaluate(parameters).run()), seconds: secondsOf(now() - start) }
  }

  /** Resolves when no evaluation is running. */
  async close(): Promise<void> {
    await this.#busy
    await this.#task.close()
  }

  /** Emits a text of the model first, and then after every fifth of the run, if the model writes text. */
  async #write(round: number, model: Float32Array): Promise<void> {
    const { rounds, seed } = this.#plan.options
    if (this.#task.generate === undefined || round + 1 < this.#nextText) return
    this.#nextText = ((Math.floor(((round + 1) * texts) / rounds) + 1) * rounds) / texts
    this.#emit({ kind: 'text', of: 'mean', round, text: await this.#task.generate(model, seed).run() })
  }

  /** Evaluations are queued; those that would need too much memory are left out. */
  #evaluate(round: number, models: readonly Float32Array[], progress: PeerProgress): void {
    this.lastDistance = consensusDistance(models)
    const distance = this.lastDistance
    const bytes = models[0].byteLength
    if (this.#pending > 0 && this.#pending + bytes > maxPendingBytes) return
    this.#pending += bytes
    const model = mean(models)
    const done = this.#task
      .evaluate(model)
      .run()
      .then(async (evaluation) => {
        const figures = { ...progress, ...evaluation, consensusDistance: distance }
        const event = { kind: 'evaluation', of: 'mean', round, ...figures } as const
        this.#emit(event)
        this.listener?.(event)
        await this.#write(round, model)
      })
      .catch((error: unknown) => this.#failure.reject(error))
      .finally(() => {
        this.#pending -= bytes
      })
    this.#busy = Promise.all([this.#busy, done]).then(() => {})
  }
}

/** The time when the last of `peers` got there, and the totals of all until then, including `others`. */
function totalOf(peers: readonly PeerProgress[], others: readonly PeerProgress[]): PeerProgress {
  const sum = (figureOf: (progress: PeerProgress) => number) =>
    [...peers, ...others].reduce((all, each) => all + figureOf(each), 0)
  const begun = Math.min(...peers.map((peer) => peer.begun ?? 0))
  return {
    seconds: Math.max(...peers.map(({ seconds }) => seconds)),
    samples: sum(({ samples }) => samples),
    bytes: sum(({ bytes }) => bytes),
    ...(begun === 0 ? {} : { begun })
  }
}
