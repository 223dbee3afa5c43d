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
}

/** What a peer has after a round. */
export interface Snapshot extends Progress {
  readonly round: number
  /** Valid until the next step: copy them to keep them. None of a server. */
  readonly parameters: Float32Array
}
