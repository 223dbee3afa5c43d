// The methods, and the settings among which each is tuned: the same rates and periods for all, and three values of
// another option.
import { createRandom, normals } from '@murmuration/random'
import { packedLength } from '@murmuration/wire'

const rates = [0.1, 0.3, 0.8]
/** Odd, so that graphs with one neighbour per round and a period that is a power of two go through all their rounds. */
const periods = [3, 9, 27]
const fractions = [1 / 64, 1 / 16, 1 / 4]
/** A further period for methods with local steps. */
const long = [81]
/** Outer rate and momentum: the plain mean, and two with Nesterov's momentum. */
const outers = [[1, 0], [0.7, 0.5], [0.7, 0.9]] // oxfmt-ignore
/** One hop to scatter and one to gather: in this network both the fewest bytes and the fewest hops. */
export const direct = { collective: 'direct', chunks: 1 }
export const matching = { kind: 'random-matching', rounds: 64, seed: 1 }
export const exponential = { kind: 'one-peer-exponential' }
export const topK = (fraction) => ({ name: 'top-k', fraction })
/**
 * Bits per number, outer rate and momentum. The outer steps are those that DiLoCo in int8 is fastest with; 8 bits are
 * its own.
 */
const fewBits = [[4, ...outers[0]], [4, ...outers[1]], [2, ...outers[0]]] // oxfmt-ignore
/** DivShare's: into how many fragments, and to how many receivers each goes. */
const cuts = [[1, 1], [4, 1], [8, 2]] // oxfmt-ignore
/** For how many workers a merge waits, half of them and all that are fast, with two of the outer rates. */
const quorums = [[8, ...outers[0]], [8, ...outers[1]], [14, ...outers[0]], [14, ...outers[1]]] // oxfmt-ignore
/**
 * In few bits: how many times what a message of the trained network weighs it would weigh in the larger one. Its list
 * of levels does not grow.
 *
 * @param message - an example, for a network of so many parameters
 */
const heavier = (message) => (lengths) => {
  const [trained, larger] = [lengths.trained, lengths.message].map((n) =>
    packedLength(message(n, createRandom(1, 'weight')))
  )
  return larger / trained
}
/** Numbers as multiples of the largest / (2^(bits − 1) − 1). */
function inBits(bits, count, random) {
  const numbers = normals(count, random)
  const unit = numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0) / (2 ** (bits - 1) - 1)
  return Float32Array.from(numbers, (each) => unit * Math.round(each / unit))
}
/**
 * A part of the parameters in few bits, as in DiLoCo's all-reduce: the same for all but two bytes, and the list of
 * those levels that it has.
 */
export const withLevels =
  (factor) =>
  (bytes, { vector }) => {
    const list = 2 + 4 * new Set(vector).size
    return (bytes - list) * factor + list
  }
/**
 * The largest numbers of each of the four tensors in few bits, as in SparseLoCo: the same for all but their lists of
 * levels, two bytes besides each.
 */
export const withListsOfTensors =
  (factor) =>
  (bytes, { vector }) => {
    const lists = 4 * 2 + 4 * new Set(vector.filter((value) => value !== 0)).size
    return (bytes - lists) * factor + lists
  }
/** A fraction of a peer's part, as in CocktailSGD. */
const sparseInBits = (bits, fraction, peers) =>
  heavier((n, random) => {
    const part = Math.ceil(n / peers)
    const out = new Float32Array(n)
    const kept = inBits(bits, Math.ceil(fraction * part), random)
    const places = random.shuffle(Array.from({ length: part }, (_, k) => k))
    for (const [k, each] of kept.entries()) out[places[k]] = each
    return out
  })
/** All parameters as evenly distributed levels, as in Moniqua. */
const remainders = (bits) => heavier((n, random) => Float32Array.from({ length: n }, () => random.integer(2 ** bits)))
/** Low rank: the same at the same rank, its vectors as they are. */
const heavierOfRank = (rank) => () => (rank * (784 + 128 + 128 + 10) + 138) / (rank * (64 + 32 + 32 + 10) + 42)

