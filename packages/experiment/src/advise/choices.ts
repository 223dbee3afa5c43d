import type { GraphDescription } from '@murmuration/topology'
import type { AlgorithmChoice } from '../training/algorithm-choice.js'
import type { Training } from '../training/training-schema.js'

/** What a plan has otherwise than the files. */
export interface Choice {
  readonly algorithm: AlgorithmChoice
  readonly codec: Training['codec']
  /** In place of the initial learning rate. */
  readonly rate: number
  /** In place of the graph of the topology file. */
  readonly graph?: GraphDescription
}

/** Of the learning rate of the file: a third of it, the same, and three times as much. */
const rates = [1, 1 / 3, 3]
/** Steps between two exchanges. Odd, so that graphs whose rounds repeat after a power of two go through all of them. */
const periods = [3, 9, 27, 81]
/** Of the coordinates that are sent. */
const fractions = [1 / 64, 1 / 16]
/** Rate and momentum of outer steps: the plain mean, and one with momentum. */
const outers = [
  { rate: 1, momentum: 0 },
  { rate: 0.7, momentum: 0.5 }
]
const codecs = ['float32', 'int8'] as const
/** Each peer averages with one other in a round, drawn anew. */
const pairs: GraphDescription = { kind: 'random-matching', rounds: 64, seed: 1 }
/** Bandwidth counts in a ring, latency where all send to all. */
const collectives = [{ collective: 'ring' }, { collective: 'direct', chunks: 1 }]

/** Without exchanges all algorithms are the same; this one's report is what each peer has. */
const apart = 'ad-psgd'

/** Steps of a plan of {@link choicesFor} between two exchanges. */
export function periodOf({ algorithm: { period = 1 } }: Choice): number {
  return period as number
}

/**
 * What is worth a try on any links: gossip with every step, with fewer bytes, after some steps of its own, behind steps, and without a barrier; what all-reduces do of the same; and to train apart
 * and average at the end. All in the
 * same rates, periods and strengths of compression, so that none is tuned more than the others. Of each algorithm the first is the usual one.
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
