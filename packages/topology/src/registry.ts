/** One line per kind of graph. Files, checks, documents, commands and tests go through this list. */
import { complete } from './kinds/complete.js'
import { edges } from './kinds/edges.js'
import { erdosRenyi } from './kinds/erdos-renyi.js'
import { exponential } from './kinds/exponential.js'
import { hypercube } from './kinds/hypercube.js'
import { matrix } from './kinds/matrix.js'
import { onePeerExponential } from './kinds/one-peer-exponential.js'
import { randomRegular } from './kinds/random-regular.js'
import { ring } from './kinds/ring.js'
import { smallWorld } from './kinds/small-world.js'
import { star } from './kinds/star.js'
import { torus } from './kinds/torus.js'

/** All kinds of graphs. */
export const graphKinds = [
  ring,
  complete,
  star,
  torus,
  hypercube,
  exponential,
  onePeerExponential,
  randomRegular,
  erdosRenyi,
  smallWorld,
  edges,
  matrix
] as const
