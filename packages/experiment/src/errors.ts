/** What can go wrong with an experiment, beside the errors of core. */
import {
  DivergedError,
  InputError,
  NeighboursMissingError,
  OutputError,
  RefusedError,
  StoppedError
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

const typed = [
  InputError,
  NeighboursMissingError,
  LostError,
  RefusedError,
  DivergedError,
  DisagreementError,
  SimulationError,
  OutputError,
  StoppedError
]

/** Whether an error is one of ours, whose message says all that a user needs. Errors that crossed a process are told by their names. */
export function isTyped(error: unknown): boolean {
  return error instanceof Error && typed.some(({ name }) => name === error.name)
}
