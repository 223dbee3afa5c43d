/** Which vectors of others cannot be computed with: the rule by which a received message is refused. */
import { type NeighbourDistance, NeighboursMissingError, type Outlier, type PeerName } from '@murmuration/core'
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

/** A message that must not be used. */
export interface Refused extends MessageProblem {
  readonly from: PeerName
}

/**
 * What is wrong with a vector. 'large': it is {@link maxGrowth} times as long as is typical; an honest peer may have
 * mixed in what another sent, and passes it on before it notices, so it is not used and is no fault. 'unusable': it is
 * as long as {@link maxSize}, or not finite; honest peers send none, and it is never used.
 */
export interface MessageProblem {
  /** For people. */
  readonly reason: string
  readonly grade: 'large' | 'unusable'
}

/** A sender of a long vector. */
export interface Suspect {
  readonly from: PeerName
  readonly round: number
  readonly size: number
  readonly typical: number
}

const noOutliers: readonly Outlier[] = []
const nobody: readonly Suspect[] = []
const nothing: readonly Refused[] = []

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
 * Those of a round's vectors that are too far away to mix: more than 2²⁴ times the norm of the peer's own vector, and
 * as much more than the typical distance of the others. In usual rounds it compares each distance with 2²⁴, and nothing
 * else.
 *
 * @param normOf - the norm of the peer's own vector; called only where a distance is large
 */
export function tooFar(distances: readonly NeighbourDistance[], normOf: () => number): readonly Refused[] {
  // With the opposite comparison NaN would be near.
  if (areNear(distances)) return nothing
  const own = Math.max(1, normOf())
  return distances.flatMap(({ from, distance }): Refused[] => {
    const others = distances.flatMap((other) => (other.from === from ? [] : [other.distance]))
    const typical = Math.max(own, lowerMedian(others))
    if (distance <= maxGrowth * typical) return []
    const reason = `parameters at a distance of ${text(distance)}, which cannot be mixed`
    return [{ from, reason, grade: gradeOf(distance, 2 * maxSize) }]
  })
}

/** In every round of every peer: without a closure. */
function areNear(distances: readonly NeighbourDistance[]): boolean {
  for (const { distance } of distances) if (!(distance <= maxGrowth)) return false
  return true
}

/** Two vectors shorter than {@link maxSize} are less than twice as far apart. */
function gradeOf(size: number, most: number): MessageProblem['grade'] {
  return size < most ? 'large' : 'unusable'
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
  #isNew = false

  constructor(own: OwnVectors) {
    this.#own = own
  }

  /** What is wrong with a vector of a peer, if it cannot be computed with. */
  problemOf(from: PeerName, vector: Float32Array): MessageProblem | undefined {
    const isUsual = isShorter(vector, absurd)
    if (isUsual && this.#last.has(from)) return undefined
    const size = isUsual ? 1 : norm(vector)
    this.#last.set(from, size)
    return isUsual ? undefined : this.#problemOfLong(from, size)
  }

  #problemOfLong(from: PeerName, size: number): MessageProblem | undefined {
    const typical = Math.max(1, this.#own.size(), this.#typicalBut(from))
    if (size > absurd * typical) this.#suspectIfWorst({ from, round: this.#own.round(), size, typical })
    // A server that has received nothing else cannot tell what is typical.
    const isKnown = this.#last.size > 1 || typical > 1
    // A model may have frozen numbers of any size.
    const most = Math.max(maxSize, maxGrowth * this.#own.size())
    if (!(size < most) || (isKnown && size > maxGrowth * typical)) {
      this.#last.delete(from)
      const reason = `numbers of a size of ${text(size)}, which cannot be computed with (typical: ${text(typical)})`
      return { reason, grade: gradeOf(size, most) }
    }
    return undefined
  }

  /** Who sent a thousand times as long a vector as is typical in the last rounds; at most one. */
  get suspects(): readonly Suspect[] {
    const suspect = this.#suspect
    return suspect !== undefined && this.#own.round() - suspect.round <= suspectedFor ? [suspect] : nobody
  }

  /** The one that is farthest from what is typical remains. */
  #suspectIfWorst(next: Suspect): void {
    if (!Number.isFinite(next.size)) return
    const isWorst = this.suspects.every(({ size, typical }) => next.size / next.typical > size / typical)
    if (!isWorst) return
    this.#isNew ||= this.suspects.length === 0
    this.#suspect = next
  }

  /** The suspect, once. */
  takeOutliers(): readonly Outlier[] {
    if (!this.#isNew) return noOutliers
    this.#isNew = false
    return this.suspects.map(({ from: neighbour, round, size: distance, typical }) => ({
      neighbour,
      round,
      distance,
      typical
    }))
  }

  #typicalBut(from: PeerName): number {
    return lowerMedian([...this.#last].flatMap(([name, size]) => (name === from ? [] : [size])))
  }
}
