/** Functions that combine the neighbours' messages. Pure: messages are not changed. Sums run in the order of names. */
import { byName, invariant, type PeerName } from '@murmuration/core'
import { isVector, linearOf, type State, type Term } from '../vectors/vector.js'
import {
  agreedWeights,
  type Collected,
  type Flow,
  type Message,
  type Mixing,
  type PerPeer,
  perPeer,
  type Route,
  valuesOf
} from '../record/record.js'

/**
 * `Σ_j W_ij theirs_j`, field by field, with the smaller of the weights that both ends offer. Weight that is offered but
 * not used is added to the peer's own weight, so that the row still sums to 1.
 */
export function mix<M extends Message>(W: Mixing, mine: M, theirs: Collected<M>): M {
  let own = W.own
  let sum = own
  const { from } = W
  const agreed = agreedWeights(theirs)
  const weights = new Array<number>(from.length)
  for (let index = 0; index < from.length; index++) {
    const j = from[index]
    const offer = W.row(j)
    const used = theirs[j] === undefined ? 0 : (agreed?.get(j) ?? agreedWeight(W, j))
    weights[index] = used
    sum += offer
    if (used !== offer) own += offer - used
  }
  invariant(Math.abs(sum - 1) < 1e-9, () => `the mixing weights of ${W.peer} in round ${W.round} sum to ${sum}`)
  return inOrder(W, own, mine, theirs, weights)
}

/** The weight that both ends of an edge use for each other's message. */
export function edgeWeight(W: Mixing, j: PeerName, theirs: Collected<Message>): number {
  return agreedWeights(theirs)?.get(j) ?? agreedWeight(W, j)
}

/**
 * The smaller of the weights that both ends of an edge offer.
 *
 * @param offer - j's, as its message names it; the topology's weight when absent
 */
export function agreedWeight(W: Mixing, j: PeerName, offer?: number): number {
  if (offer === undefined && W.offer === undefined) return W.row(j)
  return Math.min(W.row(j), offer ?? W.filed?.(j) ?? W.row(j))
}

/**
 * Adds a late flow to those fields of the state that were sent: `x ← x + w (theirs.x − mine.x)`. Other fields are kept.
 */
export function addFlow<S extends State, M extends Message>(state: S, { weight, mine, theirs }: Flow<M>): S {
  const next: Record<string, State[string]> = { ...state }
  for (const field in theirs) {
    const value = state[field]
    if (value === undefined || (typeof value !== 'number' && !isVector(value))) continue
    const terms = [
      [1, { v: value }],
      [weight, { v: theirs[field] }],
      [-weight, { v: mine[field] }]
    ] as const
    next[field] = linearOf<Message>(terms).v
  }
  return next as S
}

/** Adds mass that arrived late to those fields of the state that were sent. */
export function addSent<S extends State, M extends Message>(state: S, { theirs }: Flow<M>): S {
  const next: Record<string, State[string]> = { ...state }
  for (const field in theirs) {
    const terms = [{ v: state[field] as Message[string] }, { v: theirs[field] }].map((each): Term<Message> => [1, each])
    next[field] = linearOf(terms).v
  }
  return next as S
}

/** The sum of the peer's own and all received messages, for mass that the sender has already weighted. */
export function total<M extends Message>(route: Route, mine: M, theirs: PerPeer<M>): M {
  return inOrder(route, 1, mine, theirs, 1)
}

/** The mean of the peer's own and the received messages. */
export function mean<M extends Message>(route: Route, mine: M, theirs: PerPeer<M>): M {
  const weight = 1 / (1 + valuesOf(theirs).length)
  return inOrder(route, weight, mine, theirs, weight)
}

/** The mean of the received messages, at least one. */
export function meanOf<M extends Message>(route: Route, theirs: PerPeer<M>): M {
  const all = route.from.map((j) => theirs[j]).filter((each) => each !== undefined)
  return linearOf(all.map((each): Term<M> => [1 / all.length, each]))
}

/**
 * The weight that a column-stochastic sender keeps: W_ii, and the weights of receivers that could not be reached, so
 * that no mass is lost. A repaired row may have other senders than receivers; then its offers to the receivers count.
 */
export function kept(P: Mixing, unsent: readonly PeerName[]): number {
  const own = P.offer === undefined ? P.own : 1 - P.offer * P.to.length
  return unsent.reduce((sum, j) => sum + P.column(j), own)
}

/** The entries of all peers but one. */
export function without<A extends PerPeer<unknown>>(all: A, peer: PeerName): A {
  const { [peer]: _, ...others } = all
  return Object.assign(perPeer(), others) as A
}

/**
 * @param weights - those of the senders, or one for all
 */
function inOrder<M extends Message>(
  { peer, from }: Route,
  own: number,
  mine: M,
  theirs: PerPeer<M>,
  weights: readonly number[] | number
): M {
  // A list that grows by itself has room for at least 17.
  const terms = new Array<Term<M>>(from.length + 1)
  let count = 0
  let isMineIn = false
  for (let index = 0; index < from.length; index++) {
    const j = from[index]
    if (!isMineIn && byName(peer, j) < 0) {
      terms[count++] = [own, mine]
      isMineIn = true
    }
    const message = theirs[j]
    if (message !== undefined) terms[count++] = [typeof weights === 'number' ? weights : weights[index], message]
  }
  if (!isMineIn) terms[count++] = [own, mine]
  terms.length = count
  return linearOf(terms)
}
