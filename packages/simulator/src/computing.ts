import { exp, log, invariant, type Milliseconds, type PeerName, type Random, type Work } from '@murmuration/core'
import { createRandom } from '@murmuration/random'

/** How a computation occasionally takes longer than it should. */
export type Stragglers =
  | { readonly kind: 'none' }
  /**
   * Adds a time drawn from the exponential distribution: the shifted exponential of Lee et al. 2018 (Speeding Up
   * Distributed Machine Learning Using Codes).
   */
  | { readonly kind: 'shifted-exponential'; readonly mean: Milliseconds }
  /** Multiplies by exp(σ z − σ²/2) with z normal, whose mean is 1. */
  | { readonly kind: 'log-normal'; readonly sigma: number }
  /** Multiplies by `factor`, with the probability `fraction`. */
  | { readonly kind: 'slow-now-and-then'; readonly fraction: number; readonly factor: number }
  /** Multiplies by one factor after the other, cyclically; each peer begins at a random place. */
  | { readonly kind: 'trace'; readonly factors: readonly number[] }

/** How long computing takes. */
export interface ComputingModel {
  readonly perSample: Milliseconds
  readonly perStep: Milliseconds
  /** How many times as long it takes on slow peers. */
  readonly slow: ReadonlyMap<PeerName, number>
  readonly stragglers: Stragglers
}

/**
 * The time of a work: (perStep + perSample · samples · share) · slow, modified by the stragglers' model. Each peer has
 * its own random numbers, so it draws the same times whatever the others do. Initialising and reading samples cost
 * nothing.
 */
export function computingCost(
  model: ComputingModel,
  seed: number
): (work: Work<unknown>, peer: PeerName) => Milliseconds {
  const { perStep, perSample, slow, stragglers } = model
  const draws = new Map<PeerName, (time: Milliseconds) => Milliseconds>()
  const drawOf = (stragglers: Exclude<Stragglers, { readonly kind: 'none' }>, peer: PeerName) => {
    const draw = straggling(stragglers, createRandom(seed, peer, 'computing'))
    draws.set(peer, draw)
    return draw
  }
  return ({ kind, samples, share = 1 }, peer) => {
    if (kind === 'initialise' || kind === 'take') return 0
    const time = (perStep + perSample * samples * share) * (slow.get(peer) ?? 1)
    if (stragglers.kind === 'none') return time
    return (draws.get(peer) ?? drawOf(stragglers, peer))(time)
  }
}

function straggling(
  stragglers: Exclude<Stragglers, { readonly kind: 'none' }>,
  random: Random
): (time: Milliseconds) => Milliseconds {
  switch (stragglers.kind) {
    case 'shifted-exponential':
      return (time) => time - stragglers.mean * log(1 - random.uniform())
    case 'log-normal':
      return (time) => time * exp(stragglers.sigma * random.normal() - stragglers.sigma ** 2 / 2)
    case 'slow-now-and-then':
      return (time) => time * (random.uniform() < stragglers.fraction ? stragglers.factor : 1)
    case 'trace': {
      const { factors } = stragglers
      invariant(factors.length > 0, 'a trace without factors')
      let index = random.integer(factors.length)
      return (time) => time * factors[index++ % factors.length]
    }
  }
}
