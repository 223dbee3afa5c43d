import type { Evaluation } from '@murmuration/core'
import type { SplitTriples, Triples } from '@murmuration/data'
import { softplus } from '../logistic-loss.js'
import type { Scoring } from './scoring.js'

/**
 * Ranks the right answer of (h, r, ?) and of (?, r, t) among all entities, for each test triple. Other answers that are
 * true in any part of the graph are omitted: the filtered setting of Bordes et al. (NIPS 2013). Half of the equal
 * scores count as higher. The accuracy is hits@1.
 *
 * @param relationAt - where the rows of a relation begin in `parameters`
 */
export function ranked(
  graph: SplitTriples,
  scoring: Scoring,
  relationAt: (relation: number) => number,
  parameters: Float32Array
): Evaluation {
  const { head, relation, tail } = graph.test
  const answers = knownAnswers(graph)
  const query = new Float64Array(scoring.width)
  const ranks: number[] = []
  let loss = 0
  const addRank = (answer: number, otherAnswers: ReadonlySet<number> | undefined) => {
    const scores = scoresOf(query, graph.entities, parameters)
    loss += softplus(-scores[answer]) + scores.reduce((sum, score) => sum + softplus(score), 0) / scores.length
    ranks.push(rankOf(scores, answer, otherAnswers))
  }
  for (let n = 0; n < head.length; n++) {
    const r = relationAt(relation[n])
    scoring.tailQuery(parameters, head[n] * scoring.width, r, query)
    addRank(tail[n], answers.tails.get(head[n] * graph.relations + relation[n]))
    scoring.headQuery(parameters, r, tail[n] * scoring.width, query)
    addRank(head[n], answers.heads.get(tail[n] * graph.relations + relation[n]))
  }
  const mean = (measure: (rank: number) => number) => ranks.reduce((sum, rank) => sum + measure(rank), 0) / ranks.length
  const hits = (maxRank: number) => mean((rank) => (rank <= maxRank ? 1 : 0))
  return {
    loss: loss / ranks.length,
    accuracy: hits(1),
    measures: { 'mrr': mean((rank) => 1 / rank), 'hits@3': hits(3), 'hits@10': hits(10) }
  }
}

function scoresOf(query: Float64Array, entities: number, parameters: Float32Array): Float64Array {
  const scores = new Float64Array(entities)
  for (let entity = 0, at = 0; entity < entities; entity++) {
    let sum = 0
    for (let k = 0; k < query.length; k++) sum += query[k] * parameters[at++]
    scores[entity] = sum
  }
  return scores
}

/** NaN counts as higher. */
function rankOf(scores: Float64Array, answer: number, otherAnswers: ReadonlySet<number> | undefined): number {
  const answerScore = scores[answer]
  let rank = 1
  for (let entity = 0; entity < scores.length; entity++) {
    if (scores[entity] < answerScore || entity === answer || otherAnswers?.has(entity) === true) continue
    rank += scores[entity] === answerScore ? 0.5 : 1
  }
  return rank
}

/** All true answers to the queries of the test triples: by entity · relations + relation. */
function knownAnswers({ relations, train, valid, test }: SplitTriples) {
  const answersOf = (queryColumn: keyof Triples, answerColumn: keyof Triples) => {
    const answers = new Map<number, Set<number>>()
    const keyOf = (triples: Triples, n: number) => triples[queryColumn][n] * relations + triples.relation[n]
    for (let n = 0; n < test.head.length; n++) answers.set(keyOf(test, n), new Set())
    for (const part of [train, valid, test])
      for (let n = 0; n < part.head.length; n++) answers.get(keyOf(part, n))?.add(part[answerColumn][n])
    return answers
  }
  return { tails: answersOf('head', 'tail'), heads: answersOf('tail', 'head') }
}
