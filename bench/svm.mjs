/**
 * Kernel machines: how long svm-blocks takes on one peer beside scikit-learn's SVC, and how many values of the kernel
 * elimination saves.
 *
 *     node bench/svm.mjs FOLDER [PYTHON]
 *
 * FOLDER has svm-truth.csv and its sets; PYTHON is an interpreter with scikit-learn. Times are the least of ten, after
 * as many more, of training alone, in this process and on one thread of the other.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleAlgorithms, Session } from '@murmuration/algorithms'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createSvmTaskSet } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { pooledVectorWire } from '@murmuration/wire'

const [, , folder, python] = process.argv
const algorithm = sampleAlgorithms.find(({ name }) => name === 'svm-blocks')
const topology = createTopology({ peers: ['p'], graph: { kind: 'complete' } })
const sets = readFileSync(join(folder, 'svm-truth.csv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([set, samples, , c, gamma]) => ({ set, samples: Number(samples), c: Number(c), gamma: Number(gamma) }))

function taskFor({ set, c, gamma }) {
  const path = join(folder, `${set}.csv`)
  const sha256 = { [`${set}.csv`]: createHash('sha256').update(readFileSync(path)).digest('hex') }
  const data = { kind: 'files', path }
  const split = { testFraction: 0, test: { path, sha256 }, partition: { kind: 'equal' }, seed: 1 }
  return createSvmTaskSet({ localData: { data, ...split, peers: topology.peers }, kernel: { rbf: { gamma } }, c })
}

/** Trains on one peer. Resolves with milliseconds, rounds, and values of the kernel between its samples and others. */
async function trained(tasks, options) {
  let [values, rounds, start] = [0, 0, 0]
  const task = tasks.of('p')
  const { accumulate } = task.kernel
  task.kernel.accumulate = (...given) => {
    const work = accumulate.apply(task.kernel, given)
    values += work.samples * given[2].length
    return work
  }
  const settings = { algorithm, options, seed: 1, batchSize: 1, rounds: 1e5, rate: () => 1, timeout: 1e9 }
  const world = { topology, servers: [], seed: 1, wire: pooledVectorWire(), links: uniformLinks({}), cost: () => 0 }
  await simulate(world, async (fabric) => {
    const session = new Session(fabric, task, { ...settings, workers: topology.peers })
    start = performance.now()
    for await (const _ of session.steps()) rounds++
  })
  const milliseconds = performance.now() - start
  delete task.kernel.accumulate
  return { milliseconds, rounds, values }
}

async function least(run) {
  const times = []
  for (let k = 0; k < 20; k++) times.push((await run()).milliseconds)
  return Math.min(...times.slice(10))
}

const program = `
import sys, time, numpy as np
from sklearn.svm import SVC
path, c, gamma = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
d = np.loadtxt(path, delimiter=',')
x, y = d[:, :-1].astype(np.float32).astype(float), d[:, -1]
def run():
    start = time.perf_counter()
    SVC(C=c, gamma=gamma, tol=1e-3).fit(x, y)
    return 1000 * (time.perf_counter() - start)
print(min([run() for _ in range(20)][10:]))
`

for (const each of sets) {
  const tasks = await taskFor(each)
  const own = await least(() => trained(tasks, {}))
  const args = ['-c', program, join(folder, `${each.set}.csv`), String(each.c), String(each.gamma)]
  const env = { ...process.env, OMP_NUM_THREADS: '1' }
  const theirs = python === undefined ? undefined : Number(spawnSync(python, args, { env }).stdout)
  const beside = theirs === undefined ? '' : `, SVC ${theirs.toFixed(1)} ms, ${(own / theirs).toFixed(2)} times as long`
  console.log(`${each.set}: ${own.toFixed(1)} ms${beside}`)
  const all = await trained(tasks, { block: 2 })
  console.log(
    `  pair by pair: ${all.rounds} rounds, ${all.values} values of the kernel; with elimination, in % of these:`
  )
  for (const again of ['single', 'multi']) {
    const cells = []
    for (const first of [2, 500, 0.05, 0.1, 0.5]) {
      const some = await trained(tasks, { block: 2, eliminate: { first, again } })
      cells.push(
        `${first < 1 ? `${100 * first} %` : first}: ${Math.round((100 * some.values) / all.values)} (${some.rounds})`
      )
    }
    console.log(`  ${again.padEnd(6)} first after ${cells.join(', ')}`)
  }
}
