/**
 * Names from the registries, listed here, so that the help does not load the code behind them. A test compares them
 * with the registries.
 */

/** The kinds of tasks: the words for `--task`. */
export const taskWords: readonly string[] = [
  'mlp',
  'cnn',
  'gpt',
  'softmax',
  'logistic',
  'svm',
  'quadratic',
  'matrix-factorisation',
  'knowledge-graph',
  'word-vectors'
]

/** The named data sets: the words for `--data`. */
export const dataWords: readonly string[] = [
  'digits',
  'gaussians',
  'sentences',
  'mnist',
  'mnist-t10k',
  'fashion-mnist',
  'cifar-10',
  'tiny-shakespeare'
]

/** The graphs of `murmur init`. */
export const graphWords: readonly string[] = [
  'ring',
  'complete',
  'star',
  'torus',
  'tree',
  'hypercube',
  'exponential',
  'one-peer-exponential',
  'hypercube-matching',
  'base-graph',
  'equi-static',
  'equi-dynamic',
  'random-matching',
  'epidemic',
  'moshpit-grid',
  'random-regular',
  'erdos-renyi',
  'small-world',
  'd-cliques'
]
