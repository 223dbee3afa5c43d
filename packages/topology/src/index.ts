/**
 * Graphs, mixing weights, spectral facts, and the YAML files that users write.
 *
 * @packageDocumentation
 */

export { type Contraction, contraction, roundsToAgreement } from './contraction.js'
export { createTopology, type TopologyOptions } from './create-topology.js'
export type { GraphDescription, WeightRule } from './graph-description.js'
export { mixingMatrix, topologyOf } from './mixing-topology.js'
export { applyMixing, type SparseMatrix } from './sparse.js'
