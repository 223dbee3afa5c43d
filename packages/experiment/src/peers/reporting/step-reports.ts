import type { TrainingSettings } from '@murmuration/algorithms'
import type { PeerName, StepReport } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { type StepEvent, secondsOf } from '../../base/events.js'
import type { PeerProgress } from './snapshots.js'

/** A run has at most about so many reports of each peer, so that a long run does not flood its reader … */
const maxReports = 500

/** … except that a report is due after this time, in milliseconds. */
const maxSilence = 2000

/** The totals of a run's steps. */
export interface RunTotals {
  readonly seconds: number
  readonly samples: number
  readonly waiting: number
  readonly disagreement?: number | undefined
  readonly consensusDistance?: number
  /** The last duality gap; absent if none was known. */
  readonly gap?: number
  /**
   * The last estimate of the consensus distance in training, or, without one, this peer's distance from its neighbours:
   * in the first averaging round, where the algorithm sends no models.
   */
  readonly apartAfterTraining: number
  /** See {@link PeerProgress}. */
  readonly begun?: number
}

/** Summarises the steps of a peer in reports over a few rounds each. */
export class StepReports {
  readonly #self: PeerName
  readonly #peer: Peer
  readonly #every: number
  readonly #last: number
  readonly #start: number
  #waited = 0
  #losses: number[] = []
  #disagreement: number | undefined
  #recent: { readonly consensusDistance?: number; readonly gap?: number } = {}
  #apartAfterTraining: number | undefined
  #samples = 0
  #begun: number | undefined
  /** The peers that were missing in the last round: a change causes a report. */
  #missing = ''
  #reported: number

  constructor(
    self: PeerName,
    peer: Peer,
    { rounds, finalRounds = 0 }: Pick<TrainingSettings, 'rounds' | 'finalRounds'>
  ) {
    this.#self = self
    this.#peer = peer
    this.#last = rounds + finalRounds - 1
    this.#every = Math.ceil((rounds + finalRounds) / maxReports)
    this.#start = peer.fabric.now()
    this.#reported = this.#start
  }

  /** Takes a step; returns a report when one is due. */
  add(step: StepReport): StepEvent | undefined {
    const { round, phase, ends, loss, rate, samples, disagreement, distances, missing, unsent } = step
    const { consensus, gap } = step
    if (consensus !== undefined) this.#recent = { ...this.#recent, consensusDistance: consensus.distance }
    if (gap !== undefined) this.#recent = { ...this.#recent, gap }
    if (phase === 'train') this.#apartAfterTraining = this.#recent.consensusDistance ?? disagreement
    else this.#apartAfterTraining ??= disagreement
    this.#samples = samples
    this.#begun ??= round
    this.#waited += step.waited
    this.#disagreement = disagreement
    if (loss !== undefined) this.#losses.push(loss)
    const sameMissing = missing.join() === this.#missing
    this.#missing = missing.join()
    const isDue = (round + 1) % this.#every === 0 || this.#peer.fabric.now() - this.#reported >= maxSilence
    if (!isDue && round !== this.#last && sameMissing && ends === undefined) return undefined
    this.#reported = this.#peer.fabric.now()
    const { sent, received } = this.#peer.traffic()
    return {
      kind: 'step',
      peer: this.#self,
      round,
      phase,
      ...(ends === undefined ? {} : { ends }),
      ...(this.#losses.length === 0 ? {} : { loss: this.#meanLoss() }),
      ...(rate === undefined ? {} : { rate }),
      samples,
      ...(disagreement === undefined ? {} : { disagreement }),
      ...this.#recent,
      distances,
      missing,
      unsent,
      ...this.#times(),
      bytesSent: sent.payload + sent.overhead,
      bytesReceived: received.payload + received.overhead
    }
  }

  /** Up to now. */
  progress(samples: number): PeerProgress {
    const { sent } = this.#peer.traffic()
    return { seconds: this.#times().seconds, samples, bytes: sent.payload + sent.overhead, ...this.#beginning() }
  }

  /** Over the whole run. */
  totals(): RunTotals {
    const samples = this.#samples
    const disagreement = this.#disagreement
    const apartAfterTraining = this.#apartAfterTraining ?? 0
    return {
      ...this.#times(),
      samples,
      disagreement,
      apartAfterTraining,
      ...this.#recent,
      ...this.#beginning()
    }
  }

  #beginning(): { readonly begun?: number } {
    return this.#begun === undefined || this.#begun === 0 ? {} : { begun: this.#begun }
  }

  #times(): { readonly seconds: number; readonly waiting: number } {
    const elapsed = this.#peer.fabric.now() - this.#start
    return { seconds: secondsOf(elapsed), waiting: elapsed > 0 ? Math.min(1, this.#waited / elapsed) : 0 }
  }

  #meanLoss(): number {
    const losses = this.#losses
    this.#losses = []
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length
  }
}
