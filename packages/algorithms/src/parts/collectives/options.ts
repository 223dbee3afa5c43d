/** The options of collectives, as words or as what these stand for on given links. */
import { InputError } from '@murmuration/core'
import { millisecondsFor, type PackedTree } from '@murmuration/topology'
import * as z from 'zod'

const place = z.int().min(-1)
const tree = z.strictObject({
  root: place,
  weight: z.number().positive(),
  into: z.array(place).readonly().optional(),
  out: z.array(place).readonly()
})
const part = z.strictObject({ latency: z.number().min(0), perByte: z.number().min(0) })

/** What `auto` chooses from: a collective, in how many chunks (of a range; along trees of the whole), and its time. */
const candidate = z.strictObject({
  name: z.string(),
  chunks: z.int().min(1),
  time: z.array(z.array(part).readonly()).readonly()
})
export type CollectiveCandidate = z.output<typeof candidate>

/** What `trees` and `auto` stand for on given links: the trees; for `auto` also what it chooses from. */
const data = z.strictObject({
  trees: z.array(tree).readonly().optional(),
  candidates: z.array(candidate).readonly().optional()
})
/** The same, which editors need not know: files have the words. */
const linked = z
  .custom<z.output<typeof data>>((value) => data.safeParse(value).success, { params: { isInternal: true } })
  .meta({ type: 'object', description: 'What trees or auto stand for; filled in from the links' })

/** Collectives for a mean; of those that are predicted to take equally long, the first counts. */
export const meanNames = ['ring', 'halving-doubling', 'direct', 'trees'] as const
export type MeanName = (typeof meanNames)[number]
/** The same for a mean in few bits: the others would round a sum at every peer. */
export const quantisedNames = ['direct', 'trees'] as const
export type QuantisedName = (typeof quantisedNames)[number]
/** The same for a broadcast. */
export const broadcastNames = ['chain', 'trees'] as const
export type BroadcastName = (typeof broadcastNames)[number]

/** A collective by its name, or as it follows from links. */
export type CollectiveChoice<Name extends string> = Name | 'auto' | z.output<typeof linked>

/** The order of a ring or chain. */
export type Order = 'links' | 'names' | readonly string[]

const order = z
  .union([z.enum(['links', 'names']), z.array(z.string()).readonly()])
  .default('links')
  .meta({ description: 'The order of a ring: the fastest on the links, that of names, or a list of all peers' })

/** Options of all algorithms with a mean over all peers: which collective, and the order of a ring. */
export const collectiveOptions = {
  collective: z
    .union([z.enum([...meanNames, 'auto']), linked])
    .default('ring')
    .meta({
      description:
        'How the mean over all peers is computed. trees: packed into the links; auto: the fastest on the links'
    }),
  order
}

export const quantisedOptions = {
  collective: z
    .union([z.enum([...quantisedNames, 'auto']), linked])
    .default('direct')
    .meta({
      description: 'As above; others would round a sum at every peer'
    })
}

/** Options of an algorithm with a {@link broadcast}. */
export const broadcastOptions = {
  collective: z
    .union([z.enum([...broadcastNames, 'auto']), linked])
    .default('chain')
    .meta({
      description: 'How a vector gets to all peers. trees: packed into the links; auto: the fastest on the links'
    }),
  order
}

/** In how many chunks a range is sent where no option says so. */
export const usualChunks = 16

/** A collective that can run. */
export interface ChosenCollective<Name extends string> {
  readonly name: Name
  /** Those of `trees`. */
  readonly trees: readonly PackedTree[]
  /** In how many chunks, where `auto` says so. */
  readonly chunks?: number
}

/**
 * The collective for a vector; of `auto` that with the least predicted time, of equal ones the first.
 *
 * @param bytesOf - the vectors that are sent one after the other, in bytes each
 * @param usual - what `auto` is where no links are known
 */
export function chosen<Name extends string>(
  choice: CollectiveChoice<Name>,
  bytesOf: (name: Name) => readonly number[],
  usual: Name
): ChosenCollective<Name> {
  if (choice === 'trees')
    throw new InputError(
      'collective: trees follow from the links: give what optionsOn(algorithm, topology, options, links) returns'
    )
  if (choice === 'auto') return { name: usual, trees: [] }
  if (typeof choice === 'string') return { name: choice, trees: [] }
  const { trees = [], candidates } = choice
  if (candidates === undefined) return { name: 'trees' as Name, trees }
  let best: ChosenCollective<Name> = { name: usual, trees }
  let least = Number.POSITIVE_INFINITY
  for (const { name, chunks, time } of candidates) {
    const milliseconds = bytesOf(name as Name).reduce((sum, bytes) => sum + millisecondsFor(time, bytes), 0)
    if (milliseconds >= least) continue
    best = { name: name as Name, trees, chunks }
    least = milliseconds
  }
  return best
}
