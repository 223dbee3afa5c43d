import { exp, log, type NeighbourDistance, type Outlier, type PeerName } from '@murmuration/core'

/** The number of rounds over which distances are compared. */
export const windowRounds = 16

/** The number of rounds that the window must hold before its spread is used. */
const learningRounds = 8

/** The number of consecutive rounds that a neighbour must be far away before it is named. */
const roundsRunning = 3

/** Iglewicz & Hoaglin's limit for `|0.6745 (x − median) / MAD|`. */
const scoreLimit = 3.5

/** Makes the median absolute deviation (MAD) an estimate of the standard deviation of a normal distribution. */
const madToDeviation = 1.4826

/**
 * A neighbour less than three times as far away as is typical is no outlier. Without this floor, where all distances
 * are alike (MAD 0), the least difference would make one. docs/change/decisions/hostile-peers.md has the number of
 * alarms with other floors.
 */
const least = 3

/** A neighbour a thousand times as far away as is typical is named at once. */
const absurd = 1000

/** Distances below this fraction of the parameters' norm are what float32 rounding leaves over many rounds. */
const rounding = 1e-5

const noOutliers: readonly Outlier[] = []

/**
 * Finds neighbours whose parameters are much farther from the peer's own than is typical, by the modified z-score of
 * Iglewicz & Hoaglin (How to Detect and Handle Outliers, 1993): median and median absolute deviation, over the
 * distances of all neighbours in the last rounds. It scores logarithms, because distances are positive and differ by
 * factors. It does no I/O.
 *
 * A neighbour is named at once when it is a thousand times as far away as is typical, or at no finite distance;
 * otherwise when it exceeds the score's limit in three consecutive rounds. It must begin alone: where most neighbours
 * are far away in the same round, this peer itself has moved, or all models grow alike.
 *
 * An outlier's message is mixed into the peer's own parameters, so that others look far away too from then on.
 * Therefore no other neighbour is named until all distances are typical again, or a whole window has passed; then
 * typical distances are learned anew.
 */
export class OutlierWatch {
  /**
   * Distances of the last rounds, without those of neighbours that were far away, in no order; plain numbers, since
   * long-lived objects cost time.
   */
  readonly #window: number[] = []
  /** The capacity of the window. */
  #size = 0
  /** The index of the next distance. */
  #next = 0
  /** For how many rounds a neighbour has been far away. */
  #running: Map<PeerName, number> | undefined
  /** Rounds since a neighbour was named; 0 when distances are typical. */
  #upset = 0
  #named: readonly Outlier[] = noOutliers
  /** Whether this is the first round and all peers have the same parameters, so that any distance is a fault. */
  #alike: boolean

  /** @param alike - whether all peers have the same parameters in the first round */
  constructor(alike = false) {
    this.#alike = alike
  }

  /** The neighbours named last, until distances are typical again. */
  get suspects(): readonly Outlier[] {
    return this.#upset > 0 ? this.#named : noOutliers
  }

  /**
   * Takes a round's distances, and returns the outliers among them.
   *
   * @param norm - of the peer's own parameters; called only before a neighbour is named
   */
  take(round: number, distances: readonly NeighbourDistance[], norm: () => number): readonly Outlier[] {
    const floor = floorOf(distances)
    const isQuiet = this.#upset === 0 && this.#areAllNear && areWithin(distances, floor)
    const named = isQuiet ? noOutliers : this.#findOutliers(round, { distances, floor, norm })
    if (this.#upset === 0) this.#learn(distances)
    this.#alike = false
    return named
  }

  get #areAllNear(): boolean {
    return this.#running === undefined || this.#running.size === 0
  }

  #findOutliers(round: number, here: Here): readonly Outlier[] {
    const { typical, limit } = this.#scale(here)
    if (this.#upset > 0) {
      this.#settle(areWithin(here.distances, limit))
      return noOutliers
    }
    const named = here.distances
      .filter(({ from, distance }) => this.#isOutlier(from, distance, { ...here, typical, limit }))
      .map(({ from, distance }) => ({ neighbour: from, round, distance, typical }))
    if (named.length === 0) return noOutliers
    this.#named = named
    this.#upset = 1
    this.#running = undefined
    return named
  }

