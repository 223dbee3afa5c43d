import {
  byName,
  type Envelope,
  type Fabric,
  invariant,
  type Milliseconds,
  type Mixing,
  type NeighbourDistance,
  NeighboursMissingError,
  type Outlier,
  type PeerName,
  type SendResult
} from '@murmuration/core'
import { norm, squaredDistance, type Term, type VectorMessage, weightedSum } from '@murmuration/vectors'
import { Assembly } from './assembly.js'
import { vectorsAhead } from './ahead.js'
import { OutlierWatch } from './outliers.js'
import { RoundBuffer } from './round-buffer.js'
import { inSlices } from './slices.js'
import { type Stretch, viewOf } from './stretches.js'
import { keepFrozen, type Untrained } from './untrained.js'

/** The kind of a {@link VectorMessage} that carries a peer's parameters. */
export const parametersKind = 1

/** How many rounds ahead of one's own a neighbour's message is kept at most; fewer where vectors are large. */
const roundsAhead = 64

/** What is exchanged. */
export interface ExchangeShape {
  /** How many numbers the parameters are. */
  readonly length: number
  /** How many rounds there are: no message is of a later one. */
  readonly rounds: number
  /** The parts that a vector travels in, one after the other without gaps; one when absent. */
  readonly stretches?: readonly Stretch[]
  /** The ranges that descent does not train: of these, what is frozen is not averaged. */
  readonly untrained?: readonly Untrained[]
  /** Whether all peers send the same parameters in the first round; false when absent. */
  readonly alike?: boolean
}

/** What a round's exchange came to. */
export interface Mixed {
  /** `Σ_j W_ij x_j` over oneself and the neighbours, in memory of the fabric. */
  readonly average: Float32Array
  readonly missing: readonly PeerName[]
  readonly unsent: readonly PeerName[]
  readonly waited: Milliseconds
  /** Root mean square of the neighbours' distances from one's own parameters. */
  readonly disagreement: number
  /** Of each neighbour whose parameters came, in the order of names. */
  readonly distances: readonly NeighbourDistance[]
  /** Neighbours that are named as outliers in this round. */
  readonly outliers: readonly Outlier[]
}

/**
 * The synchronous exchange with the neighbours of a round: send one's own parameters, collect theirs, average.
 *
 * A neighbour that does not come within `patience` counts as missing: its weight goes to one's own parameters, so that
 * the row still sums to 1, and it is not waited for again until it is heard of. Nor is one that cannot be reached. When
 * none of a round comes the wait is twice as long, because a neighbour that waits for one that is lost comes only when its
 * own patience has ended. When no neighbour is left, also of earlier rounds, the peer does not go on alone: a
 * {@link NeighboursMissingError} names them.
 */
export class Exchange {
  readonly #fabric: Fabric<VectorMessage>
  readonly #patience: Milliseconds
  readonly #untrained: readonly Untrained[]
  readonly #length: number
  readonly #rounds: number
  readonly #buffer: RoundBuffer<VectorMessage>
  /** Neighbours that are not waited for, until they are heard of. */
  readonly #absent = new Set<PeerName>()
  /** All whom this peer has had to receive from; where the topology changes by round, those of a period. */
  readonly #known = new Set<PeerName>()
  #unsent: PeerName[] = []
  /** A round of others that is too far ahead of one's own, if there was one. */
  #tooFar: number | undefined
  /** How a vector is cut up on links, and put together; absent where it travels as a whole. */
  readonly #assembly: Assembly | undefined
  readonly #watch: OutlierWatch
  /** How to average by the mixing that was asked for last: it is the same again where the topology is static. */
  #plan: Plan | undefined

  constructor(
    fabric: Fabric<VectorMessage>,
    patience: Milliseconds,
    { length, rounds, stretches = [], untrained = [], alike = false }: ExchangeShape
  ) {
    this.#fabric = fabric
    this.#untrained = untrained
    this.#patience = patience
    this.#length = length
    this.#rounds = rounds
    this.#assembly = stretches.length > 1 ? new Assembly(stretches) : undefined
    this.#watch = new OutlierWatch(alike)
    this.#buffer = new RoundBuffer((round) => this.#planOf(round).names, Math.min(roundsAhead, vectorsAhead(length)))
  }

