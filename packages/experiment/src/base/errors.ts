/** Errors of experiments, in addition to those of core. */

/** The peers' models differ too much at the end. */
export class DisagreementError extends Error {
  override readonly name = 'DisagreementError'
}

/** A simulation violated an invariant, or all of its runs failed. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

/** A peer's process ended without a message: killed, or crashed. */
export class LostError extends Error {
  override readonly name = 'LostError'
}

/** A kind of failure that has an exit code of its own. */
export type FailureKind =
  | 'input'
  | 'neighboursMissing'
  | 'refused'
  | 'diverged'
  | 'disagreement'
  | 'simulation'
  | 'output'
  | 'interrupted'

/** By the error's name: an error from another process keeps only that. A bundler may shorten those of classes. */
const kinds = new Map<string, FailureKind>([
  ['InputError', 'input'],
  ['NeighboursMissingError', 'neighboursMissing'],
  ['LostError', 'neighboursMissing'],
  ['StoreError', 'neighboursMissing'],
  ['RefusedError', 'refused'],
  ['DivergedError', 'diverged'],
  ['DisagreementError', 'disagreement'],
  ['SimulationError', 'simulation'],
  ['OutputError', 'output'],
  ['StoppedError', 'interrupted']
])

/**
 * The kind of failure of an error of this project: its message says all that a user needs. Undefined for other errors.
 */
export function failureKindOf(error: unknown): FailureKind | undefined {
  return error instanceof Error ? kinds.get(error.name) : undefined
}
