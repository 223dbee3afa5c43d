/**
 * Bookkeeping of a simulated swarm: what crosses an edge is used by both ends or by none, and nothing else changes the
 * sum over the peers.
 */
import type { PeerName } from '@murmuration/core'

/** A vector that was sent, with the lives of both ends as its sender knew them. */
export interface SentVector {
  readonly round: number
  readonly life: number
  readonly toLife: number
}

/** What one end has done with an exchange. */
interface ExchangeEnd {
  readonly peer: PeerName
  hasSent: boolean
  /** What it has added to its own values. */
  flow: Float64Array | undefined
  weight: number
}

/** One edge in one round, between two lives. */
interface BookedExchange {
  readonly round: number
  readonly ends: readonly [ExchangeEnd, ExchangeEnd]
  /** A life of one end ended while the exchange was open: the other end may or may not use it. */
  isVoid: boolean
}

/** What a peer has added to its values in a round, and the sender of that message. */
export interface VectorUse {
  readonly from: PeerName
  readonly round: number
  readonly weight: number
  readonly mine: ArrayLike<number>
  readonly theirs: ArrayLike<number>
}

/** The maximum length of vectors in these swarms. */
const maxLength = 4

/** The allowed float64 rounding error of the sum over the peers. */
const tolerance = 1e-9

/** Facts about a peer, besides its exchanges. */
export interface PeerFacts {
  /** Peers that it continued without, and still waits for. */
  readonly owing: (peer: PeerName) => readonly PeerName[]
  /** The last round that it has ended. */
  readonly ended: (peer: PeerName) => number
}

export class Books {
  readonly #facts: PeerFacts
  readonly #report: (finding: string) => void
  readonly #exchanges = new Map<string, BookedExchange>()
  /** Exchanges that only one end has used so far, with the other end. */
  readonly #open = new Map<BookedExchange, ExchangeEnd>()
  /** By sender, receiver and round: the last message, in the latest life. */
  readonly #sent = new Map<string, SentVector>()
  /** The values of each living peer, in float64. */
  readonly #values = new Map<PeerName, Float64Array>()
  /** The expected sum of all values and of everything that is still to be added. */
  readonly #expected = new Float64Array(maxLength)

  constructor(facts: PeerFacts, report: (finding: string) => void) {
    this.#facts = facts
    this.#report = report
  }

  /** A life begins with these values. */
  beginLife(peer: PeerName, x: ArrayLike<number>): void {
    this.endLife(peer)
    this.#values.set(peer, Float64Array.from(x))
    add(this.#expected, x)
  }

  /** A life is over, with its values and its open exchanges. */
  endLife(peer: PeerName): void {
    for (const exchange of this.#exchanges.values()) {
      if (!exchange.isVoid && exchange.ends.some((end) => end.peer === peer)) this.#void(exchange)
    }
    const values = this.#values.get(peer)
    if (values !== undefined) add(this.#expected, values, -1)
    this.#values.delete(peer)
  }

  sent(from: PeerName, to: PeerName, sent: SentVector): void {
    this.#sent.set(`${from} ${to} ${sent.round}`, sent)
    endOf(this.#exchange(from, to, sent), from).hasSent = true
  }

  recordUse(peer: PeerName, use: VectorUse): void {
    const { from, round, weight, mine, theirs } = use
    const sent = this.#sent.get(`${peer} ${from} ${round}`)
    if (sent === undefined) return this.#report(`${peer} has used ${from} in round ${round}, and did not send to it`)
    const exchange = this.#exchange(peer, from, sent)
    const own = endOf(exchange, peer)
    const other = endOf(exchange, from)
    if (!other.hasSent) this.#report(`${peer} has used what ${from} did not send to this life in round ${round}`)
    if (own.flow !== undefined) this.#report(`${peer} has used ${from} in round ${round} twice`)
    const flow = Float64Array.from(mine, (value, index) => weight * (theirs[index] - value))
    own.flow = flow
    own.weight = weight
    add(this.#values.get(peer), flow)
    if (exchange.isVoid) add(this.#expected, flow)
    else if (other.flow === undefined) this.#open.set(exchange, other)
    else {
      this.#open.delete(exchange)
      if (other.weight !== weight)
        this.#report(
          `${peer} has used ${from} in round ${round} with ${weight}, and the other end with ${other.weight}`
        )
    }
  }

  /** The optimiser has moved a peer's values. */
  recordMove(peer: PeerName, from: ArrayLike<number>, to: ArrayLike<number>): void {
    for (const sum of [this.#values.get(peer), this.#expected]) {
      add(sum, to)
      add(sum, from, -1)
    }
  }

  /** A peer has ended a round. */
  checkRound(peer: PeerName): void {
    this.#check(peer)
    const sum = new Float64Array(maxLength)
    for (const values of this.#values.values()) add(sum, values)
    for (const [{ ends }] of this.#open) for (const { flow } of ends) add(sum, flow, -1)
    const scale = this.#values.size * Math.max(1, largest(this.#values.values()))
    const difference = sum.map((value, index) => value - this.#expected[index])
    if (largest([difference]) > tolerance * scale)
      this.#report(`the sum over the peers has moved by ${difference.join()}`)
  }

  /** At the end no exchange is open between peers that have finished. */
  checkEnd(peers: ReadonlySet<PeerName>): void {
    for (const [{ round, ends }, { peer }] of this.#open) {
      if (ends.every((end) => peers.has(end.peer)))
        this.#report(`${peer} has ended without what it owes to ${others(ends, peer)} since round ${round}`)
    }
  }

  /** What the other end has used and this one had not when it ended the round, it must owe. */
  #check(peer: PeerName): void {
    if (this.#open.size === 0) return
    for (const [{ round, ends }, behind] of this.#open) {
      if (behind.peer !== peer || round > this.#facts.ended(peer)) continue
      const other = others(ends, peer)
      if (!this.#facts.owing(peer).includes(other))
        this.#report(`${other} has used ${peer} in round ${round}; ${peer} has not, and does not owe it`)
    }
  }

  /** An open exchange no longer counts. */
  #void(exchange: BookedExchange): void {
    exchange.isVoid = true
    if (!this.#open.delete(exchange)) return
    for (const { flow } of exchange.ends) add(this.#expected, flow)
  }

  #exchange(from: PeerName, to: PeerName, { round, life, toLife }: SentVector): BookedExchange {
    const isFirst = from < to
    const [left, right] = isFirst ? [from, to] : [to, from]
    const key = `${left} ${right} ${round} ${isFirst ? life : toLife} ${isFirst ? toLife : life}`
    let exchange = this.#exchanges.get(key)
    if (exchange === undefined) {
      exchange = { round, ends: [newEnd(left), newEnd(right)], isVoid: false }
      this.#exchanges.set(key, exchange)
    }
    return exchange
  }
}

const newEnd = (peer: PeerName): ExchangeEnd => ({ peer, hasSent: false, flow: undefined, weight: 0 })
const endOf = ({ ends }: BookedExchange, peer: PeerName) => (ends[0].peer === peer ? ends[0] : ends[1])
const others = (ends: BookedExchange['ends'], peer: PeerName) => (ends[0].peer === peer ? ends[1] : ends[0]).peer

function add(sum: Float64Array | undefined, values: ArrayLike<number> | undefined, factor = 1): void {
  if (sum === undefined || values === undefined) return
  for (let index = 0; index < values.length; index++) sum[index] += factor * values[index]
}

function largest(vectors: Iterable<Float64Array>): number {
  let max = 0
  for (const values of vectors) for (const value of values) max = Math.max(max, Math.abs(value))
  return max
}
