import { InputError, type Task } from '@murmuration/core'
import { drawGraph, type SplitTriples, type GraphOptions, readGraph, type Triples } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import { KnowledgeGraph, type KnowledgeGraphSettings } from './knowledge-graph/knowledge-graph.js'
import { RowsModel } from './rows-model.js'
import { taskIn, taskSetOf, type TaskSet } from './task-set.js'

/** Options of {@link createKnowledgeGraphTask}. JSON. */
export interface KnowledgeGraphOptions extends KnowledgeGraphSettings, GraphOptions {
  readonly peers: readonly string[]
  /** The peer whose triples are used; all peers' when absent. */
  readonly self?: string | undefined
  readonly seed: number
  /** A folder with train.txt, valid.txt and test.txt in the format of FB15k; a graph is drawn when absent. */
  readonly folder?: string | undefined
  /** Whether each peer has relations of its own. */
  readonly clustered: boolean
  /** How many test triples are ranked at most. */
  readonly ranked: number
}

/** What a worker thread calls: {@link createKnowledgeGraphTask}. */
export const createTask = createKnowledgeGraphTask

/**
 * Embeddings of a knowledge graph from one peer's triples. Throws an {@link InputError} for files that are not triples.
 */
export async function createKnowledgeGraphTask(options: KnowledgeGraphOptions): Promise<Task> {
  return taskIn(await createKnowledgeGraphTaskSet(options), options.self)
}

/** The same for all peers at once. `self` is ignored. */
export async function createKnowledgeGraphTaskSet(options: KnowledgeGraphOptions): Promise<TaskSet> {
  const { folder, peers, seed, clustered } = options
  const graph = folder === undefined ? drawGraph(options) : await readGraph(folder)
  const count = graph.train.head.length
  if (count < peers.length)
    throw new InputError(`found ${count} triples to train, expected at least one for each of ${peers.length} peers`)
  const parts = divided(graph.train, peers.length, clustered, seed)
  const train = selected(graph.train, parts.flat())
  const tested = createRandom(seed, 'ranked triples').shuffle([...graph.test.head.keys()])
  const test = selected(graph.test, tested.slice(0, options.ranked))
  const fingerprints = { heads: hashOf(train.head), relations: hashOf(train.relation), tails: hashOf(train.tail) }
  const whole: SplitTriples = { ...graph, train, test, valid: together(graph.valid, graph.test) }
  const model = new RowsModel(new KnowledgeGraph(whole, options))
  const about = (_?: string, samples = count) => factsOf(options, model, samples)
  return taskSetOf({ model, peers, shardSizes: parts.map(({ length }) => length), fingerprints, about })
}

/**
 * The triples of each peer: shuffled, in equal parts. When peers have relations of their own (data clustering:
 * Renz-Wieland et al., VLDB 2020), whole relations, the largest first, each for the peer that has least so far; a
 * relation that is more than a peer's fair part is cut first.
 */
function divided({ head, relation }: Triples, peers: number, clustered: boolean, seed: number): readonly number[][] {
  const order = createRandom(seed, 'division').shuffle([...head.keys()])
  const fair = Math.floor(order.length / peers)
  if (!clustered) return cut(order, peers)
  const byRelation = new Map<number, number[]>()
  for (const n of order) {
    const all = byRelation.get(relation[n])
    if (all === undefined) byRelation.set(relation[n], [n])
    else all.push(n)
  }
  const pieces = [...byRelation.values()].flatMap((all) => cut(all, Math.ceil(all.length / fair)))
  const parts = Array.from({ length: peers }, () => ({ pieces: new Array<number[]>(), size: 0 }))
  for (const piece of pieces.sort((left, right) => right.length - left.length)) {
    const smallest = parts.reduce((best, part) => (part.size < best.size ? part : best))
    smallest.pieces.push(piece)
    smallest.size += piece.length
  }
  return parts.map(({ pieces: own }) => own.flat())
}

/** Cut into `parts` parts, as equal as possible. */
function cut(order: readonly number[], parts: number): number[][] {
  const start = (part: number) => Math.floor((part * order.length) / parts)
  return Array.from({ length: parts }, (_, part) => order.slice(start(part), start(part + 1)))
}

function selected({ head, relation, tail }: Triples, which: readonly number[]): Triples {
  const [heads, relations, tails] = [head, relation, tail].map((all) => Uint32Array.from(which, (n) => all[n]))
  return { head: heads, relation: relations, tail: tails }
}

/** Triples that are not ranked still count as known. */
function together(left: Triples, right: Triples): Triples {
  const of = (column: keyof Triples) => {
    const joined = new Uint32Array(left[column].length + right[column].length)
    joined.set(left[column])
    joined.set(right[column], left[column].length)
    return joined
  }
  return { head: of('head'), relation: of('relation'), tail: of('tail') }
}

const hashOf = (numbers: Uint32Array) => hashVector(new Float32Array(numbers))

function factsOf(
  { folder, peers, rules, clustered }: KnowledgeGraphOptions,
  model: RowsModel,
  samples: number
): Task['about'] {
  const source = folder ?? `drawn, ${rules} symmetric, inverse and composed rules each`
  return {
    data: `${samples} triples to train and ${model.testSamples} to test, ${source}`,
    partition: `${clustered ? 'by relation' : 'in equal parts'}, among ${peers.length} peers`,
    model: model.about
  }
}
