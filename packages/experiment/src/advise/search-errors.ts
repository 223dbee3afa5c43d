import { InputError } from '@murmuration/core'

/** No simulation was complete. */
export const tooShort = () =>
  new InputError('--budget: found too little to compare anything, expected more, or fewer rounds in the training file')

/** No plan reached the loss. */
export function notReached(target: number, isWhole: boolean): InputError {
  const reason = isWhole
    ? 'in the rounds of the training file; give it more rounds, or a higher --loss'
    : 'within the budget; give a larger --budget'
  return new InputError(`no plan came to a loss of ${target.toPrecision(3)} ${reason}`)
}