export const each = (lists, of) => lists.reduce((all, list) => all.flatMap((sofar) => list.map((item) => [...sofar, item])), [[]]).map((items) => of(...items)) // oxfmt-ignore

const local = (strengths, of) => [...each([rates, periods, strengths], of), ...each([rates, long, strengths], of)]
const sparse = (algorithm) => local(fractions, (rate, period, fraction) => ({ algorithm, rate, options: { period, compressor: topK(fraction) } })) // oxfmt-ignore
const sparseInTwoBits = (algorithm) => sparse(algorithm).map(({ options, ...rest }) => ({ ...rest, weigh: withListsOfTensors, options: { ...options, compressor: { ...options.compressor, bits: 2 } } })) // oxfmt-ignore
const copies = (algorithm) => local(fractions, (rate, period, fraction) => ({ algorithm, rate, options: { period, compressor: topK(fraction), consensus: Math.sqrt(fraction) } })) // oxfmt-ignore
const allReduce = (codec) => each([rates], (rate) => ({ algorithm: 'all-reduce', rate, codec, options: direct }))
const lowRank = (algorithm, options) => each([rates, [1, 2, 4]], (rate, rank) => ({ algorithm, rate, factor: heavierOfRank(rank), isLowRank: true, options: { rank, ...options } })) // oxfmt-ignore
const dpsgd = (codec) => each([rates, [{ kind: 'ring' }, matching]], (rate, graph) => ({ algorithm: 'dpsgd', rate, codec, graph })) // oxfmt-ignore

const gasloc = (codec) => local(outers, (rate, period, [outerRate, momentum]) => ({ algorithm: 'gasloc', rate, codec, graph: matching, options: { period, outerRate, momentum } })) // oxfmt-ignore
const overlapMerge = (codec) => local([{ kind: 'ring' }, exponential, matching], (rate, period, graph) => ({ algorithm: 'overlap-merge', rate, codec, graph, options: { period } })) // oxfmt-ignore
const divShare = (codec) => each([rates, [...periods, ...long], cuts], (rate, period, [fragments, receivers]) => ({ algorithm: 'divshare', rate, codec, graph: { kind: 'complete' }, options: { period, fragments, receivers } })) // oxfmt-ignore
const decoupled = (codec) => each([rates, [9, 27, 81], quorums], (rate, period, [quorum, outerRate, momentum]) => ({ algorithm: 'decoupled-diloco', rate, codec, hasServers: true, options: { period, outerRate, momentum, chunks: 1, quorum, grace: 0 } })) // oxfmt-ignore

