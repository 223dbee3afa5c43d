// The methods that are compared in the map of the small perceptron. A first computation with three seeds had all of
// methods.mjs; these were the best of their side in some cell, or the next of another kind. Two are compared only where
// they were near, on fast links: CocktailSGD, and Decoupled DiLoCo in 4 bits.
const isFast = new Map([
  ['CocktailSGD', ({ mbits, latency }) => mbits >= 20 && latency === 1],
  ['Decoupled DiLoCo, quorum, int4', ({ mbits }) => mbits === 100]
])

const compared = {
  mean: {
    even: ['trained apart, merged once', 'DiLoCo, all-reduce in few bits', 'CocktailSGD', 'D-PSGD', 'D-PSGD, int8', 'Overlap merge, int8', 'Overlap merge, int4', 'Moniqua', 'PowerGossip', 'CHOCO-SGD, local steps'], // oxfmt-ignore
    stragglers: ['trained apart at own pace, merged once', 'Decoupled DiLoCo, quorum, int8', 'Decoupled DiLoCo, quorum, int4', 'D-PSGD', 'DivShare, int8', 'DivShare, int4'] // oxfmt-ignore
  },
  own: {
    even: ['DiLoCo, all-reduce in few bits', 'D-PSGD', 'D-PSGD, int8', 'GASLoC, int8'],
    stragglers: ['DiLoCo, all-reduce in few bits', 'Decoupled DiLoCo, quorum, int8', 'D-PSGD', 'D-PSGD, int8', 'GASLoC, int8'] // oxfmt-ignore
  }
}

/** Whether a method is compared in a cell. For the other networks all methods are. */
export function isCompared({ name }, cell, judge, network) {
  if (network !== 'mlp') return true
  return compared[judge][cell.hasStragglers ? 'stragglers' : 'even'].includes(name) && (isFast.get(name)?.(cell) ?? true) // oxfmt-ignore
}

const isSlow = ({ mbits, latency }) => mbits <= 5 || latency === 150
/**
 * Where fewer settings are tried, those like the fastest of the first computation. Methods without a barrier are
 * simulated anew in each cell: on lines of up to 5 Mbit/s, or of 150 ms, exchanges are rare and rates low, on others
 * DivShare has short periods at the next rate. Own models of all peers are evaluated, which takes long.
 */
const settings = {
  mean: new Map([
    ['DivShare', ({ rate, options: { period } }, cell) => (isSlow(cell) ? rate === 0.1 && period >= 27 : rate === 0.3 && period <= 9)], // oxfmt-ignore
    ['Decoupled DiLoCo, quorum', ({ rate, options: { period, quorum } }, { mbits }) => rate <= (mbits === 100 ? 0.3 : 0.1) && quorum === 14 && period >= (mbits <= 5 ? 27 : 9)] // oxfmt-ignore
  ]),
  own: new Map([
    ['GASLoC', ({ rate, options: { period, momentum } }) => rate < 0.8 && period <= 9 && momentum === 0],
    ['D-PSGD', ({ rate, graph }) => rate === 0.3 && graph.kind !== 'ring'],
    ['Decoupled DiLoCo, quorum', ({ rate, options: { quorum } }) => rate === 0.1 && quorum === 14]
  ])
}

/** Whether a setting of a method is tried, in a cell if the method has no barrier. */
export function isSettingTried({ name }, config, judge, network, cell) {
  const find = network === 'mlp' ? settings[judge].get(name.replace(/, int[48]$/, '')) : undefined
  return find === undefined || find(config, cell)
}
