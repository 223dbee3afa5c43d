/** How often a model is evaluated in a run, beside the last round of training. */
const snapshots = 20

/** Rounds from one evaluation to the next. */
export function snapshotsEvery(rounds: number): number {
  return Math.max(1, Math.floor(rounds / snapshots))
}
