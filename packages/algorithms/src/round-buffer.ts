import { invariant, type PeerName } from '@murmuration/core'

/** What became of a message that was offered. Only 'kept' ones are averaged; the others are no-ops. */
export type Offer = 'kept' | 'late' | 'duplicate' | 'too-early' | 'unexpected'

/**
 * Keeps one message per expected sender and round, so that early, late, duplicate and missing messages do no harm.
 * It does no I/O and does not wait.
 *
 * A neighbour can be ahead by a few rounds only, because it waits for one's own messages too (directly, or through the
 * others); what is further ahead than `ahead` rounds is refused, which bounds the memory.
 */
export class RoundBuffer<Message> {
  readonly #expected: (round: number) => readonly PeerName[]
  readonly #ahead: number
  readonly #rounds = new Map<number, Map<PeerName, Message>>()
  #round = 0

  /**
   * @param expected - who sends in a round
   * @param ahead - how many rounds ahead of one's own a message may be
   */
  constructor(expected: (round: number) => readonly PeerName[], ahead: number) {
    this.#expected = expected
    this.#ahead = ahead
  }

  /** The round that is being collected. It never goes back. */
  get round(): number {
    return this.#round
  }

  /** Takes a message in, or says why not. */
  offer(from: PeerName, round: number, message: Message): Offer {
    if (round < this.#round) return 'late'
    if (round > this.#round + this.#ahead) return 'too-early'
    if (!this.#expected(round).includes(from)) return 'unexpected'
    const messages = this.#messagesOf(round)
    if (messages.has(from)) return 'duplicate'
    messages.set(from, message)
    return 'kept'
  }

  /** Who is still expected in the present round, in the order of `expected`. */
  missing(): PeerName[] {
    const messages = this.#messagesOf(this.#round)
    return this.#expected(this.#round).filter((name) => !messages.has(name))
  }

  /** Ends the present round: its messages, and on to the next. */
  take(): ReadonlyMap<PeerName, Message> {
    const messages = this.#messagesOf(this.#round)
    this.#rounds.delete(this.#round)
    this.#round++
    invariant(this.#rounds.size <= this.#ahead + 1, 'the round buffer holds more rounds than it may')
    return messages
  }

  #messagesOf(round: number): Map<PeerName, Message> {
    const known = this.#rounds.get(round)
    if (known !== undefined) return known
    const fresh = new Map<PeerName, Message>()
    this.#rounds.set(round, fresh)
    return fresh
  }
}
