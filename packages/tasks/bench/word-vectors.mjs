/**
 * Word vectors of one worker compared with gensim's, in turns on the same words: processor time of an epoch, and
 * synonyms found after it.
 *   node packages/tasks/bench/word-vectors.mjs [FILE [PYTHON]]
 * FILE is plain text; without one it is drawn. Without a Python that has gensim (pip install gensim) only the worker is
 * measured.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { KeyServer } from '@murmuration/algorithms'
import { drawWords, plantSynonyms, readWords } from '@murmuration/data'
import { createWordVectorsTask } from '@murmuration/tasks'

const [file, python = 'python3'] = process.argv.slice(2)
const learned = { rank: 64, window: 4, negatives: 5, subsample: 1e-3 }
const given = { seed: 1, file, minCount: 5, words: 3000, length: 200_000, synonyms: 50 }
const batch = 8
const rate = 0.2
const rounds = 4

/** One worker, as with Lapse on one node: determines the keys, pulls, computes the gradient, pushes. */
async function workerOf(task) {
  const { rows, samples } = task
  const setting = { self: 0, places: 1, holders: 1, count: rows.count, width: rows.width }
  const server = new KeyServer(setting, () => {}, await task.initialise(1).run())
  const order = Uint32Array.from({ length: samples }, (_, n) => n)
  return async (round) => {
    shuffle(order, round)
    const before = process.cpuUsage()
    for (let first = 0; first < samples; first += batch) {
      const own = order.subarray(first, first + batch)
      const keys = rows.keysOf(own, round)
      const x = new Float32Array(keys.length * rows.width)
      const g = new Float32Array(keys.length * rows.width)
      server.pull(keys, x)
      rows.gradient(x, keys, own, g, round).run()
      for (let at = 0; at < g.length; at++) g[at] *= -rate
      server.push(keys, g)
    }
    const { user, system } = process.cpuUsage(before)
    const { accuracy } = await task.evaluate(server.held().rows).run()
    return { seconds: (user + system) / 1e6, found: accuracy }
  }
}

function shuffle(order, seed) {
  let state = seed + 1
  for (let last = order.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (last + 1))
    const number = order[last]
    order[last] = order[other]
    order[other] = number
  }
}

/** gensim in a process of its own, on the training words of the task; undefined where it is not installed. */
async function gensimOf(samples, folder) {
  const original = file === undefined ? drawWords(given) : await readWords(file, given.minCount)
  const { word, sentence } = plantSynonyms(original, given.synonyms, given.seed)
  let text = ''
  for (let n = 0; n < samples; n++) text += (n > 0 && sentence[n] !== sentence[n - 1] ? '\n' : ' ') + word[n]
  writeFileSync(join(folder, 'words.txt'), text)
  const pairs = Array.from({ length: given.synonyms }, (_, n) => [n, original.words + n])
  const settings = {
    ...learned,
    rate: rate / batch,
    pairs: pairs.flatMap(([a, b]) => [
      [a, b],
      [b, a]
    ])
  }
  const program = fileURLToPath(new URL('word-vectors.py', import.meta.url))
  const child = spawn(python, [program, join(folder, 'words.txt'), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' }
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null')
  const started = await next()
  if (started === null) return undefined
  const epoch = () => (child.stdin.write('\n'), next())
  return { version: started.version, epoch, end: () => child.stdin.end() }
}

const folder = mkdtempSync(join(tmpdir(), 'murmuration-bench-'))
try {
  const task = await createWordVectorsTask({ ...given, ...learned, peers: ['a'] })
  const worker = await workerOf(task)
  const gensim = await gensimOf(task.samples, folder)
  console.log(`${task.about.model}; ${task.about.data}`)
  if (gensim === undefined) console.log(`gensim is left out: ${python} has none`)
  const thousands = ({ seconds }) => `${(task.samples / seconds / 1000).toFixed(0)} thousand words/s`
  const text = (name, of) => `${name} ${thousands(of)}, ${(100 * of.found).toFixed(0)} % of the synonyms found`
  for (let round = 0; round < rounds; round++) {
    const own = await worker(round)
    const other = await gensim?.epoch()
    const theirs = other === undefined ? '' : `; ${text(`gensim ${gensim.version}`, other)}`
    console.log(`epoch ${round + 1}: ${text('one worker', own)}${theirs}`)
  }
  gensim?.end()
} finally {
  rmSync(folder, { recursive: true })
}
