import type { ConsensusEstimate, PeerName } from '@murmuration/core'
import { addToSketch, sketchedConsensusDistance, sketchLength } from '@murmuration/vectors'

/** The number of rounds whose sketches are kept per peer. */
const maxRounds = 4

/** The digits of a sketch's numbers: far more than the precision of an estimate. */
const digits = 6

/** The first word of a sketch's text. */
const word = 'sketch'

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

  /** Completes this peer's sketch, which is of the model after this round. Returns the text to send to others. */
  end(round: number): string {
    const numbers = [...this.#sums].map((sum) => Number(sum.toPrecision(digits)))
    this.#keep(this.#self, round, Float64Array.from(numbers))
    return `${word} ${JSON.stringify([round, ...numbers])}`
  }

  /** Takes in another peer's sketch. Returns what is wrong with it, if anything. */
  take(from: PeerName, text: string): string | undefined {
    const [round, ...numbers] = numbersOf(text.slice(word.length + 1))
    const isRound = Number.isSafeInteger(round) && round >= 0 && round < this.#rounds
    if (!isRound || numbers.length !== sketchLength || !numbers.every(Number.isFinite)) return 'a malformed sketch'
    this.#keep(from, round, Float64Array.from(numbers))
    return undefined
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
