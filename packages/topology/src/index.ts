/**
 * Graphs, mixing weights, spectral facts, and the YAML files that users write.
 *
 * @packageDocumentation
 */
export { diameterOf } from './connectivity.js'
export { type Contraction, contraction, roundsToAgreement } from './contraction.js'
export { createTopology, type TopologyOptions } from './create-topology.js'
export { agreementFinding, type Finding, structureFindings, unionGraph } from './findings.js'
export { type GraphDescription, graphSchema, type WeightRule } from './graph-description.js'
export type { Graph } from './graphs.js'
export { linksFileJsonSchema, parseLinksFile, readLinksFile } from './links-file.js'
export type { LinksDescription } from './links-schema.js'
export { mixingMatrix, topologyOf } from './mixing-topology.js'
export { nearest, unknownPeer } from './nearest.js'
export { type PeerEntry, peersMax } from './peers.js'
export { type Path, type Problem, problem, within } from './problems.js'
export { bitRate, byteSize, duration, share } from './quantities.js'
export { type Result, validate } from './schema-problems.js'
export { applyMixing, type SparseMatrix, sparseMatrix } from './sparse.js'
export { readText } from './text-file.js'
export {
  parseTopologyFile,
  readTopologyFile,
  resolveTopology,
  type TopologyDescription,
  type TopologyFile,
  topologyFileJsonSchema,
  topologySchema
} from './topology-file.js'
export { parseYamlFile, type YamlFile } from './yaml-file.js'
