import { failureKindOf } from '@murmuration/experiment/errors'

/** The meanings of the command's exit codes. Documented in docs/commands.md, which a test compares with this table. */
export const exitCodes = {
  success: { code: 0, meaning: 'all went well' },
  failure: { code: 1, meaning: 'an error that none of the others describes' },
  input: { code: 2, meaning: 'a file, an option or the data is wrong; the message says where' },
  neighboursMissing: { code: 3, meaning: 'neighbours or a store were not there, or were lost; the message says which' },
  refused: { code: 4, meaning: 'a neighbour refuses this peer, or the other way round; the message says why' },
  diverged: { code: 5, meaning: 'the loss or the parameters became NaN or infinite' },
  disagreement: { code: 6, meaning: 'the peers ended with models that differ more than the topology promises' },
  simulation: {
    code: 7,
    meaning:
      'a simulation broke a promise (it came out otherwise when repeated, it deadlocked, or an invariant was broken), or all runs failed'
  },
  output: {
    code: 8,
    meaning: 'the model or the results cannot be written, as on a full disk; the message says what is left'
  },
  doctor: { code: 9, meaning: '"murmur doctor" found something wrong; each finding says how to mend it' },
  interrupted: { code: 130, meaning: 'stopped by Ctrl-C or a signal, cleanly' }
} as const

/** The name of a kind of failure. */
export type ExitName = keyof typeof exitCodes

/** The kind of failure of an error. */
export function exitNameOf(error: unknown): ExitName {
  return failureKindOf(error) ?? 'failure'
}
