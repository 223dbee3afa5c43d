import type { PeerName } from '@murmuration/core'
import { type Gossip, hasForgottenItself } from './gossip.js'
import type { Knowledge } from './knowledge.js'
import type { GossipNote } from './notes.js'
import { type PeerRecord, signedText, type Signer, type Vote } from './records.js'

/** Is notified of what arrives. */
export interface IntakeListener {
  /** Something more than a beat has arrived. */
  onNews(): void
  /** A newer record than the known one, before it is taken in. */
  onRecord(record: PeerRecord): void
  /** A signed record of this very peer. */
  onOwn(record: PeerRecord): void
}

/**
 * Checks signed records and votes, takes them in, and passes on what is new. Only what its author has signed counts.
 */
export class Intake {
  readonly #self: PeerName
  readonly #signer: Pick<Signer, 'verify' | 'knows'>
  readonly #knowledge: Knowledge
  readonly #gossip: Gossip
  readonly #listener: IntakeListener

  constructor(
    self: PeerName,
    signer: Pick<Signer, 'verify' | 'knows'>,
    knowledge: Knowledge,
    gossip: Gossip,
    listener: IntakeListener
  ) {
    this.#self = self
    this.#signer = signer
    this.#knowledge = knowledge
    this.#gossip = gossip
    this.#listener = listener
  }

  /** Returns the fault of the sender, if any. What precedes the fault counts. */
  receive(from: PeerName, { records, votes }: Pick<GossipNote, 'records' | 'votes'>): string | undefined {
    for (const record of records) if (!this.#takeRecord(from, record)) return `a forged record of ${record.name}`
    for (const vote of votes) if (!this.#takeVote(from, vote)) return `a forged vote of ${vote.voter}`
    return undefined
  }

  #takeRecord(from: PeerName, record: PeerRecord): boolean {
    const current = this.#knowledge.record(record.name)
    if (current !== undefined && !this.#knowledge.isNewer(record)) {
      this.#compareNotes(from, record, current)
      return true
    }
    if (!this.#isKnown(from, record.name)) return true
    if (!this.#signer.verify(record.name, signedText(record), record.signature)) return false
    if (record.name === this.#self) this.#listener.onOwn(record)
    else this.#addRecord(from, record)
    return true
  }

  /**
   * Whether the signatures of a peer can be checked. If not, it was admitted elsewhere a moment ago: the peer that
   * tells of it is asked again.
   */
  #isKnown(from: PeerName, name: PeerName): boolean {
    const isKnown = this.#signer.knows?.(name) !== false
    if (!isKnown) this.#gossip.missed(from)
    return isKnown
  }

  #addRecord(from: PeerName, record: PeerRecord) {
    this.#listener.onRecord(record)
    if (this.#knowledge.addRecord(record) === 'news') {
      this.#gossip.add(record, from)
      this.#listener.onNews()
    }
    this.#gossip.isKnownTo(from, record)
  }

  /**
   * A record that is no newer than the known one: its sender knows as much, or has restarted and lacks its own history.
   */
  #compareNotes(from: PeerName, record: PeerRecord, current: PeerRecord) {
    if (record.signature === current.signature) this.#gossip.isKnownTo(from, record)
    else if (from === record.name && hasForgottenItself(record, current)) this.#gossip.remind(from, from)
  }

  #takeVote(from: PeerName, vote: Vote): boolean {
    if (!this.#knowledge.isNewVote(vote)) {
      const current = this.#knowledge.vote(vote.voter, vote.target)
      if (current?.signature === vote.signature) this.#gossip.isKnownTo(from, current)
      return true
    }
    if (!this.#isKnown(from, vote.voter)) return true
    if (!this.#signer.verify(vote.voter, signedText(vote), vote.signature)) return false
    this.#knowledge.addVote(vote)
    this.#gossip.add(vote, from)
    this.#listener.onNews()
    return true
  }
}
