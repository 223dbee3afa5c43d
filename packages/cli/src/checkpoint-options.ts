import { InputError } from '@murmuration/core/base'
import { readQuantity, timeUnits } from '@murmuration/files/quantity'
import type { CheckpointInterval, CheckpointOptions } from '@murmuration/experiment/peers'

/** The options for checkpoints. */
export interface CheckpointFlags {
  readonly checkpoint?: string
  readonly every?: CheckpointInterval
  readonly resume?: boolean
}

/** The default of `--every`. */
const defaultInterval: CheckpointInterval = { time: 30_000 }

/** Reads `30 s` or `500 rounds`. Throws an InputError for anything else. */
export function everyOf(text: string): CheckpointInterval {
  const rounds = Number(/^(\d{1,9}) ?rounds?$/.exec(text)?.[1])
  if (rounds > 0) return { rounds }
  const time = readQuantity(text, timeUnits)
  if (typeof time === 'number' && time > 0) return { time }
  throw new InputError(
    `--every: found "${text}", expected a time such as "30 s", or a number of rounds such as "500 rounds"`
  )
}

/** Throws an InputError for options that have no effect without a folder. */
export function checkpointsOf({ checkpoint, every, resume }: CheckpointFlags): CheckpointOptions | undefined {
  if (checkpoint !== undefined) return { folder: checkpoint, every: every ?? defaultInterval, resume: resume === true }
  for (const [name, value] of Object.entries({ every, resume }))
    if (value !== undefined) throw new InputError(`--${name}: needs --checkpoint FOLDER`)
  return undefined
}
