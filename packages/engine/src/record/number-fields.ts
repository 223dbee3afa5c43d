/** The numbers beside the vectors of a message, and which values the protocol allows them. */

/** What the range of a number may depend on. */
export interface RunSize {
  /** The number of peers that train. */
  readonly workers: number
  /** Messages have rounds below this. */
  readonly rounds: number
}

/**
 * A number of a message, sent as a float64. A message with one that is not allowed is its sender's fault, and counts as
 * not sent: a record need not check what its channels carry.
 */
export interface NumberField {
  /** For the message about the fault: "above 0, at most 4". */
  allowed(run: RunSize): string
  isAllowed(value: number, run: RunSize): boolean
}

/** A part of push-sum's mass. The weights of all n workers sum to n, and a part is never nothing. */
export const massField: NumberField = {
  allowed: ({ workers }) => `above 0, at most ${workers}`,
  isAllowed: (value, { workers }) => value > 0 && value <= workers
}

/** A sum of such parts, over rounds. */
export const massSumField: NumberField = {
  allowed: ({ workers, rounds }) => `0 to ${workers * rounds}`,
  isAllowed: (value, { workers, rounds }) => value >= 0 && value <= workers * rounds
}

/** A whole number from `min` to `max`, both included. */
export function wholeField(min: number, max: (run: RunSize) => number): NumberField {
  return {
    allowed: (run) => `a whole number from ${min} to ${max(run)}`,
    isAllowed: (value, run) => Number.isInteger(value) && value >= min && value <= max(run)
  }
}

/** A number of rounds, or of steps. */
export const roundsField = wholeField(0, ({ rounds }) => rounds)
