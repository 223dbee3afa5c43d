// The methods, and the settings among which each is tuned: the same rates and periods for all, and three values of another option.
const rates = [0.1, 0.3, 0.8]
/** Odd, so that graphs with one neighbour per round and a period that is a power of two go through all their rounds. */
const periods = [3, 9, 27]
const fractions = [1 / 64, 1 / 16, 1 / 4]
/** A further period for methods with local steps. */
const long = [81]
/** Outer rate and momentum: the plain mean, and two with Nesterov's momentum. */
const outers = [[1, 0], [0.7, 0.5], [0.7, 0.9]] // prettier-ignore
/** One hop to scatter and one to gather: in this network both the fewest bytes and the fewest hops. */
export const direct = { collective: 'direct', chunks: 1 }
export const matching = { kind: 'random-matching', rounds: 64, seed: 1 }
export const exponential = { kind: 'one-peer-exponential' }
export const topK = (fraction) => ({ name: 'top-k', fraction })

export const each = (lists, of) => lists.reduce((all, list) => all.flatMap((sofar) => list.map((item) => [...sofar, item])), [[]]).map((items) => of(...items)) // prettier-ignore

const local = (strengths, of) => [...each([rates, periods, strengths], of), ...each([rates, long, strengths], of)]
const sparse = (algorithm) => local(fractions, (rate, period, fraction) => ({ algorithm, rate, options: { period, compressor: topK(fraction) } })) // prettier-ignore
const copies = (algorithm) => local(fractions, (rate, period, fraction) => ({ algorithm, rate, options: { period, compressor: topK(fraction), consensus: Math.sqrt(fraction) } })) // prettier-ignore
const allReduce = (codec) => each([rates], (rate) => ({ algorithm: 'all-reduce', rate, codec, options: direct }))
const dpsgd = (codec) => each([rates, [{ kind: 'ring' }, matching]], (rate, graph) => ({ algorithm: 'dpsgd', rate, codec, graph })) // prettier-ignore

/** In the order of tables. */
export const methods = [
  // For judging the mean model: a period without end, and the merge.
  { name: 'trained apart, merged once', family: 'central', isMerged: true, configs: each([rates], (rate) => ({ algorithm: 'choco', rate, options: { period: 1_000_000 } })) }, // prettier-ignore
  // The same without a barrier: when the models are merged, fast peers have taken more steps than slow ones.
  { name: 'trained apart at own pace, merged once', family: 'central', isMerged: true, isOwnPace: true, configs: each([rates], (rate) => ({ algorithm: 'ad-psgd', rate, options: { period: 1_000_000 } })) }, // prettier-ignore
  { name: 'all-reduce', family: 'central', configs: allReduce('float32') },
  { name: 'all-reduce, int8', family: 'central', configs: allReduce('int8') },
  { name: 'top-k with error feedback, all-gather', family: 'central', configs: each([fractions, rates], (fraction, rate) => ({ algorithm: 'sparseloco', rate, options: { period: 1, memory: 1, compressor: topK(fraction) } })) }, // prettier-ignore
  { name: 'DiLoCo, int8 all-reduce', family: 'central', configs: local(outers, (rate, period, [outerRate, momentum]) => ({ algorithm: 'diloco', rate, codec: 'int8', options: { period, outer: { name: 'sgd', rate: outerRate, momentum, nesterov: momentum > 0 }, ...direct } })) }, // prettier-ignore
  // As many servers as workers, one on each worker's machine, so that no line carries more than a worker's. Parameters are sent back as differences.
  { name: 'DiLoCo, asynchronous, int8', family: 'central', isOwnPace: true, configs: each([rates, [9, 27, 81], outers.slice(0, 2)], (rate, period, [outerRate, momentum]) => ({ algorithm: 'async-diloco', rate, codec: 'delta-int8', hasServers: true, options: { period, outerRate, momentum, chunks: 1 } })) }, // prettier-ignore
  { name: 'SparseLoCo', family: 'central', configs: sparse('sparseloco') },
  { name: 'D-PSGD', family: 'gossip', configs: dpsgd('float32') },
  { name: 'D-PSGD, int8', family: 'gossip', configs: dpsgd('int8') },
  { name: 'GASLoC, int8', family: 'gossip', configs: local(outers, (rate, period, [outerRate, momentum]) => ({ algorithm: 'gasloc', rate, codec: 'int8', graph: matching, options: { period, outerRate, momentum } })) }, // prettier-ignore
  { name: 'Overlap merge, int8', family: 'gossip', configs: local([{ kind: 'ring' }, exponential, matching], (rate, period, graph) => ({ algorithm: 'overlap-merge', rate, codec: 'int8', graph, options: { period } })) }, // prettier-ignore
  // Each peer runs at its own pace, which matters when paces differ: each cell with stragglers is a run of its own.
  { name: 'AD-PSGD, int8', family: 'gossip', isOwnPace: true, configs: each([rates, [...periods, ...long], [{ kind: 'complete' }]], (rate, period, graph) => ({ algorithm: 'ad-psgd', rate, codec: 'int8', graph, options: { period } })) }, // prettier-ignore
  { name: 'CHOCO-SGD', family: 'gossip', configs: each([rates, fractions], (rate, fraction) => ({ algorithm: 'choco', rate, options: { compressor: topK(fraction), consensus: Math.sqrt(fraction) } })) }, // prettier-ignore
  { name: 'CHOCO-SGD, local steps', family: 'gossip', configs: copies('choco') }
]
