/** One line per algorithm. Files, commands, documents and tests go through this list. */
import { InputError } from '@murmuration/core'
import { a2cid2 } from './a2cid2.js'
import { adPsgd } from './ad-psgd.js'
import { adaPm } from './adapm.js'
import { allReduce } from './all-reduce.js'
import { asyncDiloco } from './async-diloco.js'
import { asyncParameterServer } from './async-parameter-server.js'
import { choco } from './choco.js'
import { classicLocalServer } from './classic-local-server.js'
import { classicServer } from './classic-server.js'
import { clippedGossip } from './clipped-gossip.js'
import { cocktailSgd } from './cocktail-sgd.js'
import { coordinateMedianSgd } from './coordinate-median.js'
import { csPlus } from './cs-plus.js'
import { d2 } from './d2.js'
import { dcdPsgd } from './dcd-psgd.js'
import { decoupledDiloco } from './decoupled-diloco.js'
import { deepSqueeze } from './deepsqueeze.js'
import { diloco } from './diloco.js'
import { divShare } from './divshare.js'
import { dpsgd } from './dpsgd.js'
import { exactDiffusion } from './exact-diffusion.js'
import { extra } from './extra.js'
import { gasLoC } from './gasloc.js'
import { gossipPga } from './gossip-pga.js'
import { gradientTracking } from './gradient-tracking.js'
import { hop } from './hop.js'
import { krumSgd } from './krum.js'
import { lapse } from './lapse.js'
import { lateGossip } from './late-gossip.js'
import { localSgd } from './local-sgd.js'
import { moniqua } from './moniqua.js'
import { moshpit } from './moshpit.js'
import { motef } from './motef.js'
import { noLoCo } from './noloco.js'
import { overlapMerge } from './overlap-merge.js'
import { overlapSgp } from './overlap-sgp.js'
import { parameterServer } from './parameter-server.js'
import { parameterServices } from './parameter-services.js'
import { petuum } from './petuum.js'
import { powerGossip } from './power-gossip.js'
import { powerSgd } from './power-sgd.js'
import { qgDsgdm } from './qg-dsgdm.js'
import { quantisedDiloco } from './quantised-diloco.js'
import { type Algorithm, isAlgorithm } from './record.js'
import { recordProblem } from './record-problem.js'
import { relaySgd } from './relay-sgd.js'
import { robustPushSum } from './robust-push-sum.js'
import { sgdAlone } from './sgd-alone.js'
import { sgp } from './sgp.js'
import { slowMo } from './slowmo.js'
import { sparseGossip } from './sparse-gossip.js'
import { sparseLoCo } from './sparseloco.js'
import { staleSynchronous } from './stale-synchronous.js'
import { trimmedMeanSgd } from './trimmed-mean.js'

/** Algorithms whose parameters are keyed rows, for tasks whose batches touch few rows. */
export const keyAlgorithms: readonly Algorithm[] = [classicServer, classicLocalServer, lapse, petuum, adaPm]

/** All algorithms of this package whose parameters are a vector. */
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

/** All algorithms of this package. */
export const allAlgorithms: readonly Algorithm[] = [...algorithms, ...keyAlgorithms]

/**
 * The one algorithm that a user's module exports. Throws an InputError when it exports none or several, or one that is
 * wrong.
 */
export function algorithmIn(exported: object, module: string): Algorithm {
  const found = Object.values(exported).filter(isAlgorithm)
  // A record may have been changed since it was made, or come from another copy of this package.
  const problem = found.length === 1 ? recordProblem(found[0]) : undefined
  if (problem !== undefined) throw new InputError(`the algorithm's module ${module}: ${problem}`)
  if (found.length === 1) return found[0]
  throw new InputError(
    `${module}: found ${found.length} algorithms, expected one that is exported: export const mine = algorithm({ … })`
  )
}
