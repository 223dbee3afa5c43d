/** What an algorithm over keyed rows is: one record. */
import { branded, type Description } from '@murmuration/engine'
import * as z from 'zod'
import type { KeyServer, KeySetting, SendTo } from './key-server.js'

/** An algorithm whose parameters are keyed rows: how they are served. Its workers run rows-sgd.ts. */
export interface RowsDefinition extends Description {
  /**
   * Which peers hold the rows at first: servers, or the workers themselves, which access their own rows without a
   * message.
   */
  readonly holders: 'servers' | 'workers'
  readonly open: (
    setting: KeySetting,
    send: SendTo,
    start: Float32Array,
    /** The algorithm's options, with their defaults. */
    options: Readonly<Record<string, unknown>>
  ) => KeyServer
}

/** A {@link RowsDefinition} that is told from algorithms over a vector by its kind. */
export interface RowsAlgorithm extends RowsDefinition {
  readonly kind: 'rows'
}

/** Checks and brands an algorithm over keyed rows. Throws an InputError that names a part that is missing or wrong. */
export function rowsAlgorithm(definition: RowsDefinition): RowsAlgorithm {
  return branded(definition, 'rows')
}

/** Options of all algorithms with keyed rows. */
export const keyOptions = {
  workers: z.int().min(1).max(64).default(1).meta({ description: 'How many workers of a peer run in parallel' }),
  blocking: z.boolean().default(false).meta({
    description: 'Whether each peer has a block of the keys for itself, and takes the next one when all have finished'
  })
}

/** {@link keyOptions} where rows move. */
export const movingKeyOptions = {
  ...keyOptions,
  ahead: z.int().min(0).max(64).default(2).meta({
    description: 'How many batches ahead rows are requested; not used with blocking'
  })
}

/** {@link keyOptions} where servers use the clocks of workers. */
export const clockedKeyOptions = {
  ...keyOptions,
  tick: z.int().min(1).max(1000).default(1).meta({
    description: 'How many batches a worker processes per tick of its clock'
  })
}

type AllOptions = typeof movingKeyOptions & typeof clockedKeyOptions
/** The options that the driver reads. */
export type KeyOptions = { readonly [name in keyof AllOptions]?: z.output<AllOptions[name]> }
