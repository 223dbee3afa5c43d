/** Which vectors of others cannot be computed with: the rule by which a received message is refused. */
import { type NeighbourDistance, NeighboursMissingError, type PeerName } from '@murmuration/core'
import { isShorter, norm } from '@murmuration/vectors'

/**
 * float32 has 24 bits: next to a number 2²⁴ times as large, a number is less than a rounding error. Training whose loss
 * is that many times the first one has diverged; and in a mean with a vector that many times as long as a peer's own,
 * nothing is left of its own.
 *
 * No honest neighbour is so far away: all peers start alike, so its model would be 2²⁴ times as far from there as this
 * peer's, and where a loss grows at least in proportion to that distance, its own training has ended as diverged.
 */
export const maxGrowth = 2 ** 24

/** The squares of longer vectors are no float32 numbers. A peer whose own parameters are as long has diverged. */
export const maxSize = 2 ** 64

/** A peer whose vectors are a thousand times as long as is typical is suspected if training diverges. */
const absurd = 1000

/** For how many rounds it is. */
const suspectedFor = 16

/** A message that must not be used, and why, for people. */
export interface Refused {
  readonly from: PeerName
  readonly reason: string
}

/** A sender of a long vector. */
export interface Suspect {
  readonly from: PeerName
  readonly round: number
  readonly size: number
  readonly typical: number
}

const nobody: readonly Suspect[] = []
const noDistances: readonly NeighbourDistance[] = []

/** A size, for people. */
export function text(size: number): string {
  if (!Number.isFinite(size)) return 'NaN or infinity'
  return size < 1e6 ? String(Number(size.toPrecision(2))) : size.toExponential(0)
}

/** What a suspect has sent, for people. */
export function suspectText({ from, round, size, typical }: Suspect): string {
  return `${from} sent numbers of a size of ${text(size)} in round ${round} (typical: ${text(typical)})`
}

/** The error where messages are refused and every peer's message is needed. */
export function unusable(self: PeerName, refused: readonly Refused[], round: number): NeighboursMissingError {
  const list = refused.map(({ from, reason }) => `${from} sent ${reason}`).join(', and ')
  const names = refused.map(({ from }) => from)
  return new NeighboursMissingError(names, `${self} cannot continue in round ${round}: ${list}`)
}

/**
 * Those of a round's distances that are too large to mix: more than 2²⁴ times the norm of the peer's own vector, and
 * as much more than the typical distance of the others. In usual rounds it compares each with 2²⁴, and nothing else.
 *
 * @param normOf - the norm of the peer's own vector; called only where a distance is large
 */
export function tooFar(distances: readonly NeighbourDistance[], normOf: () => number): readonly NeighbourDistance[] {
  // With the opposite comparison NaN would be near.
  if (distances.every(({ distance }) => distance <= maxGrowth)) return noDistances
  const own = Math.max(1, normOf())
  return distances.filter(({ from, distance }) => {
    const others = distances.flatMap((other) => (other.from === from ? [] : [other.distance]))
    return !(distance <= maxGrowth * Math.max(own, lowerMedian(others)) && distance < maxSize)
  })
}

/** For an even number the lower of the two in the middle, so that one of two cannot move it; 0 for none. */
function lowerMedian(values: readonly number[]): number {
  const comparable = values.map((value) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value))
  const middle = comparable.sort((left, right) => left - right)[(values.length - 1) >> 1] ?? 0
  return middle === Number.POSITIVE_INFINITY ? 0 : middle
}

/** What the vectors of others are compared with. */
export interface OwnVectors {
  round(): number
  /** The largest norm among a peer's model and its last gradient; 0 where it has neither. */
  size(): number
}

/**
 * The sizes of what each peer has sent last, for vectors that are compared with none of this peer's: masses, sums,
 * gradients, models of other rounds. A vector shorter than 1000 is not measured further.
 */
export class Sizes {
  readonly #own: OwnVectors
  readonly #last = new Map<PeerName, number>()
  #suspect: Suspect | undefined

  constructor(own: OwnVectors) {
    this.#own = own
  }

  /** What is wrong with a vector of a peer, if it cannot be computed with. */
  problemOf(from: PeerName, vector: Float32Array): string | undefined {
    const isUsual = isShorter(vector, absurd)
    if (isUsual && this.#last.has(from)) return undefined
    const size = isUsual ? 1 : norm(vector)
    this.#last.set(from, size)
    return isUsual ? undefined : this.#problemOfLong(from, size)
  }

  #problemOfLong(from: PeerName, size: number): string | undefined {
    const typical = Math.max(1, this.#own.size(), this.#typicalBut(from))
    // A server that has received nothing else cannot tell what is typical.
    const isKnown = this.#last.size > 1 || typical > 1
    if (!(size < maxSize) || (isKnown && size > maxGrowth * typical)) {
      this.#last.delete(from)
      return `numbers of a size of ${text(size)}, which cannot be computed with (typical: ${text(typical)})`
    }
    if (size > absurd * typical) this.#suspectIfWorst({ from, round: this.#own.round(), size, typical })
    return undefined
  }

  /** Who sent a thousand times as long a vector as is typical in the last rounds; at most one. */
  get suspects(): readonly Suspect[] {
    const suspect = this.#suspect
    return suspect !== undefined && this.#own.round() - suspect.round <= suspectedFor ? [suspect] : nobody
  }

  /** The one that is farthest from what is typical remains. */
  #suspectIfWorst(next: Suspect): void {
    const isWorst = this.suspects.every(({ size, typical }) => next.size / next.typical > size / typical)
    if (isWorst) this.#suspect = next
  }

  #typicalBut(from: PeerName): number {
    return lowerMedian([...this.#last].flatMap(([name, size]) => (name === from ? [] : [size])))
  }
}
