import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Knowledge } from './knowledge.js'
import { type AddressedNote, maxNoteLength } from './notes.js'
import { compareStanding, type Distance, type PeerRecord, type Vote } from './records.js'

/** How many notes go to one peer at once; the rest follows at the next tick. */
const maxNotesAtOnce = 4
/** Room for the braces and numbers of a note. */
const overhead = 180

/** The notes to one peer and from it. */
interface Stream {
  /** What it has not been told: names of records, and votes as "target voter". */
  readonly pending: Set<string>
  /** The number of the last note to it. */
  sent: number
  restartedAt: Milliseconds
  /** The number of the last note from it; undefined when one is missing. */
  received: number | undefined
}

/**
 * Tells others what this peer knows, each thing once. Notes arrive in order or not at all. They are numbered, and whoever misses one asks for all
 * again: after losses, cuts and restarts both ends know the same.
 */
export class Gossip {
  readonly #streams = new Map<PeerName, Stream>()
  readonly #texts = new WeakMap<PeerRecord | Vote, string>()
  /** Whom something is to be sent now. */
  readonly #due = new Set<PeerName>()

  constructor(
    readonly knowledge: Knowledge,
    readonly restartAfter: Milliseconds,
    readonly distance: () => Distance
  ) {}

  /** A record or vote is new: all but those that have told it are to hear of it. */
  add(news: PeerRecord | Vote, from?: PeerName): void {
    for (const [peer, { pending }] of this.#streams) if (peer !== from) pending.add(keyOf(news))
  }

  /** A peer has told what we know: it need not be told. */
  isKnownTo(peer: PeerName, news: PeerRecord | Vote): void {
    this.#streams.get(peer)?.pending.delete(keyOf(news))
  }

  /** Tells a peer what we know of it, since it says less of itself: it has begun anew. */
  remind(peer: PeerName, name: PeerName): void {
    this.#stream(peer).pending.add(name)
    this.#due.add(peer)
  }

  /** These peers are told that this one lives and how far it is, and whatever is pending for them. */
  beat(peers: Iterable<PeerName>): void {
    for (const peer of peers) this.#due.add(peer)
  }

  /** Whatever is pending for these peers goes out with the next `take`. */
  send(peers: Iterable<PeerName>): void {
    for (const peer of peers) if (this.#stream(peer).pending.size > 0) this.#due.add(peer)
  }

  /** A note with this number has come from a peer, which says whether it missed one of ours. */
  received(from: PeerName, number: number, again: boolean, now: Milliseconds): void {
    const stream = this.#stream(from)
    const isNext = number === 1 || number === (stream.received ?? -1) + 1
    if (!isNext && stream.received !== undefined) this.#due.add(from)
    stream.received = isNext ? number : undefined
    if (again && now - stream.restartedAt >= this.restartAfter) this.#restart(from, stream, now)
  }

  /** The notes that are due. */
  take(): AddressedNote[] {
    const peers = [...this.#due]
    this.#due.clear()
    return peers.flatMap((peer) => this.#notes(peer))
  }

  #restart(peer: PeerName, stream: Stream, now: Milliseconds) {
    stream.sent = 0
    stream.restartedAt = now
    for (const key of this.#allKeys()) stream.pending.add(key)
    this.#due.add(peer)
  }

  #notes(to: PeerName): AddressedNote[] {
    const stream = this.#stream(to)
    const notes: AddressedNote[] = []
    do notes.push({ to, note: this.#note(stream) })
    while (stream.pending.size > 0 && notes.length < maxNotesAtOnce)
    return notes
  }

  /** One note with as much of what is pending as it has room for. */
  #note(stream: Stream): string {
    const records: string[] = []
    const votes: string[] = []
    let room = maxNoteLength - overhead
    for (const key of stream.pending) {
      const text = this.#textOf(key)
      room -= text.length + 1
      if (room < 0) break
      stream.pending.delete(key)
      if (text !== '') (isVoteKey(key) ? votes : records).push(text)
    }
    stream.sent++
    const again = stream.received === undefined
    const { round, samples } = this.distance()
    return `{"kind":"gossip","number":${stream.sent},"again":${again},"round":${round},"samples":${samples},"records":[${records}],"votes":[${votes}]}`
  }

  /** The JSON of a record or vote as it is known now; empty when it is void by now. */
  #textOf(key: string): string {
    const [first, voter] = key.split(' ') as [PeerName, PeerName | undefined]
    const item = voter === undefined ? this.knowledge.record(first) : this.knowledge.vote(voter, first)
    if (item === undefined) return ''
    const text = this.#texts.get(item) ?? JSON.stringify(item)
    this.#texts.set(item, text)
    return text
  }

  #stream(peer: PeerName): Stream {
    const known = this.#streams.get(peer)
    if (known !== undefined) return known
    const stream = { pending: new Set(this.#allKeys()), sent: 0, restartedAt: -Infinity, received: 0 }
    this.#streams.set(peer, stream)
    return stream
  }

  #allKeys(): string[] {
    return [...[...this.knowledge.records].map(keyOf), ...this.knowledge.votes.map(keyOf)]
  }
}

const keyOf = (item: PeerRecord | Vote) => ('voter' in item ? `${item.target} ${item.voter}` : item.name)
const isVoteKey = (key: string) => key.includes(' ')

/** Whether a peer says less of itself than others know: it has begun anew. */
export function hasForgottenItself(said: PeerRecord, known: PeerRecord): boolean {
  return compareStanding(said, known) < 0 || (compareStanding(said, known) === 0 && said.beat < known.beat)
}
