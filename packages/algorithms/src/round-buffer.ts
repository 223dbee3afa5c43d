import { invariant, type PeerName } from '@murmuration/core'

/** What became of a message that was offered. Only 'kept' ones are averaged; the others are no-ops. */
export type Offer = 'kept' | 'late' | 'duplicate' | 'too-early' | 'unexpected'

/** A place for each message of a round, in the order of those who are to send. */
interface Slots<Message> {
  readonly expected: readonly PeerName[]
  readonly messages: (Message | undefined)[]
  lacking: number
}

const nobody: readonly PeerName[] = []

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
  readonly #later = new Map<number, Slots<Message>>()
  #present: Slots<Message>
  #round = 0

  /**
   * @param expected - who sends in a round, each once
   * @param ahead - how many rounds ahead of one's own a message may be
   */
  constructor(expected: (round: number) => readonly PeerName[], ahead: number) {
    this.#expected = expected
    this.#ahead = ahead
    this.#present = this.#slots(0)
  }

  /** The round that is being collected. It never goes back. */
  get round(): number {
    return this.#round
  }

  /** How many messages the present round lacks. */
  get lacking(): number {
    return this.#present.lacking
  }

  /** Whether a message of `round` comes so early that it is not kept. */
  isTooEarly(round: number): boolean {
    return round > this.#round + this.#ahead
  }

  /** Takes a message in, or says why not. */
  offer(from: PeerName, round: number, message: Message): Offer {
    if (round < this.#round) return 'late'
    if (this.isTooEarly(round)) return 'too-early'
    const slots = round === this.#round ? this.#present : this.#slotsOf(round)
    const place = slots.expected.indexOf(from)
    if (place < 0) return 'unexpected'
    if (slots.messages[place] !== undefined) return 'duplicate'
    slots.messages[place] = message
    slots.lacking--
    return 'kept'
  }

  /** Who is still expected in the present round, in the order of `expected`. */
  missing(): readonly PeerName[] {
    const { expected, messages, lacking } = this.#present
    return lacking === 0 ? nobody : expected.filter((_, place) => messages[place] === undefined)
  }

  /** Ends the present round: its messages, in the order of `expected`, and on to the next. */
  take(): readonly (Message | undefined)[] {
    const { messages } = this.#present
    this.#round++
    this.#present = this.#later.get(this.#round) ?? this.#slots(this.#round)
    this.#later.delete(this.#round)
    invariant(this.#later.size <= this.#ahead, 'the round buffer holds more rounds than it may')
    return messages
  }

  /** The slots of a later round. */
  #slotsOf(round: number): Slots<Message> {
    const known = this.#later.get(round)
    if (known !== undefined) return known
    const fresh = this.#slots(round)
    this.#later.set(round, fresh)
    return fresh
  }

  #slots(round: number): Slots<Message> {
    const expected = this.#expected(round)
    return { expected, messages: expected.map(() => undefined), lacking: expected.length }
  }
}
