import type { PeerName } from '@murmuration/core'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import type { AlgorithmChoice } from '../training/algorithm-choice.js'
import { taskRecordOf } from '../training/task-choice.js'
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
/** Steps between two exchanges. */
const periods = [3, 9, 27, 81]
/** Rate and momentum of outer steps: the plain mean, and one with momentum. */
const outers = [
  { rate: 1, momentum: 0 },
  { rate: 0.7, momentum: 0.5 }
]
const codecs = ['float32', 'int8'] as const
/** Two strengths of each kind of compression. Fractions are those of the coordinates that are sent. */
const fractions = [1 / 64, 1 / 16]
const ranks = [1, 2]
const thetas = [0.5, 0.25]
/** DivShare's: into how many fragments a model is cut; each goes to one peer. */
const cuts = [1, 4]
const bits = 4
/** In each round a peer averages with at most one other. Final averaging takes the fewest rounds with one neighbour. */
const pairs: GraphDescription = { kind: 'base-graph', degree: 1 }
/** Any two peers may exchange. Final averaging takes one round. */
const everyone: GraphDescription = { kind: 'complete' }
/**
 * Of methods with a state for each neighbour, more peers have the graph of the file: memory on the complete graph grows
 * with their number.
 */
const maxStates = 16
/** Which collective is the fastest follows from the links. */
const collective = 'auto'

/** Without exchanges all algorithms are the same; this one reports each peer's own model. */
const apart = 'ad-psgd'

/** Steps between two exchanges, for a plan of {@link choicesFor}. */
export function periodOf({ algorithm: { period = 1 } }: Choice): number {
  return period as number
}

/**
 * The plans worth trying on any links: gossip at every step, with fewer bytes, after several local steps, overlapping
 * with steps, and without a barrier; the all-reduce counterparts; and separate training with averaging at the end. All
 * have the same rates and periods, and two strengths of compression, so that none is tuned more than the others. The
 * first plan of each algorithm is its usual form.
 */
export function choicesFor(training: Training, peers: readonly PeerName[]): readonly Choice[] {
  const exchanges = [...gossip(training, peers), ...central()]
  const withRates = rates.flatMap((factor) =>
    exchanges.map((each) => ({ ...each, rate: Number((factor * training.rate.initial).toPrecision(6)) }))
  )
  return [...withRates, ...dual(training)]
}

/** Steps of dual ascent have no rate, and few tasks have a dual. */
function dual({ task, rate }: Training): readonly Choice[] {
  if (taskRecordOf(task)?.hasDual === undefined) return []
  const each = { algorithm: { name: 'cola' }, codec: 'float32', rate: rate.initial } as const
  return [each, { ...each, graph: everyone }]
}

type ExchangeChoice = Omit<Choice, 'rate'>

function gossip({ rounds }: Training, peers: readonly PeerName[]): readonly ExchangeChoice[] {
  const { period: rotation } = createTopology({ peers, graph: pairs })
  const few = peers.length > maxStates ? {} : { graph: everyone }
  return [
    ...codecs.flatMap((codec) => [
      { algorithm: { name: 'dpsgd' }, codec },
      { algorithm: { name: 'dpsgd' }, codec, graph: pairs },
      { algorithm: { name: 'ad-psgd' }, codec, graph: everyone }
    ]),
    { algorithm: { name: apart, period: rounds }, codec: 'int8', graph: everyone },
    ...periods.flatMap((period): ExchangeChoice[] => [
      { algorithm: { name: 'ad-psgd', period }, codec: 'int8', graph: everyone },
      ...cuts.map((fragments): ExchangeChoice => {
        return { algorithm: { name: 'divshare', period, fragments, receivers: 1 }, codec: 'int8', graph: everyone }
      })
    ]),
    ...periods.flatMap((steps): ExchangeChoice[] => {
      const period = withoutCommonFactor(steps, rotation)
      return [
        { algorithm: { name: 'overlap-merge', period }, codec: 'int8', graph: pairs },
        ...outers.map(({ rate: outerRate, momentum }): ExchangeChoice => {
          return { algorithm: { name: 'gasloc', period, outerRate, momentum }, codec: 'int8', graph: pairs }
        })
      ]
    }),
    ...[1, ...periods].flatMap((period) =>
      fractions.map((fraction): ExchangeChoice => {
        const compressor = { name: 'top-k', fraction }
        const algorithm = { name: 'choco', period, compressor, consensus: Math.sqrt(fraction) }
        return { algorithm, codec: 'int8', ...few }
      })
    ),
    ...thetas.map((theta): ExchangeChoice => ({
      algorithm: { name: 'moniqua', bits, theta },
      codec: 'int8',
      graph: pairs
    })),
    ...ranks.map((rank): ExchangeChoice => ({ algorithm: { name: 'power-gossip', rank }, codec: 'float32', ...few }))
  ]
}

/**
 * Algorithms that need all peers in each exchange. On the complete graph they average at the end as they do in between.
 */
function central(): readonly ExchangeChoice[] {
  const exchanges: readonly ExchangeChoice[] = [
    ...codecs.map((codec) => ({ algorithm: { name: 'all-reduce', collective }, codec })),
    ...periods.flatMap((period) =>
      outers.flatMap(({ rate, momentum }): ExchangeChoice[] => {
        const outer = { name: 'sgd', rate, momentum, nesterov: momentum > 0 }
        return [
          { algorithm: { name: 'diloco', period, outer, collective }, codec: 'int8' },
          { algorithm: { name: 'quantised-diloco', period, bits, outer, collective }, codec: 'int8' }
        ]
      })
    ),
    ...fractions.map((fraction): ExchangeChoice => {
      return { algorithm: { name: 'cocktail-sgd', random: 4 * fraction, largest: 1 / 4, bits }, codec: 'int8' }
    }),
    ...ranks.map((rank): ExchangeChoice => ({ algorithm: { name: 'power-sgd', rank, collective }, codec: 'float32' }))
  ]
  return exchanges.map((each) => ({ ...each, graph: everyone }))
}

/**
 * The first number of steps from `steps` on with which exchanges use all rounds of a graph that repeats after
 * `rotation` rounds.
 */
function withoutCommonFactor(steps: number, rotation: number): number {
  for (let divisor = 2; divisor <= rotation; divisor++)
    if (steps % divisor === 0 && rotation % divisor === 0) return withoutCommonFactor(steps + 1, rotation)
  return steps
}
