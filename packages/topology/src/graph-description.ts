import { z } from 'zod'

const node = z.string()
const seed = z.int()
const share = z.number().min(0).max(1)
const positive = z.int().min(1)

/** A share of `W`: a number from 0 to 1, or a fraction such as `1/3`, which decimals cannot say. */
const weight = z.union([
  z.number({ error: 'a number from 0 to 1' }).min(0).max(1),
  z
    .string({ error: 'a fraction such as 1/3' })
    .regex(/^\d+\/[1-9]\d*$/, { error: 'a fraction such as 1/3' })
    .transform((text) => text.split('/').map(Number))
    .transform(([numerator, denominator]) => numerator / denominator)
    .pipe(share)
])

const kindsError = ({ code }: { readonly code?: string }) =>
  code === 'invalid_type' ? 'a mapping such as { kind: random-regular, degree: 4, seed: 1 }' : undefined

const kinds = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('ring') }),
    z.strictObject({ kind: z.literal('complete') }),
    z.strictObject({ kind: z.literal('star') }).meta({ description: 'The first peer with each other.' }),
    z.strictObject({ kind: z.literal('torus'), rows: positive.optional(), columns: positive.optional() }),
    z.strictObject({ kind: z.literal('hypercube') }),
    z.strictObject({ kind: z.literal('exponential') }),
    z.strictObject({ kind: z.literal('one-peer-exponential') }),
    z.strictObject({ kind: z.literal('random-regular'), degree: positive, seed }),
    z.strictObject({ kind: z.literal('erdos-renyi'), probability: share, seed }),
    z.strictObject({ kind: z.literal('small-world'), neighbours: positive, rewire: share, seed }),
    z.strictObject({
      kind: z.literal('edges'),
      edges: z.array(
        z.union([
          z.tuple([node, node], { error: 'two peers' }),
          z.tuple([node, node, weight], { error: 'two peers and a weight' })
        ])
      )
    }),
    z.strictObject({ kind: z.literal('matrix'), rows: z.array(z.array(weight)) })
  ],
  { error: kindsError }
)

const words = ['ring', 'complete', 'star', 'torus', 'hypercube', 'exponential', 'one-peer-exponential'] as const

/** A graph in a topology file: one word when it needs no options, or a mapping with `kind` and options. */
export const graphSchema = z.union([z.enum(words).transform((kind): z.output<typeof kinds> => ({ kind })), kinds])

/** How mixing weights are found. */
export const weightsSchema = z.enum(['metropolis', 'uniform', 'given']).meta({
  description:
    'metropolis: 1 / (1 + the larger degree), the rest to oneself. uniform: the same for each neighbour and oneself. given: as the edges or the matrix say.'
})

/** Which graph, with its options. Peers count in the order in which they were listed. */
export type GraphDescription = z.output<typeof graphSchema>

/** 'metropolis', 'uniform', or 'given' by the graph's edges or matrix. */
export type WeightRule = z.output<typeof weightsSchema>

/** A graph that lists its edges. */
export type EdgeList = (GraphDescription & { kind: 'edges' })['edges']

/** The rule in force: the one asked for, or 'given' where the graph gives weights, else 'metropolis'. */
export function ruleOf(graph: GraphDescription, asked: WeightRule | undefined): WeightRule {
  if (asked !== undefined) return asked
  const gives = graph.kind === 'matrix' || (graph.kind === 'edges' && graph.edges.some((edge) => edge.length === 3))
  return gives ? 'given' : 'metropolis'
}
