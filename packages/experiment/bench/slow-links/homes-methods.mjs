// The methods for 64 peers, all with the same small budget: nine pairs of a rate and a period with local steps, and three rates without; with a server
// each with two codecs.
import { direct, each, matching as pairs, topK, withLevels } from './methods.mjs'
import { serverOn } from './homes-cells.mjs'

const rates = [0.1, 0.3, 0.8]
const periods = [3, 9, 27]
const matching = { ...pairs, rounds: 128 }
/** A fixed graph that mixes faster than a ring. */
const fixed = { kind: 'random-regular', degree: 4, seed: 1 }
const complete = { kind: 'complete' }
const apart = 1_000_000
/** In addition, the longest period at the lowest rate, and the shorter ones at the highest. */
const ends = [[[rates[0]], [81]], [[rates[2]], [3, 9]]] // prettier-ignore
const local = (of) => [...each([rates.slice(0, 2), periods], of), ...ends.flatMap((lists) => each(lists, of))]
/** With a server a codec that sends changes may help, or hurt: its first messages are whole. */
const onServer = (of) => ['int8', 'delta-int8'].flatMap((codec) => local((...pair) => ({ ...of(...pair), codec, server: serverOn }))) // prettier-ignore
const outer = { outerRate: 0.7, momentum: 0.5 }

/** In the order of tables. */
export const methods = [
  { name: 'trained apart, merged once', family: 'central', isMerged: true, configs: each([rates], (rate) => ({ algorithm: 'ad-psgd', rate, graph: complete, options: { period: apart } })) }, // prettier-ignore
  { name: 'all-reduce, int8', family: 'central', configs: each([rates], (rate) => ({ algorithm: 'all-reduce', rate, codec: 'int8', options: direct })) }, // prettier-ignore
  { name: 'parameter server, int8', family: 'central', configs: each([rates, ['int8', 'delta-int8']], (rate, codec) => ({ algorithm: 'parameter-server', rate, codec, server: serverOn, options: { chunks: 1 } })) }, // prettier-ignore
  { name: 'DiLoCo, int8 all-reduce', family: 'central', configs: local((rate, period) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true }, ...direct } })) }, // prettier-ignore
  { name: 'DiLoCo, all-reduce in 4 bits', family: 'central', configs: local((rate, period) => ({ algorithm: 'quantised-diloco', rate, weigh: withLevels, options: { period, bits: 4, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true } } })) }, // prettier-ignore
  { name: 'DiLoCo, int8 ring all-reduce', family: 'central', configs: local((rate, period) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outer.outerRate, momentum: outer.momentum, nesterov: true }, collective: 'ring', chunks: 1 } })) }, // prettier-ignore
  { name: 'DiLoCo, blocking server, int8', family: 'central', configs: onServer((rate, period) => ({ algorithm: 'decoupled-diloco', rate, options: { period, ...outer, chunks: 1, quorum: 64, grace: 0 } })) }, // prettier-ignore
  { name: 'DiLoCo, quorum server, int8', family: 'central', configs: onServer((rate, period) => ({ algorithm: 'decoupled-diloco', rate, options: { period, ...outer, chunks: 1, quorum: 32, grace: 100 } })) }, // prettier-ignore
  { name: 'DiLoCo, asynchronous server, int8', family: 'central', configs: onServer((rate, period) => ({ algorithm: 'async-diloco', rate, options: { period, ...outer, chunks: 1 } })) }, // prettier-ignore
  { name: 'SparseLoCo', family: 'central', configs: local((rate, period) => ({ algorithm: 'sparseloco', rate, options: { period, compressor: topK(1 / 64) } })) }, // prettier-ignore
  { name: 'D-PSGD, int8', family: 'gossip', configs: each([rates], (rate) => ({ algorithm: 'dpsgd', rate, codec: 'int8', graph: matching })) }, // prettier-ignore
  { name: 'GASLoC, int8', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'gasloc', rate, codec: 'int8', graph: matching, options: { period, ...outer } })) }, // prettier-ignore
  { name: 'Overlap merge, int8', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'overlap-merge', rate, codec: 'int8', graph: matching, options: { period } })) }, // prettier-ignore
  { name: 'CHOCO-SGD, local steps', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'choco', rate, graph: fixed, options: { period, compressor: topK(1 / 64), consensus: 0.125 } })) }, // prettier-ignore
  { name: 'AD-PSGD, int8', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'ad-psgd', rate, codec: 'int8', graph: complete, options: { period } })) }, // prettier-ignore
  { name: 'DivShare, int8', family: 'gossip', configs: local((rate, period) => ({ algorithm: 'divshare', rate, codec: 'int8', graph: complete, options: { period, fragments: 4, receivers: 1 } })) } // prettier-ignore
]
