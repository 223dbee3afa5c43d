// The methods for 64 peers, all with the same small budget: nine pairs of a rate and a period with local steps, and
// three rates without; with a server each with two codecs, whole and changes.
import { direct, each, matching as pairs, topK, withLevels, withListsOfTensors } from './methods.mjs'
import { serverOn } from './homes-cells.mjs'

const rates = [0.1, 0.3, 0.8]
const periods = [3, 9, 27]
const matching = { ...pairs, rounds: 128 }
/** A fixed graph that mixes faster than a ring. */
const fixed = { kind: 'random-regular', degree: 4, seed: 1 }
const complete = { kind: 'complete' }
const apart = 1_000_000
/** In addition, the longest period at the lowest rate, and the shorter ones at the highest. */
const ends = [[[rates[0]], [81]], [[rates[2]], [3, 9]]] // oxfmt-ignore
const local = (of) => [...each([rates.slice(0, 2), periods], of), ...ends.flatMap((lists) => each(lists, of))]
/** With a server a codec that sends changes may help, or hurt: its first messages are whole. */
const onServer = (codecs, of) => codecs.flatMap((codec) => local((...pair) => ({ ...of(...pair), codec, server: serverOn }))) // oxfmt-ignore
const eightBits = ['int8', 'delta-int8']
const fourBits = ['int4', 'delta-int4']
const outer = { outerRate: 0.7, momentum: 0.5 }

const decoupled = (codecs, quorum, grace) => onServer(codecs, (rate, period) => ({ algorithm: 'decoupled-diloco', rate, options: { period, ...outer, chunks: 1, quorum, grace } })) // oxfmt-ignore
const asynchronous = (codecs) => onServer(codecs, (rate, period) => ({ algorithm: 'async-diloco', rate, options: { period, ...outer, chunks: 1 } })) // oxfmt-ignore
const gasloc = (codec) => local((rate, period) => ({ algorithm: 'gasloc', rate, codec, graph: matching, options: { period, ...outer } })) // oxfmt-ignore
const overlapMerge = (codec) => local((rate, period) => ({ algorithm: 'overlap-merge', rate, codec, graph: matching, options: { period } })) // oxfmt-ignore
const adPsgd = (codec) => local((rate, period) => ({ algorithm: 'ad-psgd', rate, codec, graph: complete, options: { period } })) // oxfmt-ignore
const divShare = (codec) => local((rate, period) => ({ algorithm: 'divshare', rate, codec, graph: complete, options: { period, fragments: 4, receivers: 1 } })) // oxfmt-ignore

/** In the order of tables. */
export const methods = [
  { name: 'trained apart, merged once', family: 'central', isMerged: true, configs: each([rates], (rate) => ({ algorithm: 'ad-psgd', rate, graph: complete, options: { period: apart } })) }, // oxfmt-ignore
  { name: 'all-reduce, int8', family: 'central', configs: each([rates], (rate) => ({ algorithm: 'all-reduce', rate, codec: 'int8', options: direct })) }, // oxfmt-ignore
  { name: 'parameter server, int8', family: 'central', configs: each([rates, ['int8', 'delta-int8']], (rate, codec) => ({ algorithm: 'parameter-server', rate, codec, server: serverOn, options: { chunks: 1 } })) }, // oxfmt-ignore
  { name: 'DiLoCo, int8 all-reduce', family: 'central', configs: local((rate, period) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true }, ...direct } })) }, // oxfmt-ignore
  { name: 'DiLoCo, all-reduce in 4 bits', family: 'central', configs: local((rate, period) => ({ algorithm: 'quantised-diloco', rate, weigh: withLevels, options: { period, bits: 4, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true } } })) }, // oxfmt-ignore
  { name: 'DiLoCo, int8 ring all-reduce', family: 'central', configs: local((rate, period) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true }, collective: 'ring', chunks: 1 } })) }, // oxfmt-ignore
  { name: 'DiLoCo, blocking server, int8', family: 'central', configs: decoupled(eightBits, 64, 0) },
  { name: 'DiLoCo, quorum server, int8', family: 'central', configs: decoupled(eightBits, 32, 100) },
  { name: 'DiLoCo, quorum server, int4', family: 'central', configs: decoupled(fourBits, 32, 100) },
  { name: 'DiLoCo, asynchronous server, int8', family: 'central', configs: asynchronous(eightBits) },
  { name: 'DiLoCo, asynchronous server, int4', family: 'central', configs: asynchronous(fourBits) },
  { name: 'SparseLoCo', family: 'central', configs: local((rate, period) => ({ algorithm: 'sparseloco', rate, weigh: withListsOfTensors, options: { period, compressor: { ...topK(1 / 64), bits: 2 } } })) }, // oxfmt-ignore
  { name: 'D-PSGD, int8', family: 'gossip', configs: each([rates], (rate) => ({ algorithm: 'dpsgd', rate, codec: 'int8', graph: matching })) }, // oxfmt-ignore
  { name: 'GASLoC, int8', family: 'gossip', configs: gasloc('int8') },
  { name: 'GASLoC, int4', family: 'gossip', configs: gasloc('int4') },
  { name: 'Overlap merge, int8', family: 'gossip', configs: overlapMerge('int8') },
  { name: 'Overlap merge, int4', family: 'gossip', configs: overlapMerge('int4') },
  { name: 'CHOCO-SGD, local steps', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'choco', rate, graph: fixed, options: { period, compressor: topK(1 / 64), consensus: 0.125 } })) }, // oxfmt-ignore
  { name: 'AD-PSGD, int8', family: 'gossip', configs: adPsgd('int8') },
  { name: 'AD-PSGD, int4', family: 'gossip', configs: adPsgd('int4') },
  { name: 'DivShare, int8', family: 'gossip', configs: divShare('int8') },
  { name: 'DivShare, int4', family: 'gossip', configs: divShare('int4') }
]
