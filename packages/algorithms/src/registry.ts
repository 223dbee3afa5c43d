/** One line per algorithm. Files, commands, documents and tests go through this list. */
import { InputError } from '@murmuration/core'
import { adPsgd } from './ad-psgd.js'
import { allReduce } from './all-reduce.js'
import { asyncParameterServer } from './async-parameter-server.js'
import { d2 } from './d2.js'
import { diloco } from './diloco.js'
import { dpsgd } from './dpsgd.js'
import { exactDiffusion } from './exact-diffusion.js'
import { extra } from './extra.js'
import { gossipPga } from './gossip-pga.js'
import { gradientTracking } from './gradient-tracking.js'
import { localSgd } from './local-sgd.js'
import { parameterServer } from './parameter-server.js'
import { type Algorithm, isAlgorithm } from './record.js'
import { qgDsgdm } from './qg-dsgdm.js'
import { relaySgd } from './relay-sgd.js'
import { sgdAlone } from './sgd-alone.js'
import { sgp } from './sgp.js'
import { slowMo } from './slowmo.js'
import { staleSynchronous } from './stale-synchronous.js'
import { trimmedMeanSgd } from './trimmed-mean.js'

/** All algorithms of this package. */
export const algorithms: readonly Algorithm[] = [
  dpsgd,
  sgp,
  gradientTracking,
  d2,
  exactDiffusion,
  extra,
  relaySgd,
  qgDsgdm,
  gossipPga,
  adPsgd,
  trimmedMeanSgd,
  localSgd,
  slowMo,
  diloco,
  allReduce,
  parameterServer,
  asyncParameterServer,
  staleSynchronous,
  sgdAlone
]

/** The one algorithm that a user's module exports. Throws an InputError when it exports none or several. */
export function algorithmIn(exported: object, module: string): Algorithm {
  const found = Object.values(exported).filter(isAlgorithm)
  if (found.length === 1) return found[0]
  throw new InputError(
    `${module}: found ${found.length} algorithms, expected one that is exported: export const mine = algorithm({ … })`
  )
}
