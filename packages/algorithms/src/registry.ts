/** One line per algorithm. Files, commands, documents and tests go through this list. */
import { InputError } from '@murmuration/core'
import type { RowsAlgorithm } from '@murmuration/rows'
import { a2cid2 } from './methods/a2cid2.js'
import { adPsgd } from './methods/ad-psgd.js'
import { adaPm } from './methods/adapm.js'
import { allReduce } from './methods/all-reduce.js'
import { asyncDiloco } from './methods/async-diloco.js'
import { asyncParameterServer } from './methods/async-parameter-server.js'
import { choco } from './methods/choco.js'
import { classicLocalServer } from './methods/classic-local-server.js'
import { classicServer } from './methods/classic-server.js'
import { clippedGossip } from './methods/clipped-gossip.js'
import { cocktailSgd } from './methods/cocktail-sgd.js'
import { coordinateMedianSgd } from './methods/coordinate-median.js'
import { cola } from './methods/cola.js'
import { csPlus } from './methods/cs-plus.js'
import { d2 } from './methods/d2.js'
import { dcdPsgd } from './methods/dcd-psgd.js'
import { decoupledDiloco } from './methods/decoupled-diloco.js'
import { deepSqueeze } from './methods/deepsqueeze.js'
import { diloco } from './methods/diloco.js'
import { divShare } from './methods/divshare.js'
import { dpsgd } from './methods/dpsgd.js'
import { exactDiffusion } from './methods/exact-diffusion.js'
import { extra } from './methods/extra.js'
import { gasLoC } from './methods/gasloc.js'
import { gossipPga } from './methods/gossip-pga.js'
import { gradientTracking } from './methods/gradient-tracking.js'
import { hop } from './methods/hop.js'
import { krumSgd } from './methods/krum.js'
import { lapse } from './methods/lapse.js'
import { lateGossip } from './methods/late-gossip.js'
import { localSgd } from './methods/local-sgd.js'
import { moniqua } from './methods/moniqua.js'
import { moshpit } from './methods/moshpit.js'
import { motef } from './methods/motef.js'
import { noLoCo } from './methods/noloco.js'
import { overlapMerge } from './methods/overlap-merge.js'
import { overlapSgp } from './methods/overlap-sgp.js'
import { parameterServer } from './methods/parameter-server.js'
import { parameterServices } from './methods/parameter-services.js'
import { petuum } from './methods/petuum.js'
import { powerGossip } from './methods/power-gossip.js'
import { powerSgd } from './methods/power-sgd.js'
import { qgDsgdm } from './methods/qg-dsgdm.js'
import { quantisedDiloco } from './methods/quantised-diloco.js'
import { type Algorithm, isAlgorithm, recordProblem } from '@murmuration/engine'
import { relaySgd } from './methods/relay-sgd.js'
import { robustPushSum } from './methods/robust-push-sum.js'
import { sgdAlone } from './methods/sgd-alone.js'
import { sgp } from './methods/sgp.js'
import { slowMo } from './methods/slowmo.js'
import { sparseGossip } from './methods/sparse-gossip.js'
import { sparseLoCo } from './methods/sparseloco.js'
import { staleSynchronous } from './methods/stale-synchronous.js'
import { svmBlocks } from './methods/svm-blocks.js'
import { trimmedMeanSgd } from './methods/trimmed-mean.js'

/** An algorithm over a vector of parameters, or over keyed rows. */
export type AnyAlgorithm = Algorithm | RowsAlgorithm

/** Algorithms whose parameters are keyed rows, for tasks whose batches touch few rows. */
export const keyAlgorithms: readonly RowsAlgorithm[] = [classicServer, classicLocalServer, lapse, petuum, adaPm]

/** Algorithms whose parameters are a vector, and which need of a task its gradients. */
export const algorithms: readonly Algorithm[] = [
  dpsgd,
  sgp,
  overlapSgp,
  robustPushSum,
  gradientTracking,
  d2,
  exactDiffusion,
  extra,
  relaySgd,
  qgDsgdm,
  choco,
  motef,
  dcdPsgd,
  deepSqueeze,
  powerGossip,
  sparseGossip,
  moniqua,
  moshpit,
  gossipPga,
  lateGossip,
  overlapMerge,
  adPsgd,
  hop,
  a2cid2,
  divShare,
  trimmedMeanSgd,
  coordinateMedianSgd,
  krumSgd,
  clippedGossip,
  csPlus,
  cola,
  localSgd,
  slowMo,
  diloco,
  quantisedDiloco,
  asyncDiloco,
  decoupledDiloco,
  noLoCo,
  gasLoC,
  sparseLoCo,
  powerSgd,
  cocktailSgd,
  allReduce,
  parameterServer,
  asyncParameterServer,
  staleSynchronous,
  parameterServices,
  sgdAlone
]

/** Algorithms over a vector of parameters that need more of a task than gradients. */
export const sampleAlgorithms: readonly Algorithm[] = [svmBlocks]

/** All algorithms of this package. */
export const allAlgorithms: readonly AnyAlgorithm[] = [...algorithms, ...sampleAlgorithms, ...keyAlgorithms]

/**
 * The one algorithm that a user's module exports. Throws an InputError when it exports none or several, or one that is
 * wrong.
 */
export function algorithmIn(exported: object, module: string): AnyAlgorithm {
  const found = Object.values(exported).filter(isAlgorithm)
  // A record may have been changed since it was made, or come from another copy of this package.
  const problem = found.length === 1 ? recordProblem(found[0]) : undefined
  if (problem !== undefined) throw new InputError(`the algorithm's module ${module}: ${problem}`)
  if (found.length === 1) return found[0] as AnyAlgorithm
  throw new InputError(
    `${module}: found ${found.length} algorithms, expected one that is exported: export const mine = algorithm({ … })`
  )
}
