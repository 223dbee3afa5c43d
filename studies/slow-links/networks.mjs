// The map for other networks, with methods that are the fastest of their side in some cell of the map, D-PSGD, and
// GASLoC. Those of low rank are left out, for their computing time and because convolutions have no matrices; for the
// larger perceptron CocktailSGD and Moniqua, too.
import { cells as allCells, messageLength, setupOf } from './cells.mjs'
import { methods as all } from './methods.mjs'

/** Larger inputs, and convolutions, need lower rates. */
const rates = new Map([[0.1, 0.03], [0.3, 0.1], [0.8, 0.3]]) // oxfmt-ignore
const anyOf = () => true
const isAmong = ({ period }) => period !== 9
/** The methods that are tried, and which of their settings for the convolutional network, which takes longer. */
const isTried = {
  'trained apart, merged once': anyOf,
  'all-reduce, int8': anyOf,
  'DiLoCo, all-reduce in few bits': ({ options }) => isAmong(options) && options.bits === 4,
  'CocktailSGD': anyOf,
  'D-PSGD': ({ graph }) => graph.kind === 'random-matching',
  'GASLoC, int8': ({ options }) => isAmong(options) && options.momentum < 0.9,
  'GASLoC, int4': ({ options }) => isAmong(options) && options.momentum < 0.9,
  'Overlap merge, int8': ({ options, graph }) => isAmong(options) && graph.kind !== 'ring',
  'Overlap merge, int4': ({ options, graph }) => isAmong(options) && graph.kind !== 'ring',
  'Moniqua': ({ options }) => options.theta >= 0.5,
  'CHOCO-SGD, local steps': ({ options }) => isAmong(options) && options.compressor.fraction > 1 / 64
}

const atLowerRates = ({ configs, ...method }) => ({ ...method, configs: configs.map((config) => ({ ...config, rate: rates.get(config.rate) })) }) // oxfmt-ignore
const others = all.filter(({ name }) => name in isTried).map(atLowerRates)
const forLarge = others.filter(({ name }) => name !== 'CocktailSGD' && name !== 'Moniqua')
const forConvolutions = others.map((method) => ({ ...method, configs: method.configs.filter(isTried[method.name]) }))

/**
 * A perceptron of the size that messages have in the map, and the convolutional network of examples/mnist/cnn.yaml,
 * whose messages weigh as much.
 */
const models = { large: { kind: 'mlp', hidden: [128] }, cnn: { kind: 'cnn' } }
const lengths = { large: messageLength, cnn: 9226 }

/**
 * The map for `mlp`, the small perceptron; `large` or `cnn`: cells, methods and setup. The others have methods with a
 * barrier only, and stragglers at 50 ms.
 */
export function mapOf(network, peers) {
  const setup = setupOf(peers)
  if (network === 'mlp') return { cells: allCells, methods: all, setup }
  const data = { model: models[network], samples: 12000 }
  const cells = allCells.filter(({ hasStragglers, latency }) => !hasStragglers || latency === 50)
  const methods = network === 'cnn' ? forConvolutions : forLarge
  return { cells, methods, setup: { ...setup, lengths: { trained: lengths[network], message: messageLength }, data, rates: [...rates.values()] } } // oxfmt-ignore
}
