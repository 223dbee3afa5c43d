import type { PeerName } from '@murmuration/core'
import { SmallList } from '../vectors/small-list.js'
import type { Message } from '../vectors/vector.js'
import { type EdgeHeader, usualHeader } from './header.js'

/** From this many messages on, they are looked up in a table; for few a linear search is faster. */
const tableFrom = 8

/** How many peers usually send. */
const usualSenders = 4

/** The messages of one tag: one per sender, in the order of arrival. */
export class Slot {
  tag = -1
  /** The next of the empty slots. */
  next: Slot | undefined
  readonly #senders = new SmallList<PeerName>(usualSenders)
  readonly #messages = new SmallList<Message>(usualSenders)
  /** Absent while all headers are usual. */
  #headers: Map<PeerName, EdgeHeader> | undefined
  #indices: Map<PeerName, number> | undefined

  get size(): number {
    return this.#senders.size
  }

  get(from: PeerName): Message | undefined {
    const index = this.#indexOf(from)
    return index < 0 ? undefined : this.#messages.at(index)
  }

  /** Whether a message has a header that is not the usual one. */
  get hasHeaders(): boolean {
    return this.#headers !== undefined
  }

  /** The header of a sender's message. */
  headerOf(from: PeerName): EdgeHeader {
    return this.#headers?.get(from) ?? usualHeader
  }

  /** Adds a message of a sender that has none. */
  add(from: PeerName, message: Message, header = usualHeader): void {
    if (header !== usualHeader) {
      this.#headers ??= new Map()
      this.#headers.set(from, header)
    }
    this.#indices?.set(from, this.size)
    this.#senders.push(from)
    this.#messages.push(message)
  }

  delete(from: PeerName): void {
    const index = this.#indexOf(from)
    if (index < 0) return
    this.#senders.delete(index)
    this.#messages.delete(index)
    this.#indices = undefined
    this.#headers?.delete(from)
  }

  forEach(act: (from: PeerName, message: Message) => void): void {
    for (let index = 0; index < this.size; index++) act(this.#senderAt(index), this.#messages.at(index) as Message)
  }

  /** Forgets all messages. */
  clear(): void {
    this.#senders.truncate(0)
    this.#messages.truncate(0)
    this.#indices = undefined
    this.#headers = undefined
  }

  #indexOf(from: PeerName): number {
    const senders = this.#senders
    const { size } = senders
    if (size >= tableFrom) return this.#table.get(from) ?? -1
    for (let index = 0; index < size; index++) if (senders.at(index) === from) return index
    return -1
  }

  get #table(): ReadonlyMap<PeerName, number> {
    if (this.#indices !== undefined) return this.#indices
    this.#indices = new Map()
    for (let index = 0; index < this.size; index++) this.#indices.set(this.#senderAt(index), index)
    return this.#indices
  }

  #senderAt(index: number): PeerName {
    return this.#senders.at(index) as PeerName
  }
}
