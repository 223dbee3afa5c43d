import type { ConsensusEstimate, NeighbourDistance, PeerName } from '@murmuration/core'
import { addToSketch, sketchedConsensusDistance, sketchLength } from '@murmuration/vectors'

/** The number of rounds whose sketches are kept per peer. */
const maxRounds = 4

/** The digits of a sketch's numbers: far more than the precision of an estimate. */
const digits = 6

/** The first word of a sketch's text. */
const word = 'sketch'

/** How the final model of a peer compares with those of others that have finished. */
export interface Agreement {
  /** How far each of them is from this peer's model, estimated from sketches; exactly 0 for the same model. */
  readonly distances: readonly NeighbourDistance[]
  /** The consensus distance of this peer's model and theirs; undefined where none is known. */
  readonly consensus: number | undefined
  /** Others that have finished, whose final model is not known here. */
  readonly unknown: readonly PeerName[]
  /** Others that were there and had not finished when this peer ended. */
  readonly unfinished: readonly PeerName[]
}

/** Estimates the consensus distance from the sketches that peers exchange. It does no I/O. */
export class Consensus {
  readonly #self: PeerName
  readonly #seed: number
  readonly #rounds: number
  /** The newest sketches of each peer, by round. */
  readonly #sketches = new Map<PeerName, Map<number, Float64Array>>()
  #sums = new Float64Array(sketchLength)
  /** The last estimate; valid until another sketch arrives or the peers present change. */
  #last: { readonly present: readonly PeerName[]; readonly estimate: ConsensusEstimate | undefined } | undefined

  /**
   * @param seed - of the run
   * @param rounds - how many the run has
   */
  constructor(self: PeerName, seed: number, rounds: number) {
    this.#self = self
    this.#seed = seed
    this.#rounds = rounds
  }

  /** Whether a note is a sketch. */
  static isSketch(text: string): boolean {
    return text.startsWith(`${word} `)
  }

  /** Adds a range of this peer's model to its sketch. */
  add(model: Float32Array, from: number, to: number): void {
    if (from === 0) this.#sums = new Float64Array(sketchLength)
    addToSketch(this.#sums, model, this.#seed, from, to)
  }

  /**
   * Completes this peer's sketch, which is of the model after this round; of its final model, where the round is the
   * number of rounds. That one has all digits. Returns the text to send to others.
   */
  end(round: number): string {
    const numbers = [...this.#sums].map((sum) => (round === this.#rounds ? sum : Number(sum.toPrecision(digits))))
    this.#keep(this.#self, round, Float64Array.from(numbers))
    return `${word} ${JSON.stringify([round, ...numbers])}`
  }

  /** Takes in another peer's sketch. Returns what is wrong with it, if anything. */
  take(from: PeerName, text: string): string | undefined {
    const [round, ...numbers] = numbersOf(text.slice(word.length + 1))
    const isRound = Number.isSafeInteger(round) && round >= 0 && round <= this.#rounds
    if (!isRound || numbers.length !== sketchLength || !numbers.every(Number.isFinite)) return 'a malformed sketch'
    this.#keep(from, round, Float64Array.from(numbers))
    return undefined
  }

  /** How the final models of these peers, of those that are known, compare with this peer's. */
  compare(peers: readonly PeerName[]): Pick<Agreement, 'distances' | 'consensus' | 'unknown'> {
    const of = (peer: PeerName) => this.#sketches.get(peer)?.get(this.#rounds)
    const own = of(this.#self)
    if (own === undefined) return { distances: [], consensus: undefined, unknown: peers }
    const known = peers.flatMap((from) => {
      const theirs = of(from)
      return theirs === undefined ? [] : { from, theirs }
    })
    // Of two vectors each is half of their distance from their mean.
    const distances = known.map(({ from, theirs }) => ({
      from,
      distance: 2 * sketchedConsensusDistance([own, theirs])
    }))
    const all = [own, ...known.map(({ theirs }) => theirs)]
    const consensus = known.length === 0 ? undefined : sketchedConsensusDistance(all)
    return { distances, consensus, unknown: peers.filter((peer) => of(peer) === undefined) }
  }

  /** An estimate for this peer's newest round for which more than half of the expected peers have sent sketches. */
  estimate(presentNow: () => readonly PeerName[]): ConsensusEstimate | undefined {
    if (!this.#sketches.has(this.#self)) return undefined
    const present = presentNow()
    if (this.#last?.present !== present) this.#last = { present, estimate: this.#estimate(present) }
    return this.#last.estimate
  }

  #estimate(present: readonly PeerName[]): ConsensusEstimate | undefined {
    const ownSketches = this.#sketches.get(this.#self)
    for (const round of [...(ownSketches?.keys() ?? [])].sort((left, right) => right - left)) {
      const sketches = present.flatMap((peer) => this.#sketches.get(peer)?.get(round) ?? [])
      const expected = present.filter((peer) => this.#sketches.has(peer)).length
      if (sketches.length < 2 || 2 * sketches.length <= expected) continue
      return { round, distance: sketchedConsensusDistance(sketches), peers: sketches.length }
    }
    return undefined
  }

  #keep(peer: PeerName, round: number, sketch: Float64Array): void {
    this.#last = undefined
    const all = this.#sketches.get(peer) ?? new Map<number, Float64Array>()
    this.#sketches.set(peer, all.set(round, sketch))
    if (all.size > maxRounds) all.delete(Math.min(...all.keys()))
  }
}

function numbersOf(text: string): readonly number[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed.map((each) => (typeof each === 'number' ? each : Number.NaN)) : []
  } catch {
    return []
  }
}
