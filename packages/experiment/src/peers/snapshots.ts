import type { StepReport } from '@murmuration/core'

/** How often a model is evaluated in a run, beside the last round of training. */
const snapshots = 20

/** Rounds from one evaluation to the next. */
export function snapshotsEvery(rounds: number): number {
  return Math.max(1, Math.floor(rounds / snapshots))
}

/** How far one peer is, and what that took. */
export interface Progress {
  /** Since this peer began to train. */
  readonly seconds: number
  readonly samples: number
  /** Sent, payload and overhead. */
  readonly bytes: number
  /** The round that this process began with, where it went on from a checkpoint or joined: seconds and bytes are since, samples are not. */
  readonly begun?: number
}

/** What a peer has after a round. */
export interface Snapshot extends Progress {
  readonly round: number
  /** Valid until the next step: copy them to keep them. None of a server, unless it holds rows. */
  readonly parameters: Float32Array
  /** The keys of the rows that `parameters` are, where those are divided among all. */
  readonly holds?: Uint32Array
}

/** Snapshots are of training: in final averaging rounds the mean does not change any more. */
export function isSnapshot({ round, phase }: StepReport, every: number, rounds: number): boolean {
  return phase === 'train' && ((round + 1) % every === 0 || round + 1 === rounds)
}
