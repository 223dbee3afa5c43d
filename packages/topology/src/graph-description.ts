import * as z from 'zod'
import type { GraphKind } from './kind.js'
import { graphKinds } from './registry.js'
import type { WeightRule } from './weights.js'

/** A kind of graph with its options. Peers are numbered in the order in which they are listed. */
export type GraphDescription = DescriptionOf<(typeof graphKinds)[number]>

type DescriptionOf<Each> =
  Each extends GraphKind<infer Kind, infer Options> ? { readonly kind: Kind } & Readonly<Options> : never

const kindsError = ({ code }: { readonly code?: string }) =>
  code === 'invalid_type' ? 'a mapping such as { kind: random-regular, degree: 4, seed: 1 }' : undefined

const [first, ...rest] = graphKinds.map(({ schema }) => schema)
const mappings = z.discriminatedUnion('kind', [first, ...rest], { error: kindsError })

/** The kinds that need no options. */
const words = graphKinds.flatMap(({ kind, schema }) => (schema.safeParse({ kind }).success ? [kind] : []))

/** A graph in a topology file: one word when it needs no options, or a mapping with `kind` and options. */
export const graphSchema = z
  .union([z.enum(words).transform((kind) => withDefaults(kind)), mappings])
  .meta({ id: 'graph' }) as unknown as z.ZodType<GraphDescription, unknown>

/** A kind in one word, with the defaults of its options. */
function withDefaults(kind: string): unknown {
  return graphKinds.find((record) => record.kind === kind)?.schema.parse({ kind })
}

/** The record of a graph's kind. */
export function kindOf({ kind }: GraphDescription): GraphKind {
  return graphKinds.find((record) => record.kind === kind) as GraphKind
}

/** The rule in force: the requested one, or 'given' where the graph gives weights, else 'metropolis'. */
export function ruleOf(graph: GraphDescription, requested: WeightRule | undefined): WeightRule {
  return requested ?? (kindOf(graph).weights?.isGiven(graph) === true ? 'given' : 'metropolis')
}

/** A name for tables and axes: `random-regular (degree 4, seed 1)`; lists are shown by their lengths. */
export function graphLabel({ kind, ...options }: GraphDescription): string {
  const shown = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'number') return [`${name} ${value}`]
    return Array.isArray(value) ? [String(value.length)] : []
  })
  return shown.length > 0 ? `${kind} (${shown.join(', ')})` : kind
}
