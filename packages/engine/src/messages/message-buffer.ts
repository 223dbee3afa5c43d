import type { PeerName } from '@murmuration/core'
import { vectorsAhead } from './ahead.js'
import type { Arrival, Message, State } from '../record/record.js'
import type { Range } from '../vectors/vector.js'
import { Slot } from './slot.js'
import { type EdgeHeader, restoredHeader, savedHeader, usualHeader } from './header.js'
import { overhead, type Wire } from './wire.js'

/** The most parts of a round. */
export const partsPerRound = 65_536

/** Whether early messages are saved. */
export type EarlyMessages = 'with early' | 'without early'

/** What identifies a message of a channel. */
interface Tagged {
  readonly tag: number
  readonly from: PeerName
}

/** A message that is kept in the order of arrival. */
interface Kept extends Arrival<Message> {
  readonly header: EdgeHeader
}

const nothing: readonly Tagged[] = []
const everything: Range = { offset: 0, length: 0 }

/** A message's tag, which orders the messages of a channel; they are collected in this order. */
export function tagOf({ round, part = 0 }: { readonly round: number; readonly part?: number }): number {
  return round * partsPerRound + part
}

/**
 * The messages of a channel that have arrived and were not taken: one per sender and tag, or one per range where ranges
 * are carried, or all in the order of arrival. Their vectors are pinned. It does no I/O and does not wait.
 */
export class MessageBuffer {
  readonly #wire: Wire
  /** The most that is kept of one sender. */
  readonly #maxSize: number
  /** The first message of each sender, by tag, in the order of arrival: the first `#used` entries. There are few. */
  readonly #slots = new Array<Slot | undefined>(2)
  #used = 0
  #spare: Slot | undefined
  /** The other messages: further ranges of a tag, or all where the order of arrival counts. */
  #others: Kept[] = []
  #isInOrder = false
  /** The size of all messages kept. */
  #size = 0

  constructor(wire: Wire) {
    this.#wire = wire
    this.#maxSize = vectorsAhead(wire.size + overhead) * (wire.size + overhead)
  }

  /** Whether messages are kept in the order of arrival. */
  get isInOrder(): boolean {
    return this.#isInOrder
  }

  /** From now on messages are kept in the order of arrival, after those that are here and pass the test. */
  keepOrder(isKept: (arrival: Arrival<Message>) => boolean): void {
    this.#isInOrder = true
    const earlier: Kept[] = []
    for (const slot of this.#all) {
      slot.forEach((from, message) => earlier.push(keptIn(slot, from, message)))
      this.#close(slot)
    }
    const dropped = earlier.filter((arrival) => !isKept(arrival))
    for (const { message } of dropped) this.#release(message)
    this.#others.unshift(...earlier.filter((arrival) => !dropped.includes(arrival)))
  }

