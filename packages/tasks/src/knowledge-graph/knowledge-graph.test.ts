import { drawGraph, type SplitTriples } from '@murmuration/data'
import { CounterRandom, createRandom, normals } from '@murmuration/random'
import test from 'ava'
import { RowsModel } from '../rows-model.js'
import { KnowledgeGraph, type KnowledgeGraphSettings } from './knowledge-graph.js'

const graph = drawGraph({ entities: 20, rules: 1, seed: 2 })
const plain = { scoring: 'complex', rank: 3, negatives: 4, adversarial: 0, l2: 0, n3: 0, seed: 5 } as const

/** The score by its definition, in float64. */
function scoreBy({ scoring, rank }: KnowledgeGraphSettings, x: Float64Array, h: number, r: number, t: number): number {
  const width = scoring === 'complex' ? 2 * rank : rank
  const ofHead = h * width
  const ofTail = t * width
  let score = 0
  if (scoring === 'rescal') {
    const at = (graph.entities + r * rank) * width
    for (let i = 0; i < rank; i++)
      for (let j = 0; j < rank; j++) score += x[ofHead + i] * x[at + i * rank + j] * x[ofTail + j]
    return score
  }
  const at = (graph.entities + r) * width
  for (let k = 0; k < rank; k++) {
    const a = x[ofHead + k]
    const b = x[ofHead + rank + k]
    const c = x[at + k]
    const d = x[at + rank + k]
    // (a + b i) (c + d i) times the conjugate of the tail, its real part.
    score += (a * c - b * d) * x[ofTail + k] + (a * d + b * c) * x[ofTail + rank + k]
  }
  return score
}

/** The loss of a batch in float64; the weights of negatives are computed at `frozen`. */
function lossBy(
  settings: KnowledgeGraphSettings,
  x: Float64Array,
  frozen: Float64Array,
  batch: Uint32Array,
  round: number
) {
  const { negatives, adversarial, l2, n3, rank, scoring, seed } = settings
  const { head, relation, tail } = graph.train
  const draws = new CounterRandom(createRandom(seed, 'negative samples').integer(2 ** 32))
  const width = scoring === 'complex' ? 2 * rank : rank
  let loss = 0
  for (const n of batch) {
    const h = head[n]
    const r = relation[n]
    const t = tail[n]
    draws.at(n, round)
    const falseOnes = Array.from({ length: negatives }, () => draws.below(2 * graph.entities)).map((draw) =>
      draw % 2 === 0 ? ([h, r, draw / 2] as const) : ([(draw - 1) / 2, r, t] as const)
    )
    const weights = falseOnes.map((each) => Math.exp(adversarial * scoreBy(settings, frozen, ...each)))
    const sum = weights.reduce((all, each) => all + each, 0)
    loss += Math.log1p(Math.exp(-scoreBy(settings, x, h, r, t)))
    for (const [k, each] of falseOnes.entries())
      loss += (weights[k] / sum) * Math.log1p(Math.exp(scoreBy(settings, x, ...each)))
    const rows = scoring === 'complex' ? 1 : rank
    const first = (graph.entities + r * rows) * width
    const ranges = [h * width, t * width, ...Array.from({ length: rows }, (_, row) => first + row * width)]
    for (const at of ranges) {
      for (let k = 0; k < width; k++) loss += l2 * x[at + k] ** 2
      for (let k = 0; k < rank && n3 > 0; k++) loss += n3 * Math.hypot(x[at + k], x[at + rank + k]) ** 3
    }
  }
  return loss / batch.length
}

const cases: Readonly<Record<string, Partial<KnowledgeGraphSettings>>> = {
  'ComplEx': {},
  'ComplEx with N3, self-adversarial': { n3: 0.1, adversarial: 1.5 },
  'RESCAL with L2': { scoring: 'rescal', l2: 0.1 },
  'RESCAL, self-adversarial': { scoring: 'rescal', adversarial: 1 }
}

for (const [name, settings] of Object.entries(cases))
  test(`${name}: every number of the gradient is the slope of the loss along it, by finite differences in float64`, (t) => {
    const seeds = process.env.SEED === undefined ? [1, 2, 3] : [Number(process.env.SEED)]
    for (const seed of seeds) {
      const random = createRandom(seed, name)
      const own = { ...plain, ...settings, rank: 1 + random.integer(4), negatives: 1 + random.integer(5) }
      const model = new RowsModel(new KnowledgeGraph(graph, own))
      const x = Float64Array.from(Float32Array.from(normals(model.length, random)))
      const batch = Uint32Array.from({ length: 4 }, () => random.integer(graph.train.head.length))
      const round = random.integer(9)
      const gradient = new Float32Array(model.length)
      const loss = model.gradient(Float32Array.from(x), 0, batch, gradient, round)
      const replay = `SEED=${seed} npx ava packages/tasks/dist/knowledge-graph/knowledge-graph.test.js --match='${name}*'`
      t.true(Math.abs(loss - lossBy(own, x, x, batch, round)) < 1e-5 * (1 + loss), replay)
      let touched = 0
      for (let at = 0; at < x.length; at++) {
        const lossAt = (by: number) => {
          const moved = x.slice()
          moved[at] += by
          return lossBy(own, moved, x, batch, round)
        }
        const slope = (lossAt(1e-5) - lossAt(-1e-5)) / 2e-5
        if (Math.abs(slope - gradient[at]) > 1e-5 * (10 + Math.abs(slope)))
          return t.fail(`${at}: ${slope}, and ${gradient[at]} by the gradient; ${replay}`)
        if (gradient[at] !== 0) touched++
      }
      t.true(touched > 5 * own.rank && touched < x.length, replay)
    }
  })

const none = { head: new Uint32Array(0), relation: new Uint32Array(0), tail: new Uint32Array(0) }
const triple = (head: number, tail: number) => ({
  head: Uint32Array.of(head),
  relation: Uint32Array.of(0),
  tail: Uint32Array.of(tail)
})

test('ranks are filtered: right answers of other triples do not count, and of equal scores half', (t) => {
  // Real numbers, and a relation of 1: the score of (x, r, y) is the product of both.
  const values = Float32Array.of(1, 0, 2, 0, 3, 0, 4, 0, 1, 0)
  const ranksIn = (known: Partial<SplitTriples>) => {
    const four = { entities: 4, relations: 1, train: triple(3, 3), valid: none, test: triple(0, 1), ...known }
    return new KnowledgeGraph(four, { ...plain, rank: 1 }).evaluate(values)
  }
  // (0, r, ?): scores 1, 2, 3, 4, and that of entity 1 is third. (?, r, 1): 2, 4, 6, 8, and that of entity 0 is fourth.
  t.deepEqual(ranksIn({}).measures, { 'mrr': (1 / 3 + 1 / 4) / 2, 'hits@3': 0.5, 'hits@10': 1 })
  t.is(ranksIn({ train: triple(0, 3) }).measures?.mrr, (1 / 2 + 1 / 4) / 2)
  t.is(ranksIn({ valid: triple(2, 1) }).measures?.mrr, (1 / 3 + 1 / 3) / 2)
  values[2] = 3
  t.is(ranksIn({}).measures?.mrr, (1 / 2.5 + 1 / 4) / 2)
  t.true(Object.values(ranksIn({}).measures ?? {}).every(Number.isFinite))
  values.fill(Number.NaN)
  t.is(ranksIn({}).measures?.mrr, 1 / 4)
})
