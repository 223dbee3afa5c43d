import { InputError, type Links, type PeerName, type Problem, problem, type Topology, within } from '@murmuration/core'
import * as z from 'zod'
import {
  alone,
  createTopology,
  type GraphDescription,
  graphProblems,
  graphSchema,
  ruleOf,
  structureFindings,
  unionOf,
  type WeightRule,
  weightsSchema
} from '@murmuration/topology'
import { linkProblems } from '../links/link-problems.js'
import { unknownPeer } from '../nearest.js'
import { createLinks } from '../links/links.js'
import { linksSchema } from '../links/links-schema.js'
import { idSchema, invitedProblems, type PeerEntry, peerEntries, peerProblems, peersSchema } from './peers.js'
import { linesIn, stageProblems } from './stages.js'
import type { Result } from '../schema-problems.js'
import { readText } from '#files/text-file.js'
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
    stages: z.int().min(1).optional().meta({
      description:
        'Into how many stages the model is cut, for models that no peer has room for. Peers are dealt out in turn: the first ones are a line, which computes gradients together; the graph joins the peers of the same stage.'
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
  /** Present where the model is cut into stages. */
  readonly pipeline?: PipelineOfFile | undefined
  /** The id of the run key, with which peers are invited. */
  readonly runKey?: string | undefined
}

/** The peers of a model that is cut into stages. */
export interface PipelineOfFile {
  /** The peers that compute gradients together, one for each stage. */
  readonly lines: readonly (readonly PeerName[])[]
  /** The graph of each stage's peers, all of the same kind. */
  readonly stages: readonly Topology[]
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
  const wrongStages = stageProblems({ stages: description.stages, peers: entries })
  const lines = wrongStages.length > 0 ? undefined : linesIn({ stages: description.stages, peers: workers })
  const replicas = lines === undefined ? [peers] : lines[0].map((_, stage) => lines.map((line) => line[stage]))
  const joined = lines?.length === 1 ? [] : replicas
  const problems = [
    ...within(['peers'], [...peerProblems(entries), ...invitedProblems(entries, description.runKey)]),
    ...wrongStages,
    ...joined.slice(0, 1).flatMap((each) => graphProblems(graph, weights, each, unknownPeer)),
    ...within(['links'], linkProblems(description.links ?? {}, [...allNames, ...others]))
  ]
  if (problems.length > 0) return { ok: false, problems }
  const links = createLinks(description.links ?? {}, allNames)
  const latency = (from: PeerName, to: PeerName) => links.path(from, to).latency
  // The only peer of a stage needs no graph.
  const built = replicas.map((each): Result<Topology> => {
    if (joined.length === 0) return { ok: true, value: alone(each[0]) }
    return build(() => createTopology({ peers: each, graph, weights, latency }))
  })
  const topologies: Topology[] = []
  for (const result of built) {
    if (!result.ok) return result
    topologies.push(result.value)
  }
  const { runKey } = description
  const rest = { graph, weights: ruleOf(graph, weights), peers: workers, servers, links, runKey }
  if (lines === undefined) return { ok: true, value: { topology: topologies[0], ...rest } }
  return { ok: true, value: { topology: unionOf(topologies), pipeline: { lines, stages: topologies }, ...rest } }
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
