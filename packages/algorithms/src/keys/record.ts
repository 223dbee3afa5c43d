/** What a record says in addition where its parameters are keyed rows. */
import { z } from 'zod'
import type { KeyServer, KeySetting, SendTo } from './key-server.js'

/** How keyed rows are served. */
export interface KeyService {
  /** Which peers hold the rows at first: servers, or the workers themselves, which access their own rows without a message. */
  readonly holders: 'servers' | 'workers'
  readonly open: (
    setting: KeySetting,
    send: SendTo,
    start: Float32Array,
    /** The algorithm's options, with their defaults. */
    options: Readonly<Record<string, unknown>>
  ) => KeyServer
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
