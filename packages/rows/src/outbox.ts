import type { Fabric, Milliseconds, PeerName, SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** The messages that wait for room in the queue to one peer. */
interface Unsent {
  readonly messages: VectorMessage[]
  /** A message counts as one more than its vector has. */
  numbers: number
  /** When the queue last took a message, or the first one began to wait. */
  since: Milliseconds
}

/**
 * Messages for which the queue to their receiver has no room, in order, until it takes them: a message about rows
 * cannot be left out.
 */
export class Outbox {
  readonly #fabric: Pick<Fabric<VectorMessage>, 'send' | 'now'>
  readonly #maxNumbers: number
  readonly #unsent = new Map<PeerName, Unsent>()

  /** @param maxNumbers - the most numbers that the messages for one peer may hold */
  constructor(fabric: Pick<Fabric<VectorMessage>, 'send' | 'now'>, maxNumbers: number) {
    this.#fabric = fabric
    this.#maxNumbers = maxNumbers
  }

  get isEmpty(): boolean {
    return this.#unsent.size === 0
  }

  /** Sends a message, now or by `retry`. 'full' when too many wait already. */
  send(to: PeerName, message: VectorMessage): SendResult {
    const unsent = this.#unsent.get(to)
    const result = unsent === undefined ? this.#fabric.send(to, message) : 'full'
    if (result !== 'full') return result
    const { messages, numbers, since } = unsent ?? { messages: [], numbers: 0, since: this.#fabric.now() }
    const sum = numbers + message.vector.length + 1
    if (sum > this.#maxNumbers) return 'full'
    messages.push(message)
    this.#unsent.set(to, { messages, numbers: sum, since })
    return 'queued'
  }

  /**
   * Sends what there is room for now. What waits for a peer that has left is dropped: whoever needs that peer times
   * out.
   */
  retry(): void {
    for (const [to, unsent] of this.#unsent) {
      const room = unsent.messages.findIndex((message) => this.#fabric.send(to, message) === 'full')
      const taken = unsent.messages.splice(0, room < 0 ? unsent.messages.length : room)
      if (taken.length > 0) unsent.since = this.#fabric.now()
      for (const { vector } of taken) unsent.numbers -= vector.length + 1
      if (unsent.messages.length === 0) this.#unsent.delete(to)
    }
  }

  /** The peers whose queue has taken nothing for `time`. */
  stalled(time: Milliseconds): readonly PeerName[] {
    const now = this.#fabric.now()
    return [...this.#unsent].filter(([, { since }]) => now - since >= time).map(([name]) => name)
  }
}
