import { type Envelope, type Fabric, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { vectorsAhead } from './ahead.js'
import type { Stretch } from './stretches.js'

/** How many messages of one peer are kept that came before they were asked for, whatever their size. */
const messagesAhead = 1 << 16

/** Which message is expected. */
export interface Part {
  readonly kind: number
  readonly round: number
  readonly stretch: Stretch
}

/**
 * Messages between peers that cannot do without each other: sending that may not fail, and receiving a message of which it
 * is known who sends it and what it is. What comes early is kept, what is of an earlier round than the one that is asked for
 * is dropped. What cannot be used is rejected, and when what is waited for does not come, the error says so.
 */
export class Mail {
  readonly #fabric: Fabric<VectorMessage>
  readonly #early = new Map<PeerName, Early>()
  /** The most numbers of one peer that are kept early. */
  readonly #numbersAhead: number
  /** How long a message is waited for. The wait for each begins anew. */
  readonly patience: Milliseconds

  /** @param length - how many numbers whole vectors have */
  constructor(fabric: Fabric<VectorMessage>, patience: Milliseconds, length: number) {
    this.#fabric = fabric
    this.patience = patience
    this.#numbersAhead = vectorsAhead(length) * length
  }

  /** Throws a {@link NeighboursMissingError} when the message is not taken, because it would be waited for in vain. */
  send(to: PeerName, message: VectorMessage): void {
    sendOrFail(this.#fabric, to, message)
  }

  /**
   * The message of `from` that `part` describes.
   *
   * @param patience - another than usual: twice as much for a message that its sender sends only when it has had all that it
   *   waits for itself, since otherwise the sender would be blamed for a third
   * @throws NeighboursMissingError that names `from` when it does not come within the patience
   */
  async receive(from: PeerName, part: Part, patience = this.patience): Promise<VectorMessage> {
    return this.#takeEarly(from, part) ?? (await this.#await(from, part, patience))
  }

  /** As `receive`, and writes what came where it belongs in `out`. */
  async receiveInto(out: Float32Array, from: PeerName, part: Part, patience?: Milliseconds): Promise<void> {
    const message = await this.receive(from, part, patience)
    out.set(message.vector, part.stretch.offset)
    this.#fabric.recycle(message)
  }

  async #await(from: PeerName, part: Part, patience: Milliseconds): Promise<VectorMessage> {
    const deadline = this.#fabric.now() + patience
    for (;;) {
      const envelope = await this.#fabric.receive(deadline)
      if (envelope === undefined) throw this.#missing(from, part, patience)
      const { message } = envelope
      if (envelope.from === from && isPart(message, part) && this.#fits(envelope, part)) return message
      if (message.round < part.round) this.#fabric.recycle(message)
      else if (envelope.from !== from || !isPart(message, part)) this.#keep(envelope)
    }
  }

  #keep(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const early = this.#earlyOf(from)
    const { length } = message.vector
    const { messages } = early
    if (messages.length >= messagesAhead || (messages.length > 0 && early.numbers + length > this.#numbersAhead)) {
      this.#reject(envelope, `it is ahead by ${messages.length} messages with ${early.numbers} numbers`)
      return
    }
    messages.push(message)
    early.numbers += length
  }

  /** What is expected is nearly always the first that came. */
  #takeEarly(from: PeerName, part: Part): VectorMessage | undefined {
    const early = this.#early.get(from)
    if (early === undefined) return undefined
    const { messages } = early
    while (messages.length > 0 && messages[0].round < part.round) this.#fabric.recycle(removeAt(early, 0))
    for (;;) {
      const index = messages.findIndex((message) => isPart(message, part))
      if (index < 0) return undefined
      const message = removeAt(early, index)
      if (this.#fits({ from, message }, part)) return message
    }
  }

  /** Whether a message is as long as it has to be. It is rejected when it is not. */
  #fits(envelope: Envelope<VectorMessage>, { round, stretch: { offset, length } }: Part): boolean {
    const found = envelope.message.vector.length
    if (found === length) return true
    this.#reject(envelope, `${found} numbers from number ${offset} on in round ${round}; ${length} are expected`)
    return false
  }

  #reject(envelope: Envelope<VectorMessage>, reason: string): void {
    this.#earlyOf(envelope.from).fault = reason
    this.#fabric.reject(envelope, reason)
  }

  #earlyOf(from: PeerName): Early {
    const early = this.#early.get(from) ?? { messages: [], numbers: 0, fault: undefined }
    this.#early.set(from, early)
    return early
  }

  #missing(from: PeerName, { round }: Part, patience: Milliseconds): NeighboursMissingError {
    const fault = this.#early.get(from)?.fault
    const why = fault === undefined ? '' : `; what it sent last that cannot be used: ${fault}`
    const what = `${this.#fabric.self} waited ${patience} ms for ${from} in round ${round} in vain${why}`
    return new NeighboursMissingError([from], what)
  }
}

/** What one peer has sent before it was asked for. */
interface Early {
  readonly messages: VectorMessage[]
  /** How many numbers they have together. */
  numbers: number
  /** Why the last message of it was rejected. */
  fault: string | undefined
}

function removeAt(early: Early, index: number): VectorMessage {
  const [message] = index === 0 ? [early.messages.shift() as VectorMessage] : early.messages.splice(index, 1)
  early.numbers -= message.vector.length
  return message
}

/**
 * Sends `message`. Throws a {@link NeighboursMissingError} when it is not taken.
 *
 * @param isFree - whether `to` may leave when it likes; then what is sent to one that has left is dropped
 */
export function sendOrFail(fabric: Fabric<VectorMessage>, to: PeerName, message: VectorMessage, isFree = false): void {
  const result = fabric.send(to, message)
  if (result === 'queued' || (result === 'unreachable' && isFree)) return
  const why = result === 'full' ? 'the queue to it is full' : 'it cannot be reached'
  throw new NeighboursMissingError([to], `${fabric.self} cannot send to ${to} in round ${message.round}: ${why}`)
}

function isPart(message: VectorMessage, { kind, round, stretch }: Part): boolean {
  return message.round === round && message.kind === kind && (message.offset ?? 0) === stretch.offset
}
