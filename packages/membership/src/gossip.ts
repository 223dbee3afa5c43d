import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Knowledge } from './knowledge.js'
import { type NewsEntry, NewsLog } from './news-log.js'
import { type AddressedNote, maxNoteLength } from './notes.js'
import { compareStanding, type Distance, jsonOf, type PeerRecord, type Vote } from './records.js'

/** How many notes are sent to one peer at once; the rest follows at the next tick. */
const maxNotesAtOnce = 4
/** A peer that enters is answered no more often than this. */
const answerEvery: Milliseconds = 50
/** Room for the braces and numbers of a note. */
const overhead = 180

/** The notes to one peer and from it. */
interface Stream {
  /** The number of the first log entry that it may not have been told. */
  cursor: number
  /** The entries from there on that it has told itself, with their numbers at the time. */
  readonly told: Map<NewsEntry, number>
  /** Peers about which it is told once more. */
  readonly again: Set<PeerName>
  /** The number of the last note to it. */
  sent: number
  restartedAt: Milliseconds
  answeredAt: Milliseconds
  /** The number of the last note from it; undefined when one is missing. */
  received: number | undefined
}

/**
 * Tells others what this peer knows, each thing once. Notes arrive in order or not at all. They are numbered, and a
 * peer that misses one asks for everything again: after losses, cuts and restarts both ends know the same.
 */
export class Gossip {
  readonly #streams = new Map<PeerName, Stream>()
  readonly #log: NewsLog
  /** Peers that are sent something now. */
  readonly #due = new Set<PeerName>()

  constructor(
    readonly knowledge: Knowledge,
    readonly restartAfter: Milliseconds,
    readonly distance: () => Distance
  ) {
    this.#log = new NewsLog((entry) => typeof entry === 'string' || this.#isKnown(entry))
    for (const item of [...knowledge.records, ...knowledge.votes]) this.#log.add(entryOf(item))
  }

  /** A record or vote is new: it is told to all but those that have told it. */
  add(news: PeerRecord | Vote, from?: PeerName): void {
    this.#log.add(entryOf(news))
    if (from !== undefined) this.isKnownTo(from, news)
  }

  /** A peer has told what this one knows: it need not be told. */
  isKnownTo(peer: PeerName, news: PeerRecord | Vote): void {
    const stream = this.#streams.get(peer)
    if (stream === undefined) return
    const entry = entryOf(news)
    const number = this.#log.numberOf(entry)
    if (number >= stream.cursor) stream.told.set(entry, number)
    if (stream.again.size > 0 && typeof entry === 'string') stream.again.delete(entry)
  }

  /** Tells a peer its own newer record, since it has just sent an older one: it has restarted. */
  remind(peer: PeerName, name: PeerName): void {
    this.#stream(peer).again.add(name)
    this.#due.add(peer)
  }

  /** Tells these peers that this one lives and its progress, with whatever is pending for them. */
  beat(peers: Iterable<PeerName>): void {
    for (const peer of peers) this.#due.add(peer)
  }

  /** Tells a peer that enters the run, and has just sent a note, this one's progress now and not at the next beat. */
  answer(peer: PeerName, now: Milliseconds): void {
    const stream = this.#stream(peer)
    if (now - stream.answeredAt < answerEvery) return
    stream.answeredAt = now
    this.#due.add(peer)
  }

  /** Whatever is pending for these peers is sent with the next `take`. */
  send(peers: Iterable<PeerName>): void {
    for (const peer of peers) if (this.#hasNews(this.#stream(peer))) this.#due.add(peer)
  }

  /** A note with this number has arrived from a peer; `again` says whether that peer has missed one from here. */
  received(from: PeerName, number: number, again: boolean, now: Milliseconds): void {
    const stream = this.#stream(from)
    const isNext = number === 1 || number === (stream.received ?? -1) + 1
    if (!isNext && stream.received !== undefined) this.#due.add(from)
    stream.received = isNext ? number : undefined
    if (again && now - stream.restartedAt >= this.restartAfter) this.#restart(from, stream, now)
  }

  /** Part of what a peer has told could not be taken in: it is asked for everything again. */
  missed(from: PeerName): void {
    this.#stream(from).received = undefined
  }

  /** The notes that are due. */
  take(): AddressedNote[] {
    if (this.#due.size === 0) return []
    const peers = [...this.#due]
    this.#due.clear()
    return peers.flatMap((peer) => this.#notes(peer))
  }

  #restart(peer: PeerName, stream: Stream, now: Milliseconds) {
    stream.sent = 0
    stream.restartedAt = now
    stream.cursor = 0
    stream.told.clear()
    this.#due.add(peer)
  }

  #notes(to: PeerName): AddressedNote[] {
    const stream = this.#stream(to)
    const notes: AddressedNote[] = []
    do notes.push({ to, note: this.#note(stream) })
    while (notes.length < maxNotesAtOnce && this.#hasNews(stream))
    return notes
  }

  /** One note, with as much of what is pending as it has room for. */
  #note(stream: Stream): string {
    const records: string[] = []
    const votes: string[] = []
    let room = maxNoteLength - overhead
    const write = (item: PeerRecord | Vote | undefined) => {
      // What is not signed yet is added to the log again once it is.
      if (item === undefined || item.signature === '') return true
      const json = jsonOf(item)
      room -= json.length + 1
      if (room < 0) return false
      ;('voter' in item ? votes : records).push(json)
      return true
    }
    for (const name of stream.again) if (write(this.knowledge.record(name))) stream.again.delete(name)
    this.#advance(stream, (entry) => write(typeof entry === 'string' ? this.knowledge.record(entry) : entry))
    stream.sent++
    const again = stream.received === undefined
    const { round, samples } = this.distance()
    return `{"kind":"gossip","number":${stream.sent},"again":${again},"round":${round},"samples":${samples},"records":[${records}],"votes":[${votes}]}`
  }

  #hasNews(stream: Stream): boolean {
    let hasNews = stream.again.size > 0
    if (!hasNews) this.#advance(stream, () => !(hasNews = true))
    return hasNews
  }

  /** Advances to the entries that a peer has not been told and has not told itself, while `put` takes them. */
  #advance(stream: Stream, write: (entry: NewsEntry) => boolean) {
    const isAtEnd = this.#log.visit(stream.cursor, (entry, number) => {
      const isPending = stream.told.get(entry) !== number && (typeof entry === 'string' || this.#isKnown(entry))
      if (isPending && !write(entry)) return false
      stream.cursor = number + 1
      return true
    })
    if (isAtEnd) stream.told.clear()
  }

  #stream(peer: PeerName): Stream {
    const existing = this.#streams.get(peer)
    if (existing !== undefined) return existing
    const stream: Stream = {
      cursor: 0,
      told: new Map(),
      again: new Set(),
      sent: 0,
      restartedAt: -Infinity,
      answeredAt: -Infinity,
      received: 0
    }
    this.#streams.set(peer, stream)
    return stream
  }

  #isKnown(vote: Vote): boolean {
    return this.knowledge.vote(vote.voter, vote.target) === vote
  }
}

const entryOf = (item: PeerRecord | Vote): NewsEntry => ('voter' in item ? item : item.name)

/** Whether a peer's own record is older than what others know: it has restarted. */
export function hasForgottenItself(sent: PeerRecord, existing: PeerRecord): boolean {
  return compareStanding(sent, existing) < 0 || (compareStanding(sent, existing) === 0 && sent.beat < existing.beat)
}
