/** What can go wrong with an experiment, beside the errors of core. */
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

/** A simulation broke a promise. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
}

/** A peer's process ended without a word: killed, or crashed. */
export class LostError extends Error {
  override readonly name = 'LostError'
}

/** A kind of failure that has an exit code of its own. */
export type FailureKind =
  'input' | 'neighboursMissing' | 'refused' | 'diverged' | 'disagreement' | 'simulation' | 'output' | 'interrupted'

/** By the name of the error, by which alone errors are known that crossed a process. */
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

/** The kind of failure that an error is, if it is one of ours: then its message says all that a user needs. */
export function failureKindOf(error: unknown): FailureKind | undefined {
  return error instanceof Error ? kinds.get(error.name) : undefined
}
