import type { GraphDescription } from '@murmuration/topology'
import type { AlgorithmChoice } from '../training/algorithm-choice.js'
import type { Training } from '../training/training-schema.js'

/** In what a plan differs from the files. */
export interface Choice {
  readonly algorithm: AlgorithmChoice
  readonly codec: Training['codec']
  /** Replaces the initial learning rate. */
  readonly rate: number
  /** Replaces the graph of the topology file. */
  readonly graph?: GraphDescription
}

/** Factors for the learning rate of the file. */
const rates = [1, 1 / 3, 3]
/** Steps between two exchanges. Odd, so that graphs with a period that is a power of two go through all their rounds. */
const periods = [3, 9, 27, 81]
/** Fractions of the coordinates that are sent. */
const fractions = [1 / 64, 1 / 16]
/** Rate and momentum of outer steps: the plain mean, and one with momentum. */
const outers = [
  { rate: 1, momentum: 0 },
  { rate: 0.7, momentum: 0.5 }
]
const codecs = ['float32', 'int8'] as const
/** In each round, each peer averages with one other peer, chosen at random. */
const pairs: GraphDescription = { kind: 'random-matching', rounds: 64, seed: 1 }
/** A ring suits low bandwidth; direct exchange suits high latency. */
const collectives = [{ collective: 'ring' }, { collective: 'direct', chunks: 1 }]

/** Without exchanges all algorithms are the same; this one reports each peer's own model. */
const apart = 'ad-psgd'

/** Steps between two exchanges, for a plan of {@link choicesFor}. */
export function periodOf({ algorithm: { period = 1 } }: Choice): number {
  return period as number
}

/**
 * The plans worth trying on any links: gossip at every step, with fewer bytes, after several local steps, overlapping with steps, and
 * without a barrier; the all-reduce counterparts; and separate training with averaging at the end. All have the same rates, periods and
 * compression strengths, so that none is tuned more than the others. The first plan of each algorithm is its usual form.
 */
export function choicesFor({ rate: { initial }, rounds }: Training): readonly Choice[] {
  const exchanges: readonly Omit<Choice, 'rate'>[] = [
    ...codecs.flatMap((codec) => [
      { algorithm: { name: 'dpsgd' }, codec },
      { algorithm: { name: 'dpsgd' }, codec, graph: pairs },
      { algorithm: { name: 'ad-psgd' }, codec },
      ...collectives.map((options) => ({ algorithm: { name: 'all-reduce', ...options }, codec }))
    ]),
    ...periods.flatMap((period) => [
      { algorithm: { name: 'ad-psgd', period }, codec: 'int8' },
      { algorithm: { name: 'overlap-merge', period }, codec: 'int8', graph: pairs },
      ...outers.flatMap((outer) => [
        {
          algorithm: { name: 'gasloc', period, outerRate: outer.rate, momentum: outer.momentum },
          codec: 'int8',
          graph: pairs
        },
        {
          algorithm: {
            name: 'diloco',
            period,
            outer: { name: 'sgd', ...outer, nesterov: outer.momentum > 0 },
            ...collectives[1]
          },
          codec: 'int8'
        }
      ])
    ]),
    { algorithm: { name: apart, period: rounds }, codec: 'int8' },
    ...[1, ...periods].flatMap((period) =>
      fractions.map((fraction) => {
        const compressor = { name: 'top-k', fraction }
        return { algorithm: { name: 'choco', period, compressor, consensus: Math.sqrt(fraction) }, codec: 'float32' }
      })
    )
  ]
  return rates.flatMap((factor) => exchanges.map((each) => ({ ...each, rate: factor * initial })))
}
