/**
 * What reaching keyed rows costs in processor time: rows that a peer holds, and the gradient of matrix factorisation beside them.
 *   node packages/experiment/bench/keys.mjs
 */
import { KeyServer } from '@murmuration/algorithms'
import { createMatrixFactorisationTask } from '@murmuration/tasks'

const [users, items, rank, batch] = [4000, 1000, 16, 8]
const task = await createMatrixFactorisationTask({
  ...{ peers: ['a'], seed: 1, users, items, ratings: 100_000, rank, noise: 0.3, zipf: 1, l2: 0.01 }
})
const { rows } = task
const start = await task.initialise(1).run()
const setting = { self: 0, places: 1, holders: 1, count: rows.count, width: rows.width }
const server = new KeyServer(setting, () => {}, start)
const batches = Array.from({ length: 10_000 }, (_, n) =>
  Uint32Array.from({ length: batch }, (_, k) => (n * 7919 + k * 104_729) % task.samples)
)
const keys = batches.map((samples) => rows.keysOf(samples))
const count = keys.reduce((sum, { length }) => sum + length, 0)
const [x, g] = [new Float32Array(2 * batch * rows.width), new Float32Array(2 * batch * rows.width)]

/** Processor time of `act` on all batches in nanoseconds, the least of five. */
function timeOf(act) {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 5; turn++) {
    const before = process.cpuUsage()
    for (let n = 0; n < batches.length; n++) act(n)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, 1000 * (user + system))
  }
  return least
}

const pull = timeOf((n) => server.pull(keys[n], x)) / count
const push = timeOf((n) => server.push(keys[n], g)) / count
const find = timeOf((n) => rows.keysOf(batches[n])) / batches.length
const gradient = timeOf((n) => rows.gradient(x, keys[n], batches[n], g).run()) / batches.length
console.log(
  `rows of ${rows.width} numbers that are held here, processor time per key: pull ${pull.toFixed(0)} ns, push ${push.toFixed(0)} ns`
)
console.log(
  `a batch of ${batch} ratings, rank ${rank}: keys ${(find / 1000).toFixed(1)} µs, gradient ${(gradient / 1000).toFixed(1)} µs`
)
