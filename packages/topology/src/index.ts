/**
 * Graphs, mixing weights and spectral facts.
 *
 * @packageDocumentation
 */
export { diameterOf } from './connectivity.js'
export { type Contraction, contraction, roundsToAgreement } from './contraction.js'
export { createTopology, type TopologyOptions } from './create-topology.js'
export { agreementFinding, type Finding, structureFindings, unionGraph } from './findings.js'
export {
  type EdgeList,
  type GraphDescription,
  graphSchema,
  ruleOf,
  type WeightRule,
  weightsSchema
} from './graph-description.js'
export { graphProblems } from './graph-problems.js'
export type { Graph } from './graphs.js'
export { mixingMatrix, topologyOf } from './mixing-topology.js'
export { applyMixing, type SparseMatrix, sparseMatrix } from './sparse.js'
