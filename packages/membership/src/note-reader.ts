import { parseJson, type PeerName } from '@murmuration/core'
import * as z from 'zod'
import { type GossipNote, maxNoteLength, type Note, noteSchema, recordSchema, voteSchema } from './notes.js'
import { jsonOf, type PeerRecord, type Vote } from './records.js'

const readers = new WeakMap<readonly PeerName[], NoteReader>()

/** The beginning, separators and end of a gossip note as {@link Gossip} writes it. */
const head =
  /^\{"kind":"gossip","number":([1-9]\d{0,14}),"again":(true|false),"round":(0|[1-9]\d{0,14}),"samples":(0|[1-9]\d{0,14}),"records":\[/
const middle = '],"votes":['
const tail = ']}'

/**
 * Parses notes: checks their content, except for signatures. The same text of a record or vote gives the same object
 * again, so that it is parsed once, however many peers tell it; in a simulation, once for all peers.
 */
export class NoteReader {
  readonly #peers: ReadonlySet<PeerName>
  readonly #records: Items<PeerRecord>
  readonly #votes: Items<Vote>

  constructor(peers: readonly PeerName[]) {
    this.#peers = new Set(peers)
    const limit = 16 * peers.length + 256
    const areKnown = (names: readonly PeerName[]) => names.every((name) => this.#peers.has(name))
    this.#records = new Items<PeerRecord>(recordSchema, (record) => areKnown(namesOfRecord(record)), limit)
    this.#votes = new Items<Vote>(voteSchema, ({ voter, target }) => areKnown([voter, target]), limit)
  }

  /** The reader for a peer list. Peers that share the list share the reader. */
  static of(peers: readonly PeerName[]): NoteReader {
    const reader = readers.get(peers) ?? new NoteReader(peers)
    readers.set(peers, reader)
    return reader
  }

  /** The content of a text, or what is wrong with it. */
  read(text: string): Note | string {
    if (text.length > maxNoteLength) return `a note of ${text.length} characters, expected at most ${maxNoteLength}`
    return this.#readParts(text) ?? this.#readWhole(text)
  }

  /** Item by item; undefined where anything is not as {@link Gossip} writes it. */
  #readParts(text: string): GossipNote | undefined {
    const match = head.exec(text)
    if (match === null || !text.endsWith(tail)) return undefined
    const [{ length }, number, again, round, samples] = match
    const separator = text.indexOf(middle, length)
    if (separator < 0) return undefined
    const records = this.#records.readAll(text, length, separator)
    const votes = this.#votes.readAll(text, separator + middle.length, text.length - tail.length)
    if (records === undefined || votes === undefined) return undefined
    const distance = { round: Number(round), samples: Number(samples) }
    return { kind: 'gossip', number: Number(number), again: again === 'true', ...distance, records, votes }
  }

  #readWhole(text: string): Note | string {
    const parsed = noteSchema.safeParse(parseJson(text))
    if (!parsed.success) return `a malformed note: ${z.prettifyError(parsed.error).split('\n')[0].slice(0, 200)}`
    const note = parsed.data as Note
    const unknown = namesIn(note).find((each) => !this.#peers.has(each))
    return unknown === undefined ? note : `a note about "${unknown}", which is not in the peer list`
  }
}

/** A cache of recently parsed items, by their texts. */
class Items<Item extends PeerRecord | Vote> {
  #young = new Map<string, Item>()
  #old: ReadonlyMap<string, Item> = new Map()

  constructor(
    readonly schema: z.ZodType,
    readonly isFit: (item: Item) => boolean,
    readonly limit: number
  ) {}

  /** The items of a list within a text; undefined where one of them is invalid. */
  readAll(text: string, from: number, to: number): readonly Item[] | undefined {
    const items: Item[] = []
    for (let start = from; start < to;) {
      const next = text.indexOf('},{', start)
      const end = next < 0 || next >= to ? to : next + 1
      const item = this.#read(text.slice(start, end))
      if (item === undefined) return undefined
      items.push(item)
      start = end + 1
    }
    return items
  }

  #read(text: string): Item | undefined {
    const cached = this.#young.get(text)
    if (cached !== undefined) return cached
    const item = this.#old.get(text) ?? this.#parse(text)
    if (item === undefined) return undefined
    // The key is a new text: a slice of the given one would keep the whole note in memory.
    const json = jsonOf(item)
    if (json === text) this.#keep(json, item)
    return item
  }

  #parse(text: string): Item | undefined {
    const parsed = this.schema.safeParse(parseJson(text))
    if (!parsed.success) return undefined
    const item = parsed.data as Item
    return this.isFit(item) ? item : undefined
  }

  #keep(text: string, item: Item) {
    if (this.#young.size >= this.limit) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(text, item)
  }
}

const namesOfRecord = ({ name, broken, silent, waitsFor }: PeerRecord) => [name, ...broken, ...silent, ...waitsFor]

function namesIn(note: Note): PeerName[] {
  if (note.kind !== 'gossip') return ['target' in note ? note.target : note.asker]
  return [...note.records.flatMap(namesOfRecord), ...note.votes.flatMap(({ voter, target }) => [voter, target])]
}
