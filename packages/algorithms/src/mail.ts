import { type Fabric, invariant, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { Stretch } from './stretches.js'

/** How many messages of one peer are kept that came before they were asked for. */
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
 * is dropped.
 */
export class Mail {
  readonly #fabric: Fabric<VectorMessage>
  readonly #early = new Map<PeerName, VectorMessage[]>()
  /** How long a message is waited for. The wait for each begins anew. */
  readonly patience: Milliseconds

  constructor(fabric: Fabric<VectorMessage>, patience: Milliseconds) {
    this.#fabric = fabric
    this.patience = patience
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
    const message = this.#takeEarly(from, part) ?? (await this.#await(from, part, patience))
    const { offset, length } = part.stretch
    invariant(
      message.vector.length === length,
      () => `${from} sent ${message.vector.length} elements at ${offset}, and ${length} are expected`
    )
    return message
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
      if (envelope === undefined) {
        const what = `${this.#fabric.self} waited ${patience} ms for ${from} in round ${part.round} in vain`
        throw new NeighboursMissingError([from], what)
      }
      const { message } = envelope
      if (envelope.from === from && isPart(message, part)) return message
      if (message.round < part.round) this.#fabric.recycle(message)
      else this.#keep(envelope.from, message)
    }
  }

  #keep(from: PeerName, message: VectorMessage): void {
    const kept = this.#early.get(from) ?? []
    kept.push(message)
    this.#early.set(from, kept)
    invariant(kept.length <= messagesAhead, () => `${from} is more than ${messagesAhead} messages ahead`)
  }

  /** What is expected is nearly always the first that came. */
  #takeEarly(from: PeerName, part: Part): VectorMessage | undefined {
    const kept = this.#early.get(from)
    if (kept === undefined) return undefined
    while (kept.length > 0 && kept[0].round < part.round) this.#fabric.recycle(kept.shift() as VectorMessage)
    const index = kept.findIndex((message) => isPart(message, part))
    if (index === 0) return kept.shift()
    return index > 0 ? kept.splice(index, 1)[0] : undefined
  }
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