  /** Neighbours whose parameters have been mixed in although they were far from typical, and have not been got over since. */
  get suspects(): readonly Outlier[] {
    return this.#watch.suspects
  }

  /** Sends `x` to the neighbours of `round`. It must not change afterwards. */
  send(round: number, x: Float32Array): void {
    this.#unsent = []
    const message = { kind: parametersKind, round, vector: x }
    for (const to of this.#fabric.neighbours(round).sendTo) {
      const result =
        this.#assembly === undefined
          ? this.#fabric.send(to, message)
          : this.#sendParts(to, round, x, this.#assembly.stretches)
      if (result !== 'queued') this.#unsent.push(to)
      if (result === 'unreachable') this.#absent.add(to)
    }
  }

  /**
   * Waits for the neighbours' parameters of `round` and averages them with one's own. The average is in memory of the
   * fabric: who has no more use for it gives it back with `fabric.free`.
   */
  async collect(round: number, x: Float32Array): Promise<Mixed> {
    invariant(this.#buffer.round === round, () => `round ${round} after round ${this.#buffer.round - 1}`)
    const plan = this.#planOf(round)
    const start = this.#fabric.now()
    while (this.#buffer.lacking > 0) {
      const envelope = await this.#fabric.receive(this.#deadline(start, plan.names.length))
      if (envelope === undefined) break
      this.#take(envelope)
    }
    const waited = this.#fabric.now() - start
    const missing = this.#buffer.missing()
    for (const name of missing) this.#absent.add(name)
    for (const name of plan.names) this.#known.add(name)
    if (missing.length > 0 && missing.length === plan.names.length) this.#refuseToGoOnAlone(round, missing)
    const theirs = this.#buffer.take()
    const terms = termsOf(plan, x, theirs)
    // Written over the first of theirs, which nobody else needs.
    const average = theirs.find((message) => message !== undefined)?.vector ?? this.#fabric.allocate(x.length)
    const squares: number[] = theirs.map(() => 0)
    const slices = inSlices(this.#fabric, x.length, (from, to) => {
      addSquares(squares, theirs, x, from, to)
      weightedSum(average, terms, from, to)
    })
    if (slices !== undefined) await slices
    keepFrozen(average, x, this.#untrained)
    for (const message of theirs) if (message !== undefined && message.vector !== average) this.#recycle(message)
    const distances = distancesOf(plan, theirs, squares)
    const disagreement =
      distances.length === 0 ? 0 : Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / distances.length)
    const outliers = this.#watch.take(round, distances, () => norm(x))
    return { average, missing, unsent: this.#unsent, waited, disagreement, distances, outliers }
  }

  #planOf(round: number): Plan {
    const mixing = this.#fabric.neighbours(round)
    if (this.#plan?.mixing === mixing) return this.#plan
    const names = mixing.receiveFrom.map(({ name }) => name)
    this.#plan = { mixing, names, place: names.filter((name) => byName(name, this.#fabric.self) < 0).length }
    return this.#plan
  }

  /** Sends the parts of `x` until one is not taken, since none can do without the others. */
  #sendParts(to: PeerName, round: number, x: Float32Array, stretches: readonly Stretch[]): SendResult {
    for (const stretch of stretches) {
      const { offset } = stretch
      const result = this.#fabric.send(to, { kind: parametersKind, round, offset, vector: viewOf(x, stretch) })
      if (result !== 'queued') return result
    }
    return 'queued'
  }

