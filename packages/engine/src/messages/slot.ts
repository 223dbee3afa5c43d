import type { PeerName } from '@murmuration/core'
import type { Message } from '../vectors/vector.js'
import { type Header, usualHeader } from './header.js'

/** From this many messages on, they are looked up in a table; for few a linear search is faster. */
const tableFrom = 8

/** The initial capacity: a list that grows by itself has room for at least 17. */
const usually = 4

/** The messages of one tag: one per sender, in the order of arrival. */
export class Slot {
  tag = -1
  /** The next of the empty slots. */
  next: Slot | undefined
  /** How many entries of the two lists are used: lists that shrink are reallocated. */
  #size = 0
  readonly #senders = new Array<PeerName>(usually)
  readonly #messages = new Array<Message>(usually)
  /** Absent while all headers are usual. */
  #headers: Map<PeerName, Header> | undefined
  #indices: Map<PeerName, number> | undefined

  get size(): number {
    return this.#size
  }

  get(from: PeerName): Message | undefined {
    const index = this.#indexOf(from)
    return index < 0 ? undefined : this.#messages[index]
  }

  /** Whether a message has a header that is not the usual one. */
  get hasHeaders(): boolean {
    return this.#headers !== undefined
  }

  /** The header of a sender's message. */
  headerOf(from: PeerName): Header {
    return this.#headers?.get(from) ?? usualHeader
  }

  /** Adds a message of a sender that has none. */
  add(from: PeerName, message: Message, header = usualHeader): void {
    if (header !== usualHeader) {
      this.#headers ??= new Map()
      this.#headers.set(from, header)
    }
    this.#indices?.set(from, this.#size)
    this.#senders[this.#size] = from
    this.#messages[this.#size] = message
    this.#size++
  }

  delete(from: PeerName): void {
    const index = this.#indexOf(from)
    if (index < 0) return
    this.#senders.splice(index, 1)
    this.#messages.splice(index, 1)
    this.#size--
    this.#indices = undefined
    this.#headers?.delete(from)
  }

  forEach(act: (from: PeerName, message: Message) => void): void {
    for (let index = 0; index < this.#size; index++) act(this.#senders[index], this.#messages[index])
  }

  /** Forgets all messages. */
  clear(): void {
    this.#size = 0
    this.#indices = undefined
    this.#headers = undefined
  }

  #indexOf(from: PeerName): number {
    const senders = this.#senders
    if (this.#size >= tableFrom) return this.#table.get(from) ?? -1
    for (let index = 0; index < this.#size; index++) if (senders[index] === from) return index
    return -1
  }

  get #table(): ReadonlyMap<PeerName, number> {
    this.#indices ??= new Map(this.#senders.slice(0, this.#size).map((sender, index) => [sender, index]))
    return this.#indices
  }
}