/** In the order of tables. */
export const methods = [
  // For judging the mean model: a period without end, and the merge.
  { name: 'trained apart, merged once', family: 'central', isMerged: true, configs: each([rates], (rate) => ({ algorithm: 'choco', rate, options: { period: 1_000_000 } })) }, // oxfmt-ignore
  // The same without a barrier: when the models are merged, fast peers have taken more steps than slow ones.
  { name: 'trained apart at own pace, merged once', family: 'central', isMerged: true, isOwnPace: true, configs: each([rates], (rate) => ({ algorithm: 'ad-psgd', rate, options: { period: 1_000_000 } })) }, // oxfmt-ignore
  { name: 'all-reduce', family: 'central', configs: allReduce('float32') },
  { name: 'all-reduce, int8', family: 'central', configs: allReduce('int8') },
  { name: 'top-k with error feedback, all-gather', family: 'central', configs: each([fractions, rates], (fraction, rate) => ({ algorithm: 'sparseloco', rate, options: { period: 1, memory: 1, compressor: topK(fraction) } })) }, // oxfmt-ignore
  { name: 'DiLoCo, int8 all-reduce', family: 'central', configs: local(outers, (rate, period, [outerRate, momentum]) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outerRate, momentum, nesterov: momentum > 0 }, ...direct } })) }, // oxfmt-ignore
  { name: 'DiLoCo, all-reduce in few bits', family: 'central', configs: local(fewBits, (rate, period, [bits, outerRate, momentum]) => ({ algorithm: 'quantised-diloco', rate, weigh: withLevels, options: { period, bits, outer: { name: 'sgd', rate: outerRate, momentum, nesterov: momentum > 0 } } })) }, // oxfmt-ignore
  // As many servers as workers, one on each worker's machine, so that no line carries more than a worker's. Not in
  // delta-int8, whose first messages are whole.
  { name: 'DiLoCo, asynchronous, int8', family: 'central', isOwnPace: true, configs: each([rates, [9, 27, 81], outers.slice(0, 2)], (rate, period, [outerRate, momentum]) => ({ algorithm: 'async-diloco', rate, codec: 'int8', hasServers: true, options: { period, outerRate, momentum, chunks: 1 } })) }, // oxfmt-ignore
  // The same servers, which merge as soon as a quorum has arrived, and wait for no other worker.
  { name: 'Decoupled DiLoCo, quorum, int8', family: 'central', isOwnPace: true, configs: decoupled('int8') },
  { name: 'Decoupled DiLoCo, quorum, int4', family: 'central', isOwnPace: true, configs: decoupled('int4') },
  { name: 'SparseLoCo', family: 'central', configs: sparseInTwoBits('sparseloco') },
  { name: 'CocktailSGD', family: 'central', configs: each([rates, fractions], (rate, fraction) => ({ algorithm: 'cocktail-sgd', rate, factor: sparseInBits(4, fraction, 16), options: { random: 4 * fraction, largest: 1 / 4, bits: 4 } })) }, // oxfmt-ignore
  { name: 'PowerSGD', family: 'central', configs: lowRank('power-sgd', direct) },
  { name: 'D-PSGD', family: 'gossip', configs: dpsgd('float32') },
  { name: 'D-PSGD, int8', family: 'gossip', configs: dpsgd('int8') },
  { name: 'GASLoC, int8', family: 'gossip', configs: gasloc('int8') },
  { name: 'GASLoC, int4', family: 'gossip', configs: gasloc('int4') },
  { name: 'Overlap merge, int8', family: 'gossip', configs: overlapMerge('int8') },
  { name: 'Overlap merge, int4', family: 'gossip', configs: overlapMerge('int4') },
  // Each peer runs at its own pace, which matters when paces differ: each cell with stragglers is a run of its own.
  { name: 'AD-PSGD, int8', family: 'gossip', isOwnPace: true, configs: each([rates, [...periods, ...long], [{ kind: 'complete' }]], (rate, period, graph) => ({ algorithm: 'ad-psgd', rate, codec: 'int8', graph, options: { period } })) }, // oxfmt-ignore
  { name: 'DivShare, int8', family: 'gossip', isOwnPace: true, configs: divShare('int8') },
  { name: 'DivShare, int4', family: 'gossip', isOwnPace: true, configs: divShare('int4') },
  { name: 'A²CiD², int8', family: 'gossip', isOwnPace: true, configs: each([rates, [{ kind: 'ring' }, { kind: 'random-regular', degree: 4, seed: 1 }, { kind: 'complete' }]], (rate, graph) => ({ algorithm: 'a2cid2', rate, codec: 'int8', graph })) }, // oxfmt-ignore
  { name: 'Sparse gossip', family: 'gossip', configs: each([rates, fractions], (rate, fraction) => ({ algorithm: 'sparse-gossip', rate, graph: matching, options: { fraction } })) }, // oxfmt-ignore
  { name: 'Moniqua', family: 'gossip', configs: each([rates, [[8, 1], [4, 0.5], [4, 0.25]]], (rate, [bits, theta]) => ({ algorithm: 'moniqua', rate, factor: remainders(bits), graph: matching, options: { bits, theta } })) }, // oxfmt-ignore
  { name: 'PowerGossip', family: 'gossip', configs: lowRank('power-gossip') },
  { name: 'CHOCO-SGD', family: 'gossip', configs: each([rates, fractions], (rate, fraction) => ({ algorithm: 'choco', rate, options: { compressor: topK(fraction), consensus: Math.sqrt(fraction) } })) }, // oxfmt-ignore
  { name: 'CHOCO-SGD, local steps', family: 'gossip', configs: copies('choco') }
]