  #isOutlier(from: PeerName, distance: number, { floor, typical, limit, norm }: Here & DistanceScale): boolean {
    const previous = this.#running?.get(from) ?? 0
    // With the opposite comparison NaN would be no outlier.
    if (distance <= limit || (previous === 0 && distance <= floor)) {
      this.#running?.delete(from)
      return false
    }
    this.#running ??= new Map()
    this.#running.set(from, previous + 1)
    const isNear = distance <= absurd * typical && previous + 1 < roundsRunning
    // In the first round distances come from the codecs' rounding, which is less than the norm.
    return !isNear && !(distance <= (this.#alike ? 1 : rounding) * norm())
  }

  /** After a neighbour was named: back to normal, or to a new normal. */
  #settle(isCalm: boolean): void {
    const isOver = isCalm || this.#upset === windowRounds
    this.#upset = isOver ? 0 : this.#upset + 1
    if (!isOver || isCalm) return
    this.#window.length = 0
    this.#next = 0
  }

  #scale({ distances }: Here): DistanceScale {
    if (this.#window.length === 0) {
      const all = distances.map(({ distance }) => distance)
      const typical = lowerMedian(this.#alike ? all : all.filter(isOfScale))
      return { typical, limit: absurd * typical }
    }
    const logs = this.#window.map(log)
    const middle = lowerMedian(logs)
    const typical = exp(middle)
    if (this.#window.length * windowRounds < this.#size * learningRounds) return { typical, limit: absurd * typical }
    const deviation = madToDeviation * median(logs.map((log) => Math.abs(log - middle)))
    return { typical, limit: typical * Math.max(exp(scoreLimit * deviation), least) }
  }

  #learn(distances: readonly NeighbourDistance[]): void {
    if (this.#window.length === 0) this.#size = windowRounds * distances.length
    for (const { from, distance } of distances) {
      if (!isOfScale(distance) || this.#running?.has(from) === true) continue
      this.#window[this.#next] = distance
      this.#next = (this.#next + 1) % this.#size
    }
  }
}

/** What the window says about distances. */
interface DistanceScale {
  readonly typical: number
  /** A distance above it is far away. */
  readonly limit: number
}

/** A round's distances, to be judged. */
interface Here {
  readonly distances: readonly NeighbourDistance[]
  /** A distance up to it is no farther than the others of the round. */
  readonly floor: number
  readonly norm: () => number
}

/** A distance of 0 says nothing about a scale. */
function isOfScale(distance: number): boolean {
  return distance > 0 && distance < Number.POSITIVE_INFINITY
}

/**
 * A distance up to it is no farther than the others of the round. With one neighbour there are no others to compare
 * with.
 */
function floorOf(distances: readonly NeighbourDistance[]): number {
  if (distances.length === 1) return -1
  if (distances.length === 2) return least * lower(distances[0].distance, distances[1].distance)
  return least * lowerMedian(distances.map(({ distance }) => distance))
}

function areWithin(distances: readonly NeighbourDistance[], limit: number): boolean {
  for (const { distance } of distances) if (!(distance <= limit)) return false
  return true
}

/** The lower of two, one of which may be NaN. */
function lower(one: number, other: number): number {
  return one <= other || Number.isNaN(other) ? one : other
}

/**
 * For an even number the lower of the two in the middle, so that one of two neighbours cannot move it; infinity for
 * none.
 */
function lowerMedian(values: readonly number[]): number {
  return sorted(values)[(values.length - 1) >> 1] ?? Number.POSITIVE_INFINITY
}

/** The usual median: where one of two neighbours has always been far away, half of that is the deviation. */
function median(values: readonly number[]): number {
  return (lowerMedian(values) + sorted(values)[values.length >> 1]) / 2
}

function sorted(values: readonly number[]): number[] {
  const comparable = values.map((value) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value))
  return comparable.sort((left, right) => left - right)
}

/** Which neighbour sent what, for people. */
export function outlierText({ neighbour, round, distance, typical }: Outlier): string {
  const short = (value: number) => String(Number(value.toPrecision(2)))
  return `${neighbour} sent parameters at a distance of ${short(distance)} in round ${round} (typical: ${short(typical)})`
}
