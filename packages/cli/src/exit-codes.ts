import { failureKindOf } from '@murmuration/experiment/errors'

/**
 * The meanings of the command's exit codes. Documented in docs/use/commands.md, which a test compares with this table.
 */
export const exitCodes = {
  success: { code: 0, meaning: 'all went well' },
  failure: { code: 1, meaning: 'an error that no other code describes' },
  input: { code: 2, meaning: 'a file, an option or the data is wrong; the message says where' },
  neighboursMissing: {
    code: 3,
    meaning: 'neighbours or a store could not be reached, or were lost; the message says which'
  },
  refused: {
    code: 4,
    meaning: 'more than half of the neighbours refuse this peer, or it refuses them; the message says why'
  },
  diverged: {
    code: 5,
    meaning: 'the loss rose to 2^24 times the first one, or the loss or the parameters became NaN or infinite'
  },
  disagreement: {
    code: 6,
    meaning: 'the final models of the peers are not one: they differ more than the topology guarantees'
  },
  simulation: {
    code: 7,
    meaning: 'a simulation violated an invariant, gave another result when repeated, or deadlocked; or all runs failed'
  },
  output: {
    code: 8,
    meaning: 'the model or the results cannot be written, for example on a full disk; the message says what was saved'
  },
  doctor: { code: 9, meaning: '"murmur doctor" found a problem; each finding says how to fix it' },
  interrupted: { code: 130, meaning: 'stopped by Ctrl-C or a signal, cleanly' }
} as const

/** The name of a kind of failure. */
export type ExitName = keyof typeof exitCodes

/** The kind of failure of an error. */
export function exitNameOf(error: unknown): ExitName {
  return failureKindOf(error) ?? 'failure'
}
