// The methods for the other networks: those that are the fastest of their side in some cell of the map, D-PSGD, and GASLoC; with fewer settings.
import { cells as allCells, messageLength, setupOf } from './cells.mjs'
import { methods as all } from './methods.mjs'

/** Larger inputs, and convolutions, need lower rates. */
const rates = new Map([[0.1, 0.03], [0.3, 0.1], [0.8, 0.3]]) // prettier-ignore
const isPairs = ({ graph }) => graph.kind === 'random-matching'
const isLong = ({ options }) => options.period >= 9
/** In a method's settings, those that are tried. */
const tried = {
  'trained apart, merged once': () => true,
  'trained apart at own pace, merged once': () => true,
  'all-reduce, int8': () => true,
  'DiLoCo, all-reduce in few bits': (config) => isLong(config) && config.options.bits === 4,
  'Decoupled DiLoCo, quorum, int8': ({ options }) => options.period >= 27 && options.quorum === 14 && options.momentum === 0, // prettier-ignore
  'CocktailSGD': () => true,
  'PowerSGD': () => true,
  'D-PSGD': isPairs,
  'GASLoC, int8': (config) => isLong(config) && config.options.momentum < 0.9,
  'Overlap merge, int8': ({ options, graph }) => options.period >= 27 && graph.kind !== 'ring',
  'DivShare, int8': ({ options }) => options.fragments === 4,
  'Moniqua': ({ options }) => options.theta >= 0.5,
  'PowerGossip': () => true,
  'CHOCO-SGD, local steps': (config) => isLong(config) && config.options.compressor.fraction < 1 / 4
}

/** Low rank is for matrices, and not defined for convolutions. */
const methodsFor = (hasConvolutions) =>
  all
    .filter(({ name, configs }) => name in tried && !(hasConvolutions && configs.some(({ isLowRank }) => isLowRank)))
    .map((method) => ({
      ...method,
      configs: method.configs.filter(tried[method.name]).map((config) => ({ ...config, rate: rates.get(config.rate) }))
    }))

/** A perceptron of the size that messages have in the map, and the convolutional network of examples/mnist/cnn.yaml, whose messages weigh as much. */
const models = { large: { kind: 'mlp', hidden: [128] }, cnn: { kind: 'cnn' } }
const lengths = { large: messageLength, cnn: 9226 }

/** The map for `mlp`, the small perceptron; `large` or `cnn`: cells, methods and setup. The others have the cells with stragglers only at 50 ms. */
export function mapOf(network, peers) {
  const setup = setupOf(peers)
  if (network === 'mlp') return { cells: allCells, methods: all, setup }
  const data = { model: models[network], samples: 12000 }
  const [cells, methods] = [allCells.filter(({ hasStragglers, latency }) => !hasStragglers || latency === 50), methodsFor(network === 'cnn')] // prettier-ignore
  return { cells, methods, setup: { ...setup, lengths: { trained: lengths[network], message: messageLength }, data, rates: [...rates.values()] } } // prettier-ignore
}
