import { Queue } from '#platform/libraries/base.js'
import type { Streams } from './streams.js'

/** Dials a neighbour and sends a hello. `undefined` when the neighbour refuses. It must have its own timeout. */
export type CallNeighbour = () => Promise<Streams | undefined>

/**
 * The calls of all peers of this process, which share one processor. If there were more at a time, all would take
 * longer and time out together, and their computation would be lost.
 */
const ofProcess = new Queue<Streams | undefined>({ concurrency: 16 })

/** Limits the concurrent calls of one peer, and of all peers of the process. */
export class Turns {
  readonly #ofPeer: Queue<Streams | undefined>

  /** @param concurrency - the most concurrent calls of this peer */
  constructor(concurrency: number) {
    this.#ofPeer = new Queue({ concurrency })
  }

  /**
   * Makes a call in its turn, which lasts until the call has ended. When `signal` is aborted before the turn, rejects
   * without a call.
   */
  async take(call: CallNeighbour, signal: AbortSignal): Promise<Streams | undefined> {
    return this.#ofPeer.add(() => ofProcess.add(call, { signal }), { signal })
  }
}
