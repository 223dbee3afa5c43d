import { InputError } from '@murmuration/core'
import type { MinFinished } from '@murmuration/experiment/peers'

/** Reads `3` or `75%`. Throws an InputError for anything else. */
export function minFinishedOf(text: string): MinFinished {
  const [, digits, unit] = /^(\d+(?:\.\d+)?) *(%?)$/.exec(text) ?? []
  const amount = Number(digits)
  if (unit === '%' && amount > 0 && amount <= 100) return { amount, unit }
  if (unit === '' && Number.isInteger(amount) && amount > 0) return { amount, unit: 'peers' }
  throw new InputError(
    `--min-finished: found "${text}", expected a number of peers such as 3, or a percentage such as 75%`
  )
}
