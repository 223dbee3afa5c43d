/**
 * The processor time of keyed rows: accesses to rows that a peer holds, and for comparison the gradients of the tasks
 * of the scenarios in sim/.
 *   node studies/keys.mjs
 */
import { KeyServer } from '@murmuration/algorithms'
import { createKnowledgeGraphTask, createMatrixFactorisationTask, createWordVectorsTask } from '@murmuration/tasks'

const common = { peers: ['a'], seed: 1 }
const ratings = { users: 4000, items: 1000, ratings: 100_000, rank: 16, noise: 0.3, zipf: 1, l2: 0.01 }
const graph = {
  scoring: 'rescal',
  entities: 400,
  rules: 2,
  rank: 64,
  negatives: 2,
  ranked: 1,
  adversarial: 0,
  l2: 0,
  n3: 0,
  clustered: true
}
const text = {
  words: 1000,
  length: 10_000,
  synonyms: 20,
  rank: 16,
  window: 2,
  negatives: 5,
  subsample: 0.01,
  minCount: 5
}
const count = 5000

/** Processor time of `act` on all batches in nanoseconds, the minimum of five. */
function timeOf(act) {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 5; turn++) {
    const before = process.cpuUsage()
    for (let n = 0; n < count; n++) act(n)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, 1000 * (user + system))
  }
  return least
}

const texts = (nanoseconds) => `${(nanoseconds / count / 1000).toFixed(1)} µs`

async function measure(name, batch, task) {
  const { rows } = task
  const { width } = rows
  const setting = { self: 0, places: 1, holders: 1, count: rows.count, width }
  const server = new KeyServer(setting, () => {}, await task.initialise(1).run())
  const batches = Array.from({ length: count }, (_, n) =>
    Uint32Array.from({ length: batch }, (_, k) => (n * 7919 + k * 104_729) % task.samples)
  )
  const keys = batches.map((samples) => rows.keysOf(samples))
  const most = Math.max(...keys.map(({ length }) => length))
  const x = new Float32Array(most * width)
  const g = new Float32Array(most * width)
  const of = (vector, n) => vector.subarray(0, keys[n].length * width)
  const total = keys.reduce((sum, { length }) => sum + length, 0)
  const find = timeOf((n) => rows.keysOf(batches[n]))
  const pull = timeOf((n) => server.pull(keys[n], x))
  const push = timeOf((n) => server.push(keys[n], g))
  const gradient = timeOf((n) => rows.gradient(of(x, n), keys[n], batches[n], of(g, n)).run())
  const per = (time) => `${(time / total).toFixed(0)} ns`
  console.log(`${name}, batches of ${batch}: ${(total / count).toFixed(1)} rows of ${width} numbers
  of a batch: keys ${texts(find)}, gradient ${texts(gradient)}, with local rows ${texts(find + gradient + pull + push)}
  of a row that is held here: pull ${per(pull)}, push ${per(push)}`)
}

console.log('processor time, the least of five')
await measure('matrix factorisation', 8, await createMatrixFactorisationTask({ ...common, ...ratings }))
await measure('knowledge graph, RESCAL', 1, await createKnowledgeGraphTask({ ...common, ...graph }))
await measure(
  'knowledge graph, ComplEx',
  1,
  await createKnowledgeGraphTask({ ...common, ...graph, scoring: 'complex', negatives: 10 })
)
await measure('word vectors', 4, await createWordVectorsTask({ ...common, ...text }))
