import { InputError } from '@murmuration/core'

/** No simulation was complete. */
export const tooShort = () =>
  new InputError('--budget: too little to complete a simulation; give more, or fewer rounds in the training file')

/** No plan reached the loss. */
export function notReached(target: number, isWhole: boolean): InputError {
  const reason = isWhole
    ? 'in the rounds of the training file; give more rounds, or a higher --loss'
    : 'within the budget; give a larger --budget'
  return new InputError(`no plan reached a loss of ${target.toPrecision(3)} ${reason}`)
}
