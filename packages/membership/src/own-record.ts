import type { PeerName } from '@murmuration/core'
import { compareStanding, maxNames, type PeerRecord, recordText, type Signer } from './records.js'

/** What this peer says of itself beside its place in its own history. */
export interface Progress {
  readonly round: number
  readonly samples: number
  readonly broken: readonly PeerName[]
  readonly silent: readonly PeerName[]
  readonly waitsFor: readonly PeerName[]
}

/** The record of this peer, which only it signs. */
export class OwnRecord {
  readonly #signer: Signer
  #record: PeerRecord

  /** @param lifeBefore the last life in a checkpoint; 0 when there is none */
  constructor(name: PeerName, signer: Signer, lifeBefore: number) {
    this.#signer = signer
    const life = lifeBefore === 0 ? 0 : lifeBefore + 1
    const nothing = { round: 0, samples: 0, broken: [], silent: [], waitsFor: [] }
    this.#record = this.#sign({
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

  /** Signs the next record: a beat. */
  show(progress: Progress): PeerRecord {
    const { broken, silent, waitsFor } = progress
    const names = { broken: first(broken), silent: first(silent), waitsFor: first(waitsFor) }
    return this.#next({ ...progress, ...names })
  }

  /** A life begins in `round`: the one that was shown while joining, or else the next. */
  begin(round: number): PeerRecord {
    const { life, status } = this.#record
    const isShown = status === 'joining' && life > 0
    const next = { life: isShown ? life : life + 1, refutation: isShown ? this.#record.refutation : 0 }
    return this.#next({ ...next, status: 'here', from: round, round, isIn: true })
  }

  /** Others know of an earlier process of this peer: the next life is joining. */
  comeAfter({ life }: PeerRecord): PeerRecord {
    return this.#next({ life: life + 1, refutation: 0, beat: -1, status: 'joining', isIn: false })
  }

  end(status: 'done' | 'left', round: number): PeerRecord {
    return this.#next({ status, round, waitsFor: [], broken: [] })
  }

  /** Makes the votes against this peer void. */
  refute(): PeerRecord {
    return this.#next({ refutation: this.#record.refutation + 1 })
  }

  /** Whether others can only have this record from an earlier process of this peer: it is later than what this one has said. */
  isOfEarlierProcess(record: PeerRecord): boolean {
    const order = compareStanding(record, this.#record) || record.beat - this.#record.beat
    return order > 0 || (order === 0 && recordText(record) !== recordText(this.#record))
  }

  #next(change: Partial<PeerRecord>): PeerRecord {
    const beat = (change.beat ?? this.#record.beat) + 1
    this.#record = this.#sign({ ...this.#record, ...change, beat })
    return this.#record
  }

  #sign(record: Omit<PeerRecord, 'signature'>): PeerRecord {
    return { ...record, signature: this.#signer.sign(recordText(record)) }
  }
}

const first = (names: readonly PeerName[]) => names.slice(0, maxNames)
