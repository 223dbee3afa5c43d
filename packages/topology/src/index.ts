/**
 * Graphs, mixing weights and spectral facts.
 *
 * @packageDocumentation
 */
export { diameterOf } from './connectivity.js'
export { averagingRounds, type Contraction, contraction, roundsToConsensus } from './contraction.js'
export { createTopology, type TopologyOptions } from './create-topology.js'
export { consensusFinding, type Finding, structureFindings, unionGraph } from './findings.js'
export { type GraphDescription, graphLabel, graphSchema, ruleOf } from './graph-description.js'
export { graphProblems } from './graph-problems.js'
export type { Graph } from './graphs.js'
export type { GivenWeights, GraphKind, GraphSurroundings, UnknownPeer } from './kind.js'
export { mixingMatrix, topologyOf } from './mixing-topology.js'
export { graphKinds } from './registry.js'
export { roundsToReachAll } from './spreading.js'
export { alone, linesOf, unionOf } from './stages.js'
export { applyMixing, type SparseMatrix, sparseMatrix } from './sparse.js'
export { type WeightRule, weightsSchema } from './weights.js'
export type { PackedTree, TreePacking } from './trees/packed-tree.js'
export { packAllReduce, packBroadcast } from './trees/pack-trees.js'
export { millisecondsFor, type PredictedTime } from './trees/predicted-time.js'
export { chainOrder, ringOrder } from './trees/orders.js'
export {
  chunksOf,
  predictChain,
  predictDirect,
  predictHalvingDoubling,
  predictRing,
  predictTrees
} from './trees/predictions.js'
