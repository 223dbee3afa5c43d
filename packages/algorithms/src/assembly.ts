import { invariant, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { Stretch } from './stretches.js'

/** How many vectors of one sender may be incomplete at a time. Of more, something is lost for good. */
const incompleteMax = 4

/** A vector of which some stretches have come. */
interface Incomplete {
  readonly round: number
  readonly vector: Float32Array
  /** 1 for each stretch that has come. */
  readonly has: Uint8Array
  lacks: number
}

/**
 * Puts vectors together that come in stretches, in whatever order: datagrams overtake one another. A vector of which a
 * stretch is lost never comes. It does no I/O.
 */
export class Assembly {
  /** One after the other, without gaps, none of them empty. */
  readonly stretches: readonly Stretch[]
  readonly #length: number
  readonly #places: ReadonlyMap<number, number>
  readonly #incomplete = new Map<PeerName, Incomplete[]>()

  constructor(stretches: readonly Stretch[]) {
    this.stretches = stretches
    this.#length = stretches.reduce((end, { offset, length }) => {
      invariant(
        offset === end && length > 0,
        () => `a stretch of ${length} at ${offset}; the one before ends at ${end}`
      )
      return end + length
    }, 0)
    this.#places = new Map(stretches.map(({ offset }, place) => [offset, place]))
  }

  /** The stretch that begins with number `offset`, if there is one. */
  stretchAt(offset: number): Stretch | undefined {
    const place = this.#places.get(offset)
    return place === undefined ? undefined : this.stretches[place]
  }

  /** Takes a copy of a stretch. Returns the whole vector with the last one that it lacked. */
  offer(from: PeerName, { kind, round, offset = 0, vector }: VectorMessage): VectorMessage | undefined {
    const place = this.#places.get(offset)
    if (place === undefined || vector.length !== this.stretches[place].length) return undefined
    const all = this.#incompleteOf(from)
    const known = all.find((incomplete) => incomplete.round === round)
    const incomplete = known ?? this.#begin(all, round)
    if (incomplete.has[place] === 1) return undefined
    incomplete.has[place] = 1
    incomplete.vector.set(vector, offset)
    if (--incomplete.lacks > 0) return undefined
    all.splice(all.indexOf(incomplete), 1)
    return { kind, round, vector: incomplete.vector }
  }

  #incompleteOf(from: PeerName): Incomplete[] {
    const all = this.#incomplete.get(from) ?? []
    this.#incomplete.set(from, all)
    return all
  }

  #begin(all: Incomplete[], round: number): Incomplete {
    if (all.length === incompleteMax) all.shift()
    const { length } = this.stretches
    const incomplete = { round, vector: new Float32Array(this.#length), has: new Uint8Array(length), lacks: length }
    all.push(incomplete)
    return incomplete
  }
}
