import type { StepReport } from '@murmuration/core'

/** How often a model is evaluated in a run at equal distances. */
const snapshots = 20

/** Rounds between two evaluations. */
export function snapshotsEvery(rounds: number): number {
  return Math.max(1, Math.floor(rounds / snapshots))
}

/** The progress of one peer, with its time and bytes. */
export interface PeerProgress {
  /** Since this peer began to train. */
  readonly seconds: number
  readonly samples: number
  /** Sent, payload and overhead. */
  readonly bytes: number
  /**
   * The first round of this process, if it resumed from a checkpoint or joined: seconds and bytes count from there,
   * samples do not.
   */
  readonly begun?: number
}

/** The state of a peer after a round. */
export interface Snapshot extends PeerProgress {
  readonly round: number
  /** Valid until the next step, so copy it to keep it. Empty for a server, unless it holds rows. */
  readonly parameters: Float32Array
  /** The keys of the rows in `parameters`, if rows are divided among all peers. */
  readonly holds?: Uint32Array
}

/**
 * Whether a model is evaluated after a round: at the end, every `every` rounds, and before that after 1, 2, 4, 8 …
 * rounds, so that the first figures come at once. Only in training: final averaging rounds do not change the mean.
 */
export function isSnapshot(
  { round, phase, ends }: Pick<StepReport, 'round' | 'phase' | 'ends'>,
  every: number,
  rounds: number
): boolean {
  const done = round + 1
  const isEarly = done < every && (done & round) === 0
  return phase === 'train' && (isEarly || done % every === 0 || done === rounds || ends !== undefined)
}
