/** What defines a kind of graph: one record, from which files, checks, documents, commands and tests follow. */
import type { PeerName, Problem } from '@murmuration/core'
import * as z from 'zod'
import type { Graph } from './graphs.js'
import type { SparseMatrix } from './sparse.js'
import type { WeightRule } from './weights.js'

/** A sentence about a name that no peer has. */
export type UnknownPeer = (name: string, peers: readonly PeerName[]) => string

/** The one-way latency from one peer to another, in milliseconds. */
export type Latency = (from: PeerName, to: PeerName) => number

/** The context in which a file's graph is checked. */
export interface GraphSurroundings {
  /** The rule that gives the mixing weights. */
  readonly rule: WeightRule
  readonly unknownPeer: UnknownPeer
}

/**
 * A kind of graph. A file says `graph: KIND`, or `graph: { kind: KIND, … }` with options. Peers are numbered in the
 * order of the file.
 */
export interface GraphKind<Kind extends string = string, Options extends object = object> {
  readonly kind: Kind
  /** The edges, as a phrase that continues "each peer". */
  readonly description: string
  /** Of the mapping in a file: `kind`, and the options. */
  readonly schema: z.ZodObject
  /** Options that suit these peers, for `murmur init`, the documents and the tests. */
  example(peers: readonly PeerName[]): Options
  /** Why the graph is impossible for these peers; paths begin within the mapping. */
  problems?(options: Options, peers: readonly PeerName[], surroundings: GraphSurroundings): Problem[]
  /**
   * The graph of each round of a period; a single one where all rounds have the same. Latencies are those of the file,
   * if it has any. Absent where the weights are always given.
   */
  graphs?(options: Options, peers: readonly PeerName[], latency?: Latency): readonly Graph[]
  /** For a kind that gives the weights, or whose file may. */
  readonly weights?: GivenWeights<Options>
}

/** Weights that a file or the kind itself gives. */
export interface GivenWeights<Options> {
  /** Whether these options give them. */
  isGiven(options: Options): boolean
  /**
   * `W` of each round of a period; a single one where all rounds have the same. Row and column k belong to `peers[k]`.
   */
  matrices(options: Options, peers: readonly PeerName[]): readonly SparseMatrix[]
}

/** A kind of graph as its source file defines it. */
export interface GraphDefinition<Kind extends string, Shape extends z.ZodRawShape> extends Omit<
  GraphKind<Kind, OptionsOf<Shape>>,
  'schema' | 'example'
> {
  /** What a file may say besides `kind`. A kind without required options may be written as one word. */
  readonly options: Shape
  /** Required where an option is required; the default is no options. */
  example?(peers: readonly PeerName[]): OptionsOf<Shape>
}

type OptionsOf<Shape extends z.ZodRawShape> = keyof Shape extends never
  ? Record<never, never>
  : z.output<z.ZodObject<Shape, z.core.$strict>>

/** Checks the types of a kind of graph, and returns its record. */
export function graphKind<const Kind extends string, Shape extends z.ZodRawShape>({
  options,
  ...definition
}: GraphDefinition<Kind, Shape>): GraphKind<Kind, OptionsOf<Shape>> {
  const { kind, description } = definition
  return {
    example: () => ({}) as OptionsOf<Shape>,
    ...definition,
    schema: z.strictObject({ kind: z.literal(kind), ...options }).meta({ description: `Each peer ${description}` })
  }
}
