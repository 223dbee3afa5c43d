import { cos, pow } from '@murmuration/core'

/** A node, as far as its periods are concerned. */
interface PeriodicNode {
  readonly rounds: number
  readonly first: number
  readonly options: { readonly period: number }
}

/** Whether round k ends a period of H local steps. The last round of a run does too, so that no step is lost. */
export function endsPeriod(node: PeriodicNode, k: number): boolean {
  return atPeriod(node, k) || k + 1 === node.rounds
}

/** The same, but for the last round. A new epoch does not begin the period anew: its steps are carried over. */
export function atPeriod({ first, options }: Omit<PeriodicNode, 'rounds'>, k: number): boolean {
  return (first + k + 1) % options.period === 0
}

/** How many rounds are over when the first `count` periods are: {@link endsPeriod} is true of the round before. */
export function roundsOfPeriods({ first, rounds, options: { period } }: PeriodicNode, count: number): number {
  return count === 0 ? 0 : Math.min(count * period - (first % period), rounds)
}

/** How the learning rate changes over the rounds. JSON. */
export interface RateDescription {
  /** The rate after the warm-up, above 0. */
  readonly initial: number
  /** Rounds over which the rate grows linearly from `initial / warmup` to `initial`; 0 for none. */
  readonly warmup?: number
  /** 'constant'; 'cosine', down to 0 at the last round; or a multiplication by `factor` at each round of `at`. */
  readonly decay?: 'constant' | 'cosine' | { readonly at: readonly number[]; readonly factor: number }
}

/** The learning rate of round k = 0, 1, … of `rounds`. */
export function rateSchedule(description: RateDescription, rounds: number): (round: number) => number {
  const { initial, warmup = 0, decay = 'constant' } = description
  return (round) => {
    if (round < warmup) return (initial * (round + 1)) / warmup
    if (decay === 'constant') return initial
    if (decay === 'cosine') return initial * 0.5 * (1 + cos((Math.PI * (round - warmup)) / (rounds - warmup)))
    return initial * pow(decay.factor, decay.at.filter((boundary) => round >= boundary).length)
  }
}
