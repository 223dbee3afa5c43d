import type { Milliseconds, PeerName } from '@murmuration/core'
import { medianRound } from './lag.js'
import type { PeerRecord } from './records.js'
import { isMajority } from './majority.js'
import type { View } from './view.js'

/** Two sides that have trained apart meet, and this peer is of the side that returns to the other, with its own state. */
export interface Reunion {
  /** The other side. */
  readonly peers: readonly PeerName[]
  /** How much this peer's state counts beside one of theirs: own samples since the split ÷ their mean, within 0.01 … 100. */
  readonly mass: number
  /** The median round of the other side. */
  readonly round: number
}

/** A split, as one peer has seen it. */
interface Split {
  /** The samples that this peer had seen. */
  readonly samples: number
  /** What those on the other side had seen. */
  readonly away: Map<PeerName, number>
  /** Who is back, and since when that has not changed. */
  back: string
  settledAt: Milliseconds
}

interface Since {
  readonly at: Milliseconds
  readonly samples: number
}

/** What a peer can see of its swarm at a tick. */
export interface ApartFacts {
  readonly view: Pick<View, 'isMain' | 'members' | 'present' | 'absent' | 'isPresent'>
  /** Samples that this peer has seen. */
  readonly samples: number
  readonly recordOf: (peer: PeerName) => PeerRecord | undefined
}

const [minMass, maxMass] = [0.01, 100]

/** Notices that a side that was no majority trained apart, and meets others again. The mass makes both sides count by the samples that they saw. */
export class Apart {
  readonly #absent = new Map<PeerName, Since>()
  #minority: Since | undefined
  #split: Split | undefined

  /** @param settleFor how long a peer is absent before it is away, and how long nobody has come or gone before two sides have met */
  constructor(readonly settleFor: Milliseconds) {}

  look(facts: ApartFacts, at: Milliseconds): Reunion | undefined {
    this.#notice(facts, at)
    if (this.#split === undefined) {
      if (this.#minority !== undefined && at - this.#minority.at >= this.settleFor)
        this.#split = { samples: this.#minority.samples, away: new Map(), back: '', settledAt: at }
      return undefined
    }
    const { away } = this.#split
    for (const [peer, since] of this.#absent) {
      if (at - since.at >= this.settleFor && !away.has(peer)) away.set(peer, since.samples)
    }
    return this.#meet(this.#split, facts, at)
  }

  #notice({ view, samples, recordOf }: ApartFacts, at: Milliseconds) {
    this.#minority = view.isMain ? undefined : (this.#minority ?? { at, samples })
    for (const peer of this.#absent.keys()) if (view.isPresent(peer)) this.#absent.delete(peer)
    for (const peer of view.absent) {
      if (!this.#absent.has(peer)) this.#absent.set(peer, { at, samples: recordOf(peer)?.samples ?? 0 })
    }
  }

  #meet(split: Split, facts: ApartFacts, at: Milliseconds): Reunion | undefined {
    const back = facts.view.present.filter((peer) => split.away.has(peer))
    if (String(back) !== split.back) {
      split.back = String(back)
      split.settledAt = at
    }
    if (back.length === 0 || at - split.settledAt < this.settleFor) return undefined
    this.#split = undefined
    this.#minority = undefined
    const own = facts.samples - split.samples
    return own > 0 && isReturning(split, back, facts.view.members) ? reunionOf(split, back, own, facts) : undefined
  }
}

/** Whether the other side is a majority, or neither is and the other has the first name of both. */
function isReturning({ away }: Split, back: readonly PeerName[], members: readonly PeerName[]): boolean {
  const both = members.filter((peer) => back.includes(peer) || !away.has(peer))
  return isMajority(back, members) || back.includes(both[0])
}

function reunionOf({ away }: Split, back: readonly PeerName[], own: number, { recordOf }: ApartFacts): Reunion {
  const records = back.flatMap((peer) => recordOf(peer) ?? [])
  const theirs = records.map(({ name, samples }) => Math.max(0, samples - (away.get(name) ?? 0)))
  const mean = theirs.reduce((sum, samples) => sum + samples, 0) / theirs.length
  const mass = Math.min(maxMass, Math.max(minMass, own / mean))
  return { peers: back, mass, round: medianRound(records) ?? 0 }
}
