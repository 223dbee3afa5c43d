/** What an algorithm says whose parameters are keyed rows, beside its record. */
import { z } from 'zod'
import type { KeyServer, KeySetting, SendTo } from './key-server.js'

/** How keyed rows are served. */
export interface KeyService {
  /** Who holds the rows at first: peers with the role of a server, or the workers themselves, which then reach their own without a message. */
  readonly holders: 'servers' | 'workers'
  readonly open: (
    setting: KeySetting,
    send: SendTo,
    start: Float32Array,
    /** Of the algorithm, with their defaults. */
    options: Readonly<Record<string, unknown>>
  ) => KeyServer
}

/** What algorithms with keyed rows have as options. */
export const keyOptions = {
  workers: z.int().min(1).max(64).default(1).meta({ description: 'How many workers of a peer take batches at a time' }),
  blocking: z.boolean().default(false).meta({
    description: 'Whether each peer has a block of the keys for itself, and the next one when all have done with theirs'
  })
}

/** As {@link keyOptions}, of rows that move. */
export const movingKeyOptions = {
  ...keyOptions,
  ahead: z.int().min(0).max(64).default(2).meta({
    description: 'How many batches before they are used rows are asked for, where they do not come in blocks'
  })
}

/** As {@link keyOptions}, of servers that go by the clocks of workers. */
export const clockedKeyOptions = {
  ...keyOptions,
  tick: z.int().min(1).max(1000).default(1).meta({
    description: 'How many batches a worker takes from one tick of its clock to the next'
  })
}

type AllOptions = typeof movingKeyOptions & typeof clockedKeyOptions
/** What the driver looks at. */
export type KeyOptions = { readonly [name in keyof AllOptions]?: z.output<AllOptions[name]> }