  /** Until when to wait for the next message: not at all, when nobody is waited for any more. */
  #deadline(start: Milliseconds, expected: number): Milliseconds {
    const isWaitedFor = this.#absent.size === 0 || this.#buffer.missing().some((name) => !this.#absent.has(name))
    if (!isWaitedFor) return this.#fabric.now()
    const isAlone = this.#buffer.lacking === expected
    return start + (isAlone ? 2 : 1) * this.#patience
  }

  #take(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    const problem = this.#problemOf(message)
    if (problem !== undefined) return this.#fabric.reject(envelope, problem)
    const { round } = message
    if (this.#buffer.isTooEarly(round)) this.#tooFar = round
    if (round < this.#buffer.round || this.#buffer.isTooEarly(round)) return this.#fabric.recycle(message)
    const whole = this.#whole(from, message)
    if (whole === undefined) return
    const offer = this.#buffer.offer(from, round, whole)
    if (offer !== 'kept') this.#fabric.reject({ from, message: whole }, `parameters of round ${round} are ${offer}`)
    else if (this.#absent.size > 0) this.#absent.delete(from)
  }

  /** Why this exchange has no use for a message, whenever it comes; `undefined` when it may have. */
  #problemOf({ kind, round, offset = 0, vector: { length } }: VectorMessage): string | undefined {
    if (kind !== parametersKind) return `a message of kind ${kind}; parameters are of kind ${parametersKind}`
    if (round >= this.#rounds) return `a message of round ${round}; the last is ${this.#rounds - 1}`
    const fits =
      this.#assembly === undefined
        ? offset === 0 && length === this.#length
        : this.#assembly.stretchAt(offset)?.length === length
    if (fits) return undefined
    return `${length} parameters from number ${offset} on, of ${this.#length}, are nothing that is exchanged`
  }

  /** A neighbour's parameters, when they are complete with what has come. */
  #whole(from: PeerName, message: VectorMessage): VectorMessage | undefined {
    if (this.#assembly === undefined) return message
    const whole = this.#assembly.offer(from, message)
    this.#fabric.recycle(message)
    return whole
  }

  /** Parameters that were put together here are not the fabric's to use again. */
  #recycle(message: VectorMessage): void {
    if (this.#assembly === undefined) this.#fabric.recycle(message)
  }

  /** Nobody came in this round. That is borne as long as a neighbour of another round may still come. */
  #refuseToGoOnAlone(round: number, missing: readonly PeerName[]): void {
    if ([...this.#known].some((name) => !this.#absent.has(name))) return
    const behind =
      this.#tooFar === undefined
        ? ''
        : `; others are in round ${this.#tooFar}, and who was started anew or stalled cannot catch up`
    throw new NeighboursMissingError(
      missing,
      `${this.#fabric.self} heard nothing of ${missing.join(', ')} in round ${round}, nor has it ` +
        `another neighbour left; it does not train alone${behind}`
    )
  }
}

/** A row of the mixing matrix, made ready for averaging. */
interface Plan {
  readonly mixing: Mixing
  /** Whom one receives from, in the order of their names. */
  readonly names: readonly PeerName[]
  /** One's own place among them by name. */
  readonly place: number
}

/** The terms of the weighted average in the order of names, oneself included, so that the sum does not depend on who came first. */
function termsOf({ mixing, place }: Plan, x: Float32Array, theirs: readonly (VectorMessage | undefined)[]): Term[] {
  const terms: Term[] = []
  let selfWeight = mixing.selfWeight
  let total = mixing.selfWeight
  let before = 0
  for (const [index, { weight }] of mixing.receiveFrom.entries()) {
    total += weight
    const vector = theirs[index]?.vector
    if (vector === undefined) {
      selfWeight += weight
      continue
    }
    if (index < place) before++
    terms.push({ weight, vector })
  }
  terms.splice(before, 0, { weight: selfWeight, vector: x })
  invariant(Math.abs(total - 1) < 1e-9, () => `the mixing weights sum to ${total}`)
  return terms
}

/** Adds to `squares` the squared distances of `theirs` from `x`, over the elements `from` to below `to`. */
function addSquares(
  squares: number[],
  theirs: readonly (VectorMessage | undefined)[],
  x: Float32Array,
  from: number,
  to: number
): void {
  for (const [place, message] of theirs.entries()) {
    if (message !== undefined) squares[place] += squaredDistance(x, message.vector, from, to)
  }
}

/** How far those are whose parameters came. */
function distancesOf(
  { names }: Plan,
  theirs: readonly (VectorMessage | undefined)[],
  squares: readonly number[]
): readonly NeighbourDistance[] {
  const distances: NeighbourDistance[] = []
  for (const [place, from] of names.entries()) {
    if (theirs[place] !== undefined) distances.push({ from, distance: Math.sqrt(squares[place]) })
  }
  return distances
}
