import type { Milliseconds, PeerName } from '@murmuration/core'
import { medianRound } from './lag.js'
import type { PeerRecord } from './records.js'
import { isMajority } from './majority.js'
import type { MembershipSettings } from './settings.js'
import type { View } from './view.js'

/**
 * Two sides that have trained apart meet, and this peer belongs to the side that returns to the other, with its own
 * state.
 */
export interface Reunion {
  /** The other side. */
  readonly peers: readonly PeerName[]
  /**
   * The weight of this peer's state relative to one of theirs: its samples since the split ÷ their mean, within 0.01
   * … 100.
   */
  readonly mass: number
  /** The number of peers on this side. */
  readonly side: number
  /** Whether this peer is too far ahead of the other side to exchange with it. */
  readonly isAhead: boolean
  /** The median round of the other side. */
  readonly round: number
}

/** A split, as seen by one peer. */
interface Split {
  /** The samples that this peer had processed. */
  readonly samples: number
  /** The samples and the life of each peer on the other side. */
  readonly away: Map<PeerName, Pick<Since, 'samples' | 'life'>>
  /** The samples that this peer has processed since, until it met one of them. */
  processed: number
  /** The peers that are back, and since when this list is unchanged. */
  returned: string
  settledAt: Milliseconds
}

interface Since {
  readonly at: Milliseconds
  readonly samples: number
  readonly life?: number | undefined
}

/**
 * A peer that was away from the side that stays and is back: the life in which it went, and until when it may still
 * merge both models.
 */
interface Back {
  readonly life: number | undefined
  readonly until: Milliseconds
}

/** What a peer can see of its swarm at a tick. */
export interface ApartFacts {
  readonly view: Pick<View, 'isMain' | 'electorate' | 'members' | 'present' | 'absent' | 'isPresent'>
  /** Samples that this peer has processed, and its round. */
  readonly samples: number
  readonly round: number
  /** By how many rounds peers may be apart and still exchange. */
  readonly lag: number
  readonly recordOf: (peer: PeerName) => PeerRecord | undefined
}

const minMass = 0.01
const maxMass = 100
/**
 * The maximum share: a model extrapolated to more than this multiple of the distance from the other side's may be
 * useless.
 */
const maxShare = 2

/**
 * The fraction of its own model that a peer of the returning side keeps; the rest is a model of the other side. In the
 * mean over all peers each side then counts by its samples: mass × (n + m) / (n × mass + m), with n peers on this side
 * and m on the other; at most 2. Exception: this side is one of two halves and ahead, and all peers share rounds. Then
 * all peers of the other side take a model of this side, so that it must be the mean of both already: n × mass / (n ×
 * mass + m). 0 where no two sides have met.
 */
export function ownShare(reunion: Reunion | undefined, hasCommonRounds: boolean): number {
  if (reunion === undefined) return 0
  const { peers, mass, side, isAhead } = reunion
  const otherSide = peers.length
  const isTaken = hasCommonRounds && isAhead && side === otherSide
  return Math.min(maxShare, (mass * (isTaken ? side : side + otherSide)) / (side * mass + otherSide))
}

/**
 * Notices that a side that was no majority trained apart, and meets others again. Until this peer has merged the models
 * of both sides, it exchanges nothing with the other.
 */
export class Apart {
  readonly #absent = new Map<PeerName, Since>()
  readonly #back = new Map<PeerName, Back>()
  #minority: Since | undefined
  #split: Split | undefined
  #reunion: { readonly reunion: Reunion; readonly until: Milliseconds } | undefined
  /** Whether this peer has processed samples since the split. */
  #hasTrained = false

  constructor(readonly settings: Pick<MembershipSettings, 'probeFor' | 'answerWithin'>) {}

  /**
   * How long a peer must be absent to count as away, and how long no peer has come or gone before two sides have met.
   */
  get settleFor(): Milliseconds {
    return this.settings.probeFor
  }

  /** How long this peer tries to get a model of the other side. */
  get mergeWithin(): Milliseconds {
    return this.settings.answerWithin
  }

  /** The peers with which this peer has to merge models. */
  get reunion(): Reunion | undefined {
    return this.#reunion?.reunion
  }

