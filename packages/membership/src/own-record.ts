import type { PeerName } from '@murmuration/core'
import {
  compareStanding,
  type Distance,
  isSameNews,
  maxNames,
  type PeerRecord,
  recordText,
  type Signer,
  type Vote,
  voteText
} from './records.js'
import { sign } from './signing.js'

/**
 * A record is signed again after this many beats even without news: its number tells others, and this peer itself, that
 * there was an earlier process. Checking a signature takes longer than everything else in a beat.
 */
const beatsPerRecord = 8

/** What this peer says of itself, besides its standing. */
export interface Progress {
  readonly round: number
  readonly samples: number
  readonly broken: readonly PeerName[]
  readonly silent: readonly PeerName[]
  readonly waitsFor: readonly PeerName[]
}

type Unsigned = Omit<PeerRecord, 'signature'>

/** What only this peer signs: its record, and its votes. */
export class OwnRecord {
  readonly #signer: Signer
  readonly #onSigned: (item: PeerRecord | Vote) => void
  #record: PeerRecord
  #distance: Distance = { round: 0, samples: 0 }
  /** Beats since the record was signed. */
  #unsigned = 0

  /**
   * @param lifeBefore the last life in a checkpoint; 0 when there is none
   * @param onSigned called with a record or vote that has been signed after it was returned
   */
  constructor(
    name: PeerName,
    signer: Signer,
    lifeBefore: number,
    onSigned: (item: PeerRecord | Vote) => void = () => {}
  ) {
    this.#signer = signer
    this.#onSigned = onSigned
    const life = lifeBefore === 0 ? 0 : lifeBefore + 1
    const nothing = { round: 0, samples: 0, broken: [], silent: [], waitsFor: [] }
    this.#record = this.#signRecord({
      ...nothing,
      name,
      life,
      refutation: 0,
      beat: 0,
      status: 'joining',
      from: 0,
      isIn: false
    })
  }

  get record(): PeerRecord {
    return this.#record
  }

  /** This peer's progress. */
  get distance(): Distance {
    return this.#distance
  }

  /** Signs the next record if more than the progress has changed, or the last one is old. */
  beat({ round, samples, broken, silent, waitsFor }: Progress): PeerRecord | undefined {
    this.#distance = { round, samples }
    const names = { broken: first(broken), silent: first(silent), waitsFor: first(waitsFor) }
    const isNews = !isSameNews({ ...this.#record, ...names }, this.#record)
    if (!isNews && ++this.#unsigned < beatsPerRecord) return undefined
    return this.#next(names)
  }

  /** A life begins in `round`: the one that was shown while joining, or else the next. */
  begin(round: number, broken: readonly PeerName[]): PeerRecord {
    const { life, status } = this.#record
    this.#distance = { ...this.#distance, round }
    const isShown = status === 'joining' && life > 0
    const next = { life: isShown ? life : life + 1, refutation: isShown ? this.#record.refutation : 0 }
    return this.#next({ ...next, status: 'here', from: round, isIn: true, broken: first(broken) })
  }

  /** Others know of an earlier process of this peer: the next life is joining. */
  joinAfter({ life }: PeerRecord): PeerRecord {
    return this.#next({ life: life + 1, refutation: 0, beat: -1, status: 'joining', isIn: false })
  }

  end(status: 'done' | 'ended' | 'left', round: number): PeerRecord {
    this.#distance = { ...this.#distance, round }
    return this.#next({ status, waitsFor: [], broken: [], silent: [] })
  }

  /** A vote against a peer's present standing. */
  voteAgainst({ name: target, life, refutation }: PeerRecord): Vote {
    const vote = { voter: this.#record.name, target, life, refutation }
    return this.#signed(vote, voteText(vote))
  }

  /** Makes the votes against this peer void. */
  refute(): PeerRecord {
    return this.#next({ refutation: this.#record.refutation + 1 })
  }

  /**
   * Whether others can only have this record from an earlier process of this peer: it is later than any that this one
   * has signed.
   */
  isOfEarlierProcess(record: PeerRecord): boolean {
    const order = compareStanding(record, this.#record) || record.beat - this.#record.beat
    return order > 0 || (order === 0 && recordText(record) !== recordText(this.#record))
  }

  #next(change: Partial<PeerRecord>): PeerRecord {
    const beat = (change.beat ?? this.#record.beat + this.#unsigned) + 1
    this.#unsigned = 0
    this.#record = this.#signRecord({ ...this.#record, ...this.#distance, ...change, beat })
    return this.#record
  }

  /**
   * The fields are in the order in which they are parsed, so that a peer that passes the record on writes the same
   * text.
   */
  #signRecord({ name, life, refutation, beat, status, from, isIn, round, samples, ...names }: Unsigned): PeerRecord {
    const { broken, silent, waitsFor } = names
    const record = { name, life, refutation, beat, status, from, isIn, round, samples, broken, silent, waitsFor }
    return this.#signed(record, recordText(record))
  }

  #signed<Content extends Unsigned | Omit<Vote, 'signature'>>(content: Content, text: string) {
    const item = { ...content, signature: '' }
    const onLate = () => this.#onSigned(item)
    sign(this.#signer, text, (signature) => (item.signature = signature), onLate)
    return item
  }
}

const first = (names: readonly PeerName[]) => names.slice(0, maxNames)
