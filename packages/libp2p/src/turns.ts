import { Queue } from '@libp2p/utils'
import type { Streams } from './streams.js'

/** Calls a neighbour and says hello. `undefined` when the neighbour does not agree. It has to end by itself. */
export type Call = () => Promise<Streams | undefined>

/**
 * The calls of all peers of this process, which share one processor. More at a time would all take longer and time out together, and what they
 * have computed would be lost.
 */
const everyone = new Queue<Streams | undefined>({ concurrency: 16 })

/** Lets a few calls of one peer be under way at a time, and a few of all peers of the process. */
export class Turns {
  readonly #own: Queue<Streams | undefined>

  /** @param concurrency - how many calls of this peer are under way at a time */
  constructor(concurrency: number) {
    this.#own = new Queue({ concurrency })
  }

  /** Makes a call in its turn, which lasts until the call has ended. Rejects when `signal` is aborted before; the call is not made then. */
  async take(call: Call, signal: AbortSignal): Promise<Streams | undefined> {
    return this.#own.add(() => everyone.add(call, { signal }), { signal })
  }
}
