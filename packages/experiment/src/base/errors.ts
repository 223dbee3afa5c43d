/** Errors of experiments, in addition to those of core. */
import {
  DivergedError,
  InputError,
  NeighboursMissingError,
  OutputError,
  RefusedError,
  StoppedError,
  StoreError
} from '@murmuration/core'

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

/** By the error's name: an error from another process keeps only that. */
const kinds = new Map<string, FailureKind>([
  [InputError.name, 'input'],
  [NeighboursMissingError.name, 'neighboursMissing'],
  [LostError.name, 'neighboursMissing'],
  [StoreError.name, 'neighboursMissing'],
  [RefusedError.name, 'refused'],
  [DivergedError.name, 'diverged'],
  [DisagreementError.name, 'disagreement'],
  [SimulationError.name, 'simulation'],
  [OutputError.name, 'output'],
  [StoppedError.name, 'interrupted']
])

/**
 * The kind of failure of an error of this project: its message says all that a user needs. Undefined for other errors.
 */
export function failureKindOf(error: unknown): FailureKind | undefined {
  return error instanceof Error ? kinds.get(error.name) : undefined
}
