import { DivergedError, type Fabric, type NeighbourDistance, type Outlier, type PeerName } from '@murmuration/core'
import { norm, squaredDistance } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import type { Message, PerPeer, Route } from '../record/record.js'
import { type MessageProblem, type Refused, Sizes, suspectText, tooFar } from '../vectors/sizes.js'
import { inSlices } from '../vectors/slices.js'
import { isVector, type Vector } from '../vectors/vector.js'
import { firstVectorOf } from '../messages/wire.js'
import { OutlierWatch, outlierText } from './outliers.js'
import type { TrainingSettings } from './training.js'

/** The peer that checks what it receives. */
export interface CheckingPeer {
  readonly fabric: Pick<Fabric<VectorMessage>, 'now' | 'sleep' | 'reject'>
  /** The number of parameters. */
  readonly length: number
  readonly round: number
  /** The size of its own numbers. */
  readonly ownSize: number
  readonly notes: { distances: readonly NeighbourDistance[]; outliers: readonly Outlier[] }
  /** The parameters that all start with. */
  readonly origin: { isAt(x: Vector): boolean }
}

/**
 * Checks the vectors of other peers: what cannot be computed with is not used, and what is far from others is named.
 */
export class MessageChecks {
  readonly #peer: CheckingPeer
  readonly #settings: TrainingSettings
  readonly #sizes: Sizes
  #watch: OutlierWatch | undefined

  constructor(peer: CheckingPeer, settings: TrainingSettings) {
    this.#peer = peer
    this.#settings = settings
    this.#sizes = new Sizes({ round: () => peer.round, size: () => peer.ownSize })
  }

  /** See `Owner.collected`. */
  collected(
    { round, from }: Route,
    mine: Message | undefined,
    theirs: PerPeer<Message>,
    areModels: boolean
  ): readonly Refused[] | Promise<readonly Refused[]> {
    const { fabric, length } = this.#peer
    const ownVector = mine && firstVectorOf(mine)
    if (mine === undefined || ownVector?.length !== length) return this.#problemsOf(from, theirs, false)
    const x = ownVector.values
    const distances = new Array<{ readonly from: PeerName; distance: number }>(from.length)
    let count = 0
    for (const name of from) if (theirs[name] !== undefined) distances[count++] = { from: name, distance: 0 }
    distances.length = count
    const slices = inSlices(fabric, x.length, (start, end) => {
      for (const each of distances) {
        const { values } = firstVectorOf(theirs[each.from] as Message) as Vector
        each.distance += squaredDistance(x, values, start, end)
      }
    })
    const found = () => {
      const far = this.#note(round, distances, ownVector, areModels)
      return hasOther(mine, ownVector) ? this.#withOthers(far, from, theirs) : far
    }
    return slices === undefined ? found() : slices.then(found)
  }

  /** A message is not used: a fault of its sender, unless another may be the cause. */
  refuse(from: PeerName, round: number, { grade, reason }: MessageProblem): void {
    if (grade === 'large') return
    this.#peer.fabric.reject({ from, message: { kind: 0, round, vector: new Float32Array(0) } }, reason)
  }

  /** @param compared - the vector of the message that was compared with this peer's, if any */
  problemOf(from: PeerName, message: Message, compared?: Vector): MessageProblem | undefined {
    for (const field in message) {
      const value = message[field]
      if (!isVector(value) || value === compared) continue
      const problem = this.#sizes.problemOf(from, value.values)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  /** The outliers among messages that were compared with none of this peer's, once. */
  takeOutliers(): readonly Outlier[] {
    return this.#sizes.takeOutliers()
  }

  /** If training diverges after an outlier was mixed in, the error names its sender. */
  diverged(round: number, found: string): DivergedError {
    const { algorithm, rate } = this.#settings
    const compresses = Object.hasOwn(algorithm.options.shape, 'compressor')
    const advice = compresses ? 'lower the rate, or compress less' : 'lower the rate'
    const error = new DivergedError(
      `training diverged in round ${round}: ${found}, at a learning rate of ${rate(round)}; ${advice}`
    )
    const suspects = [...(this.#watch?.suspects ?? []).map(outlierText), ...this.#sizes.suspects.map(suspectText)]
    if (suspects.length === 0) return error
    return new DivergedError(
      `training diverged in round ${round} after ${suspects.join(', and ')}; a peer named here sends wrong numbers, ` +
        'or forwards those of another; if all of them train as they should, lower the rate',
      { cause: error }
    )
  }

  /** @param isFirstCompared - whether the first vector of each message is compared with this peer's */
  #problemsOf(from: readonly PeerName[], theirs: PerPeer<Message>, isFirstCompared: boolean): readonly Refused[] {
    let refused: readonly Refused[] = nothing
    for (const name of from) {
      const message = theirs[name]
      const problem = message && this.problemOf(name, message, isFirstCompared ? firstVectorOf(message) : undefined)
      if (problem !== undefined) refused = [...refused, { ...problem, from: name }]
    }
    return refused
  }

  /** What must not be used of a round's messages, of which only the first vectors were compared with this peer's. */
  #withOthers(far: readonly Refused[], from: readonly PeerName[], theirs: PerPeer<Message>): readonly Refused[] {
    const others = this.#problemsOf(from, theirs, true)
    if (far.length === 0) return others
    return [...far, ...others.filter((other) => !far.some((each) => each.from === other.from))]
  }

  /**
   * Notes a round's distances for its report. Returns those that are too large to mix.
   *
   * @param distances - squared so far
   */
  #note(
    round: number,
    distances: { readonly from: PeerName; distance: number }[],
    ownVector: Vector,
    areModels: boolean
  ): readonly Refused[] {
    const { notes, origin } = this.#peer
    for (const each of distances) each.distance = Math.sqrt(each.distance)
    const normOf = () => norm(ownVector.values)
    this.#watch ??= new OutlierWatch(origin.isAt(ownVector))
    notes.outliers = this.#watch.take(round, distances, normOf)
    const far = tooFar(distances, normOf)
    if (areModels) notes.distances = far.length === 0 ? distances : distances.filter((each) => isNear(each, far))
    return far
  }
}

function isNear({ from }: NeighbourDistance, far: readonly Refused[]): boolean {
  return far.every((each) => each.from !== from)
}

/** Whether a message has a vector besides its first one. */
function hasOther(message: Message, first: Vector): boolean {
  for (const field in message) if (message[field] !== first && isVector(message[field])) return true
  return false
}

const nothing: readonly never[] = []