  /** Whether a sender has so much here that a message with `length` numbers has no room. */
  isFull(from: PeerName, length: number): boolean {
    const size = length + overhead
    if (this.#size + size <= this.#maxSize) return false
    let waiting = 0
    for (const slot of this.#all) waiting += this.#wire.sizeOf(slot.get(from))
    for (const other of this.#others) if (other.from === from) waiting += this.#wire.sizeOf(other.message)
    return waiting > 0 && waiting + size > this.#maxSize
  }

  /** Whether the same message has arrived before. */
  has(from: PeerName, tag: number, range: Range): boolean {
    return !this.#isInOrder && this.find(tag, from, range) !== undefined
  }

  add(arrival: Arrival<Message>, header = usualHeader): void {
    const { from, message } = arrival
    const tag = tagOf(arrival)
    const slot = this.#slot(tag)
    this.#wire.pin(message, 1)
    this.#size += this.#wire.sizeOf(message)
    if (this.#isInOrder || slot?.get(from) !== undefined) this.#others.push({ ...arrival, header })
    else (slot ?? this.#open(tag)).add(from, message, header)
  }

  /** What a sender has sent under a tag; for this range, where ranges are carried. */
  find(tag: number, from: PeerName, range: Range = everything): Message | undefined {
    const message = this.#slot(tag)?.get(from)
    if (message === undefined || this.#wire.isOf(message, range)) return message
    return this.#other(tag, from, range)?.message
  }

  /** Whether a message of a tag may have a header that is not the usual one. */
  hasHeaders(tag: number): boolean {
    return this.#others.length > 0 || this.#slot(tag)?.hasHeaders === true
  }

  /** The header of what {@link find} finds. */
  headerOf(tag: number, from: PeerName, range: Range = everything): EdgeHeader {
    const slot = this.#slot(tag)
    const message = slot?.get(from)
    if (slot === undefined || message === undefined) return usualHeader
    if (this.#wire.isOf(message, range)) return slot.headerOf(from)
    return this.#other(tag, from, range)?.header ?? usualHeader
  }

  #other(tag: number, from: PeerName, range: Range): Kept | undefined {
    return this.#others.find(
      (other) => other.from === from && tagOf(other) === tag && this.#wire.isOf(other.message, range)
    )
  }

  /** The tags and the senders of all messages up to a tag. */
  upTo(tag: number): readonly Tagged[] {
    if (this.#used === 0) return nothing
    const all: Tagged[] = []
    for (const slot of this.#all) if (slot.tag <= tag) slot.forEach((from) => all.push({ tag: slot.tag, from }))
    return all
  }

  /** Releases a message that will not be used. */
  drop(tag: number, from: PeerName): void {
    const slot = this.#slot(tag)
    const message = slot?.get(from)
    if (slot === undefined || message === undefined) return
    slot.delete(from)
    if (slot.size === 0) this.#close(slot)
    this.#release(message)
  }

  /** Releases all messages of a sender. */
  dropAll(from: PeerName): void {
    for (const { tag } of this.#all) this.drop(tag, from)
  }

  /** The number of senders with a message under a tag. */
  count(tag: number): number {
    return this.#slot(tag)?.size ?? 0
  }

  /** The newest message of a sender with a tag from `first` to below `tag`. */
  newest(from: PeerName, first: number, tag: number): Message | undefined {
    let newest = first - 1
    for (const slot of this.#all)
      if (slot.tag < tag && slot.tag > newest && slot.get(from) !== undefined) newest = slot.tag
    return this.#slot(newest)?.get(from)
  }

  /** Takes the oldest message of the rounds up to `round`, in the order of arrival. */
  takeFirst(round: number): Arrival<Message> | undefined {
    const index = this.#others.findIndex((arrival) => arrival.round <= round)
    if (index < 0) return undefined
    const first = index === 0 ? this.#others.shift() : this.#others.splice(index, 1)[0]
    if (first !== undefined) this.#release(first.message)
    return first
  }

  /** Whether {@link takeFirst} has a message to return. */
  hasFirst(round: number): boolean {
    return this.#others.some((arrival) => arrival.round <= round)
  }

  /**
   * Hands the messages of a tag to the current round, and calls `told` with each.
   *
   * @param isFirst - whether it is the first tag of its round; then older messages are released too
   */
  release(tag: number, isFirst: boolean, visit: (from: PeerName, tag: number, message: Message) => void): void {
    this.#releaseSlot(this.#slot(tag), visit)
    if (isFirst && this.#used > 0)
      for (const slot of this.#all.filter((slot) => slot.tag < tag)) this.#releaseSlot(slot, visit)
    if (this.#others.length === 0) return
    const isOver = (other: Arrival<Message>) => tagOf(other) <= tag
    for (const other of this.#others.filter(isOver)) {
      this.#release(other.message)
      visit(other.from, tagOf(other), other.message)
    }
    this.#others = this.#others.filter((other) => !isOver(other))
  }

  saved(messages: 'with early' | 'without early'): State {
    const isInOrder = this.#isInOrder ? 1 : 0
    if (messages === 'without early') return { isInOrder, messages: {} }
    const state: Record<string, State> = {}
    // Files have the name `terms`.
    const save = ({ from, round, part, message, header }: Kept) => {
      state[Object.keys(state).length] = { round, part, terms: savedHeader(header), message: { [from]: message } }
    }
    for (const slot of this.#all) slot.forEach((from, message) => save(keptIn(slot, from, message)))
    this.#others.forEach(save)
    return { isInOrder, messages: state }
  }

  restore({ isInOrder, messages }: State): void {
    this.#isInOrder = isInOrder === 1
    for (const saved of Object.values(messages as State)) {
      const { round, part, terms, message: only } = saved as State
      for (const [from, message] of Object.entries(only as State)) {
        const tag = { round: round as number, part: part as number }
        const header = restoredHeader(terms as ReturnType<typeof savedHeader>)
        this.add({ from: from as PeerName, ...tag, message: message as State as Message }, header)
      }
    }
  }

  #releaseSlot(slot: Slot | undefined, visit: (from: PeerName, tag: number, message: Message) => void): void {
    if (slot === undefined) return
    const { tag } = slot
    this.#remove(slot)
    slot.forEach((from, message) => {
      this.#release(message)
      visit(from, tag, message)
    })
    this.#keep(slot)
  }

  get #all(): Slot[] {
    return this.#slots.slice(0, this.#used) as Slot[]
  }

  #slot(tag: number): Slot | undefined {
    for (let index = 0; index < this.#used; index++) {
      const slot = this.#slots[index]
      if (slot?.tag === tag) return slot
    }
    return undefined
  }

  #open(tag: number): Slot {
    const slot = this.#spare ?? new Slot()
    this.#spare = slot.next
    slot.next = undefined
    slot.tag = tag
    this.#slots[this.#used++] = slot
    return slot
  }

  #close(slot: Slot): void {
    this.#remove(slot)
    this.#keep(slot)
  }

  #remove(slot: Slot): void {
    const last = --this.#used
    for (let index = this.#slots.indexOf(slot); index < last; index++) this.#slots[index] = this.#slots[index + 1]
    this.#slots[last] = undefined
  }

  /** Keeps at most two empty slots for the next tags. */
  #keep(slot: Slot): void {
    slot.clear()
    if (this.#spare?.next !== undefined) return
    slot.next = this.#spare
    this.#spare = slot
  }

  /** Hands a message to the current round. */
  #release(message: Message): void {
    this.#wire.adopt(message)
    this.#size -= this.#wire.sizeOf(message)
  }
}

function keptIn(slot: Slot, from: PeerName, message: Message): Kept {
  const round = Math.floor(slot.tag / partsPerRound)
  const part = slot.tag % partsPerRound
  return { from, round, part, message, header: slot.headerOf(from) }
}
