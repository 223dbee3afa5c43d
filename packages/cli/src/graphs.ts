/** Kinds of graphs in files and documents, generated from the registry. */
import { type PeerName, peerName } from '@murmuration/core'
import { type GraphKind, graphKinds } from '@murmuration/topology'
import type * as z from 'zod'
import { inlineYaml } from './inline-yaml.js'

/** An initial `graph:` in a file for these peers. */
export function graphText(kind: GraphKind, peers: readonly PeerName[]): string {
  const options = kind.example(peers)
  return Object.keys(options).length === 0 ? kind.kind : inlineYaml({ kind: kind.kind, ...options })
}

/** The table of docs/use/topology-file.md. What kinds have in common is said once, in the last row. */
export function graphTable(): string {
  const peers = ['a', 'b', 'c', 'd'].map(peerName)
  const all = graphKinds.flatMap(optionTexts)
  const isShared = (text: string) => all.indexOf(text) !== all.lastIndexOf(text)
  const rows = graphKinds.map((kind: GraphKind) => {
    const own = optionTexts(kind).filter((text) => !isShared(text))
    return `| \`${graphText(kind, peers)}\` | ${kind.description} | ${own.join('; ')} |`
  })
  return [
    '| graph, of four peers | each peer … | options |',
    '| --- | --- | --- |',
    ...rows,
    `| several of these | | ${[...new Set(all.filter(isShared))].join('; ')} |`
  ].join('\n')
}

function optionTexts({ schema }: GraphKind): readonly string[] {
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    .filter(([name]) => name !== 'kind')
    .map(([name, { description = '' }]) => `\`${name}\`: ${description}`)
}
