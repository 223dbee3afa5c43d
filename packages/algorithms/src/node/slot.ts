import type { PeerName } from '@murmuration/core'
import type { Message } from './vector.js'

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
  #places: Map<PeerName, number> | undefined

  get size(): number {
    return this.#size
  }

  get(from: PeerName): Message | undefined {
    const place = this.#placeOf(from)
    return place < 0 ? undefined : this.#messages[place]
  }

  /** Adds a message of a sender that has none. */
  add(from: PeerName, message: Message): void {
    this.#places?.set(from, this.#size)
    this.#senders[this.#size] = from
    this.#messages[this.#size] = message
    this.#size++
  }

  delete(from: PeerName): void {
    const place = this.#placeOf(from)
    if (place < 0) return
    this.#senders.splice(place, 1)
    this.#messages.splice(place, 1)
    this.#size--
    this.#places = undefined
  }

  forEach(act: (from: PeerName, message: Message) => void): void {
    for (let place = 0; place < this.#size; place++) act(this.#senders[place], this.#messages[place])
  }

  /** Forgets all messages. */
  clear(): void {
    this.#size = 0
    this.#places = undefined
  }

  #placeOf(from: PeerName): number {
    const senders = this.#senders
    if (this.#size >= tableFrom) return this.#table.get(from) ?? -1
    for (let place = 0; place < this.#size; place++) if (senders[place] === from) return place
    return -1
  }

  get #table(): ReadonlyMap<PeerName, number> {
    this.#places ??= new Map(this.#senders.slice(0, this.#size).map((sender, place) => [sender, place]))
    return this.#places
  }
}
