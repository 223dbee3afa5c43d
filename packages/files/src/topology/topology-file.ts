import { InputError, type Links, type PeerName, type Problem, problem, type Topology, within } from '@murmuration/core'
import { z } from 'zod'
import {
  createTopology,
  type GraphDescription,
  graphProblems,
  graphSchema,
  ruleOf,
  structureFindings,
  type WeightRule,
  weightsSchema
} from '@murmuration/topology'
import { linkProblems } from '../links/link-problems.js'
import { unknownPeer } from '../nearest.js'
import { createLinks } from '../links/links.js'
import { linksSchema } from '../links/links-schema.js'
import { idSchema, invitedProblems, type PeerEntry, peerEntries, peerProblems, peersSchema } from './peers.js'
import type { Result } from '../schema-problems.js'
import { readText } from '../text-file.js'
import { parseYamlFile } from '../yaml-file.js'

/** The content of a topology file; also of `topology` in a scenario file. */
export const topologySchema = z
  .strictObject({
    graph: graphSchema.meta({
      description: 'Which peers are neighbours. The places of the graph are filled in the order of the list.'
    }),
    weights: weightsSchema.optional(),
    peers: peersSchema.meta({
      description: 'A number of peers, or names, or mappings with name, role, id, addresses, listen.'
    }),
    runKey: idSchema.optional().meta({
      description: 'The id of the run key: its holder may invite peers to the places that are marked as invited.'
    }),
    links: linksSchema
      .optional()
      .meta({ description: 'The network between the peers: for the simulator, and for options that follow from it.' })
  })
  .meta({ title: 'Murmuration topology file' })

/** A topology as a file describes it. */
export type TopologyDescription = z.output<typeof topologySchema>

/** A topology, and the rest of its file. */
export interface TopologyFile {
  readonly topology: Topology
  readonly graph: GraphDescription
  readonly weights: WeightRule
  /** The workers, in the order of the file, which is their order in the graph. */
  readonly peers: readonly PeerEntry[]
  /** The peers that hold parameters for the workers, in the order of the file. They are not in the graph. */
  readonly servers: readonly PeerEntry[]
  readonly links: Links
  /** The id of the run key, with which peers are invited. */
  readonly runKey?: string | undefined
}

/** Reads a topology file. Throws an InputError when it cannot be read or is wrong, as {@link parseTopologyFile}. */
export async function readTopologyFile(path: string): Promise<TopologyFile> {
  return parseTopologyFile(await readText(path), path)
}

/** The topology that `text` describes. Throws an InputError with a line `fileName:line:column: …` for each problem. */
export function parseTopologyFile(text: string, fileName: string): TopologyFile {
  const file = parseYamlFile(text, fileName, topologySchema)
  const result = resolveTopology(file.value)
  if (!result.ok) throw file.errorOf(result.problems)
  return result.value
}

/**
 * Builds what a description says, or reports what is wrong with it; paths are relative to the description.
 *
 * @param others - further names that the links may refer to, such as a server's
 */
export function resolveTopology(
  description: TopologyDescription,
  others: readonly PeerName[] = []
): Result<TopologyFile> {
  const { graph, weights } = description
  const entries = peerEntries(description.peers)
  const workers = entries.filter(({ role }) => role === 'worker')
  const servers = entries.filter(({ role }) => role === 'server')
  const peers = workers.map(({ name }) => name)
  const allNames = [...peers, ...servers.map(({ name }) => name)]
  const problems = [
    ...within(['peers'], [...peerProblems(entries), ...invitedProblems(entries, description.runKey)]),
    ...graphProblems(graph, weights, peers, unknownPeer),
    ...within(['links'], linkProblems(description.links ?? {}, [...allNames, ...others]))
  ]
  if (problems.length > 0) return { ok: false, problems }
  const links = createLinks(description.links ?? {}, allNames)
  const latency = (from: PeerName, to: PeerName) => links.path(from, to).latency
  const built = build(() => createTopology({ peers, graph, weights, latency }))
  if (!built.ok) return built
  const rule = ruleOf(graph, weights)
  const { runKey } = description
  return { ok: true, value: { topology: built.value, graph, weights: rule, peers: workers, servers, links, runKey } }
}

/** The JSON Schema of topology files; editors complete and check them with it. */
export function topologyFileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(topologySchema, { io: 'input' }) }
}

function build(create: () => Topology): Result<Topology> {
  try {
    const topology = create()
    const errors = structureFindings(topology).filter(({ level }) => level === 'error')
    const problems: readonly Problem[] = errors.map(({ message }) => problem(['graph'], message))
    return problems.length > 0 ? { ok: false, problems } : { ok: true, value: topology }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { ok: false, problems: [problem(['graph'], error.message)] }
  }
}
