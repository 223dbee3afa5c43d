/**
 * Reads files that people write: YAML with positions, schema problems in words, quantities with units, spelling
 * suggestions; and topology and link files.
 *
 * @packageDocumentation
 */
export { fillLinks, type FilledLinks } from './links/fill-links.js'
export { linksFileJsonSchema, readLinksFile } from './links/links-file.js'
export { type LinksDescription, linksSchema } from './links/links-schema.js'
export { linksText, linksValue } from './links/links-text.js'
export { linksBefore, mergeLinks, readLinksFiles } from './links/merge-links.js'
export { nearest, unknownPeer } from './nearest.js'
export {
  bitRate,
  bitRateText,
  byteSize,
  duration,
  durationText,
  fraction,
  lossFraction,
  waitingTime
} from './quantities.js'
export { type Result, validate } from './schema-problems.js'
export { readText } from '#files/text-file.js'
export { type PeerEntry, maxPeers } from './topology/peers.js'
export {
  parseTopologyFile,
  type PipelineOfFile,
  readTopologyFile,
  resolveTopology,
  type TopologyDescription,
  type TopologyFile,
  topologyFileJsonSchema,
  topologySchema
} from './topology/topology-file.js'
export { parseYamlFile, type YamlFile } from './yaml-file.js'
export { type YamlValue, withYamlValues } from './yaml-values.js'
