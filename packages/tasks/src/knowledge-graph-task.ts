import { InputError, type Task } from '@murmuration/core'
import { drawGraph, type Graph, readGraph, type Triples } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import { KnowledgeGraph } from './knowledge-graph/knowledge-graph.js'
import type { ScoringName } from './knowledge-graph/scoring.js'
import { RowsModel } from './rows-model.js'
import { ShardTask } from './shard-task.js'
import { taskSetOf, type TaskSet } from './task-set.js'

/** Options of {@link createKnowledgeGraphTask}. JSON. */
export interface KnowledgeGraphOptions {
  readonly peers: readonly string[]
  /** Whose triples; those of all peers when absent. */
  readonly self?: string | undefined
  readonly seed: number
  /** A folder with train.txt, valid.txt and test.txt, as FB15k has them; a graph is drawn when absent. */
  readonly folder?: string | undefined
  /** Of a drawn graph. */
  readonly entities: number
  readonly rules: number
  readonly scoring: ScoringName
  readonly rank: number
  readonly negatives: number
  readonly adversarial: number
  readonly l2: number
  readonly n3: number
  /** Whether each peer has the triples of relations of its own, as nearly as equal parts allow. */
  readonly clustered: boolean
  /** So many test triples are ranked at most. */
  readonly ranked: number
}

/** The module that builds this task in a worker thread. */
export const knowledgeGraphModule = new URL('./knowledge-graph-task.js', import.meta.url).href

/** What a worker thread calls: {@link createKnowledgeGraphTask}. */
export const createTask = createKnowledgeGraphTask

/** Embeddings of a knowledge graph, of one peer's triples. Throws an {@link InputError} for files that are not triples. */
export async function createKnowledgeGraphTask(options: KnowledgeGraphOptions): Promise<Task> {
  const { peers, self } = options
  const { model, starts, fingerprints } = await modelOf(options)
  const place = self === undefined ? -1 : peers.indexOf(self)
  if (self !== undefined && place < 0)
    throw new InputError(`"${self}" is not among the ${peers.length} peers of the task`)
  const [first, end] = place < 0 ? [0, starts[peers.length]] : [starts[place], starts[place + 1]]
  return new ShardTask(model, first, end - first, () => factsOf(options, model, end - first), { fingerprints })
}

/** The same for all peers at once. `self` is left aside. */
export async function createKnowledgeGraphTaskSet(options: KnowledgeGraphOptions): Promise<TaskSet> {
  const { model, starts } = await modelOf(options)
  const { peers } = options
  return taskSetOf({
    model,
    peers,
    shardSizes: peers.map((_, place) => starts[place + 1] - starts[place]),
    about: (_, samples = starts[peers.length]) => factsOf(options, model, samples)
  })
}

async function modelOf(options: KnowledgeGraphOptions) {
  const { folder, peers, seed, clustered } = options
  const graph = folder === undefined ? drawGraph(options) : await readGraph(folder)
  const count = graph.train.head.length
  if (count < peers.length)
    throw new InputError(`found ${count} triples to train, expected at least one for each of ${peers.length} peers`)
  const train = some(graph.train, dividedOrder(graph.train, clustered, seed))
  const tested = createRandom(seed, 'ranked triples').shuffle([...graph.test.head.keys()])
  const test = some(graph.test, tested.slice(0, options.ranked))
  const starts = Array.from({ length: peers.length + 1 }, (_, place) => Math.floor((place * count) / peers.length))
  const fingerprints = { heads: hashOf(train.head), relations: hashOf(train.relation), tails: hashOf(train.tail) }
  const whole: Graph = { ...graph, train, test, valid: together(graph.valid, graph.test) }
  return { model: new RowsModel(new KnowledgeGraph(whole, options)), starts, fingerprints }
}

/** Shuffled; sorted by relation then, where peers are to have relations of their own (data clustering: Renz-Wieland et al., VLDB 2020). */
function dividedOrder({ head, relation }: Triples, clustered: boolean, seed: number): readonly number[] {
  const order = createRandom(seed, 'division').shuffle([...head.keys()])
  return clustered ? order.sort((left, right) => relation[left] - relation[right]) : order
}

function some({ head, relation, tail }: Triples, which: readonly number[]): Triples {
  const [heads, relations, tails] = [head, relation, tail].map((all) => Uint32Array.from(which, (n) => all[n]))
  return { head: heads, relation: relations, tail: tails }
}

/** What is not ranked is known all the same. */
function together(left: Triples, right: Triples): Triples {
  const of = (column: keyof Triples) => {
    const joined = new Uint32Array(left[column].length + right[column].length)
    joined.set(left[column])
    joined.set(right[column], left[column].length)
    return joined
  }
  return { head: of('head'), relation: of('relation'), tail: of('tail') }
}

const hashOf = (numbers: Uint32Array) => hashVector(Float32Array.from(numbers))

function factsOf(
  { folder, peers, rules, clustered }: KnowledgeGraphOptions,
  model: RowsModel,
  samples: number
): Task['about'] {
  const source = folder ?? `drawn, ${rules} symmetric, inverse and composed rules each`
  return {
    data: `${samples} triples to train and ${model.testSamples} to test, ${source}`,
    partition: `${clustered ? 'by relation' : 'at random'}, equal parts among ${peers.length} peers`,
    model: model.about
  }
}
