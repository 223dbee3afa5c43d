/** Kinds of graphs in files and documents, generated from the registry. */
import { type PeerName, peerName } from '@murmuration/core'
import { type GraphKind, graphKinds } from '@murmuration/topology'
import type { z } from 'zod'
import { inlineYaml } from './inline-yaml.js'

/** An initial `graph:` in a file for these peers. */
export function graphText(kind: GraphKind, peers: readonly PeerName[]): string {
  const options = kind.example(peers)
  return Object.keys(options).length === 0 ? kind.kind : inlineYaml({ kind: kind.kind, ...options })
}

/** The table of docs/topology-file.md. */
export function graphTable(): string {
  const peers = ['a', 'b', 'c', 'd'].map(peerName)
  const rows = graphKinds.map(
    (kind: GraphKind) => `| \`${graphText(kind, peers)}\` | ${kind.description} | ${optionsText(kind)} |`
  )
  return ['| graph, of four peers | each peer … | options |', '| --- | --- | --- |', ...rows].join('\n')
}

function optionsText({ schema }: GraphKind): string {
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    .filter(([name]) => name !== 'kind')
    .map(([name, { description = '' }]) => `\`${name}\`: ${description}`)
    .join('; ')
}
