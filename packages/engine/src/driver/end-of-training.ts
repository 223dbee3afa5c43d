/** Training ends after its last round, or before, where its record is done or the peers agree on it. */
import { InputError, type Task } from '@murmuration/core'
import type { State } from '../record/record.js'
import { stopProblem } from './checkpoint-problem.js'
import { EndOfAsking } from './end-of-asking.js'
import { functionOf } from './first-round.js'
import type { Peer } from './peer.js'
import type { Program } from './program.js'
import { StopAgreement } from './stop-agreement.js'
import type { TrainingSettings } from './training.js'

/** The wire numbers of the messages about the end. */
export interface EndKinds {
  /** A peer has no more requests. */
  readonly done: number
  /** What peers have measured, and that training ends. */
  readonly stop: number
}

export class EndOfTraining {
  readonly #settings: TrainingSettings
  readonly #asking: EndOfAsking | undefined
  readonly #agreement: StopAgreement | undefined

  constructor(peer: Peer, task: Task, settings: TrainingSettings, kinds: EndKinds) {
    const { stop } = settings
    this.#settings = settings
    const problem = stop && stopProblem(settings.algorithm, stop)
    if (problem !== undefined) throw new InputError(`stop: ${problem}`)
    if (stop?.gap !== undefined && stop.contraction === undefined)
      throw new InputError('stop.contraction: found none, expected that of the graph, on which the gap depends')
    if (EndOfAsking.isUsed(settings)) this.#asking = new EndOfAsking(peer, settings, kinds.done)
    else if (stop !== undefined) this.#agreement = new StopAgreement(peer, task, settings, stop, kinds.stop)
  }

  /**
   * Why training ends with a round that has ended, before all its rounds are over; undefined where it does not. All
   * rounds that are left are then skipped, so whoever continues, resumes or joins finds them over.
   */
  reason(round: number, training: Program): string | undefined {
    if (round + 1 >= this.#settings.rounds) return undefined
    const done: unknown = training.role.done?.(training.state) ?? false
    if (typeof done !== 'boolean')
      throw new InputError(`${functionOf('done', training.record)} returns a ${typeof done}, expected true or false`)
    return done ? `${training.record.title} is done` : this.#agreement?.reason(round)
  }

  /** Before the first round, which is `round` where the peer continues from a checkpoint. */
  begin(round: number): void {
    this.#agreement?.begin(round)
  }

  /** After a round: tells others what concerns the end. Undefined where nothing is to be awaited. */
  after(round: number, model: Float32Array): Promise<void> | undefined {
    return this.#agreement?.after(round, model)
  }

  /** Whether a round is one of the last of training, so that others may have ended it. */
  isNear(round: number): boolean {
    return this.#agreement?.isNear(round) === true
  }

  /** This peer's training is over, before `round`: it waits for those that may still ask it. */
  reached(round: number): Promise<void> | undefined {
    return this.#asking?.reach(round)
  }

  /** What a checkpoint keeps of the agreement. */
  saved(): { readonly stop?: State } {
    return this.#agreement === undefined ? {} : { stop: this.#agreement.saved() }
  }

  restore(saved: State): void {
    this.#agreement?.restore(saved.stop as State)
  }
}
