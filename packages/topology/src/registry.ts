/** One line per kind of graph. Files, checks, documents, commands and tests go through this list. */
import { baseGraph } from './kinds/base-graph.js'
import { complete } from './kinds/complete.js'
import { dCliques } from './kinds/d-cliques.js'
import { edges } from './kinds/edges.js'
import { epidemic } from './kinds/epidemic.js'
import { equiDynamic } from './kinds/equi-dynamic.js'
import { equiStatic } from './kinds/equi-static.js'
import { erdosRenyi } from './kinds/erdos-renyi.js'
import { exponential } from './kinds/exponential.js'
import { hypercube } from './kinds/hypercube.js'
import { hypercubeMatching } from './kinds/hypercube-matching.js'
import { matrix } from './kinds/matrix.js'
import { moshpitGrid } from './kinds/moshpit-grid.js'
import { onePeerExponential } from './kinds/one-peer-exponential.js'
import { randomMatching } from './kinds/random-matching.js'
import { randomRegular } from './kinds/random-regular.js'
import { ring } from './kinds/ring.js'
import { smallWorld } from './kinds/small-world.js'
import { star } from './kinds/star.js'
import { torus } from './kinds/torus.js'
import { tree } from './kinds/tree.js'

/** All kinds of graphs. */
export const graphKinds = [
  ring,
  complete,
  star,
  torus,
  tree,
  hypercube,
  exponential,
  onePeerExponential,
  hypercubeMatching,
  baseGraph,
  equiStatic,
  equiDynamic,
  randomMatching,
  epidemic,
  moshpitGrid,
  randomRegular,
  erdosRenyi,
  smallWorld,
  dCliques,
  edges,
  matrix
] as const