  /** Whether this peer has trained apart from another one, and has not yet merged the models of both sides. */
  isFrom(peer: PeerName): boolean {
    return (this.#hasTrained && this.#split?.away.has(peer) === true) || this.reunion?.peers.includes(peer) === true
  }

  /**
   * Whether a peer's round and model belong to another side: no peer counts as behind it, and its model is taken only
   * for merging. For a majority this is a peer that was away, until it begins a new life.
   */
  isOfOtherSide({ name, life }: Pick<PeerRecord, 'name' | 'life'>, at: Milliseconds): boolean {
    if (this.isFrom(name)) return true
    const absent = this.#absent.get(name)
    if (absent !== undefined) return this.#split === undefined && at - absent.at >= this.settleFor
    const returned = this.#back.get(name)
    return returned?.life === life && at < (returned?.until ?? 0)
  }

  /** A life has begun, with the model that this peer has now. */
  begin(): void {
    this.#reunion = undefined
  }

  update(facts: ApartFacts, at: Milliseconds): Reunion | undefined {
    this.#notice(facts, at)
    if (this.#reunion !== undefined && at > this.#reunion.until) this.#reunion = undefined
    if (this.#split === undefined) {
      if (this.#minority !== undefined && at - this.#minority.at >= this.settleFor)
        this.#split = { samples: this.#minority.samples, away: new Map(), processed: 0, returned: '', settledAt: at }
      return undefined
    }
    const { away } = this.#split
    for (const [peer, since] of this.#absent) {
      if (at - since.at >= this.settleFor && !away.has(peer)) away.set(peer, since)
    }
    return this.#meet(this.#split, facts, at)
  }

  #notice({ view, samples, recordOf }: ApartFacts, at: Milliseconds) {
    this.#minority = view.isMain ? undefined : (this.#minority ?? { at, samples })
    for (const [peer, since] of this.#absent) {
      if (!view.isPresent(peer)) continue
      this.#absent.delete(peer)
      if (this.#split === undefined && at - since.at >= this.settleFor) this.#awaitNewLife(peer, recordOf(peer), at)
    }
    for (const peer of view.absent) {
      if (!this.#absent.has(peer))
        this.#absent.set(peer, { at, samples: recordOf(peer)?.samples ?? 0, life: recordOf(peer)?.life })
    }
  }

  /** A peer of the side that returns has met this one. */
  #awaitNewLife(peer: PeerName, record: PeerRecord | undefined, at: Milliseconds) {
    this.#back.set(peer, { life: record?.life, until: at + this.mergeWithin })
  }

  #meet(split: Split, facts: ApartFacts, at: Milliseconds): Reunion | undefined {
    const returned = facts.view.present.filter((peer) => split.away.has(peer))
    // What it learns after they have met, it may have learned from their model.
    if (returned.length === 0) split.processed = facts.samples - split.samples
    const { processed } = split
    this.#hasTrained = processed > 0
    if (String(returned) !== split.returned) {
      split.returned = String(returned)
      split.settledAt = at
    }
    if (returned.length === 0 || at - split.settledAt < this.settleFor) return undefined
    this.#split = undefined
    this.#minority = undefined
    this.#hasTrained = false
    if (processed === 0 || haveBegunAnew(split, returned, facts)) return undefined
    if (!isReturning(split, returned, facts.view)) {
      for (const peer of returned) this.#awaitNewLife(peer, facts.recordOf(peer), at)
      return undefined
    }
    const reunion = reunionOf(split, returned, processed, facts)
    this.#reunion = { reunion, until: at + this.mergeWithin }
    return this.reunion
  }
}

/**
 * Whether all peers of the other side have begun another life: their samples since then belong to the model that they
 * took.
 */
function haveBegunAnew({ away }: Split, returned: readonly PeerName[], { recordOf }: ApartFacts): boolean {
  return returned.every((peer) => (recordOf(peer)?.life ?? 0) > (away.get(peer)?.life ?? 0))
}

/** Whether the other side is a majority, or neither is and the other has the first name of both. */
function isReturning(
  { away }: Split,
  returned: readonly PeerName[],
  { members, electorate }: ApartFacts['view']
): boolean {
  const bothSides = members.filter((peer) => returned.includes(peer) || !away.has(peer))
  return isMajority(returned.length, electorate) || returned.includes(bothSides[0])
}

function reunionOf(
  { away }: Split,
  returned: readonly PeerName[],
  processed: number,
  { view, round: ownRound, lag, recordOf }: ApartFacts
): Reunion {
  const records = returned.flatMap((peer) => recordOf(peer) ?? [])
  const theirSamples = records.map(({ name, samples }) => Math.max(0, samples - (away.get(name)?.samples ?? 0)))
  const mean = theirSamples.reduce((sum, samples) => sum + samples, 0) / theirSamples.length
  const mass = Math.min(maxMass, Math.max(minMass, processed / mean))
  const round = medianRound(records) ?? 0
  return { peers: returned, mass, side: view.present.length - returned.length, isAhead: ownRound > round + lag, round }
}
