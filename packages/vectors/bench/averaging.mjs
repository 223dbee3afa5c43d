/**
 * How fast vectors are averaged and compared, relative to copying them: 25 million numbers in a KernelMemory, in other
 * memory, and with the loops that the kernels replace. Then small vectors, as in simulations.
 *
 *     npx tsc -b packages/vectors && node packages/vectors/bench/averaging.mjs [repeats | --small]
 *
 * "Touched" is what a computation reads and writes, 4 bytes per number and vector; "of memcpy" is the rate at which it
 * does so, relative to copying, which touches 8 bytes per number. Medians; all computations of a repetition run one
 * after the other.
 */
import { allFinite, distance, KernelMemory, weightedSum } from '../dist/index.js'

const repeats = Number(process.argv[2] ?? 5)
const length = 25_000_000

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const termsOf = (vectors) => vectors.map((vector) => ({ weight: 1 / vectors.length, vector }))

const sums = new Float64Array(2048)

/** The loop that used to average long vectors. */
function loopSum(out, terms) {
  for (let start = 0; start < out.length; start += sums.length) {
    const count = Math.min(sums.length, out.length - start)
    sums.fill(0, 0, count)
    for (let t = 0; t + 1 < terms.length; t += 2) {
      const { weight: a, vector: x } = terms[t]
      const { weight: b, vector: y } = terms[t + 1]
      for (let i = 0; i < count; i++) sums[i] = sums[i] + a * x[start + i] + b * y[start + i]
    }
    if (terms.length % 2 === 1) {
      const { weight, vector } = terms[terms.length - 1]
      for (let i = 0; i < count; i++) sums[i] += weight * vector[start + i]
    }
    for (let i = 0; i < count; i++) out[start + i] = sums[i]
  }
}

function loopDistance(x, y) {
  let sum = 0
  for (let i = 0; i < x.length; i++) {
    const difference = x[i] - y[i]
    sum += difference * difference
  }
  return Math.sqrt(sum)
}

function loopFinite(x) {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += 0 * x[i]
  return sum === 0
}

/** Vectors of numbers that averaging does not change. */
const filled = (vector) => vector.fill(1.5)

/** Lines of the table: a name, how many vectors it touches per number, and the computation. */
function works(place, [x, y, z, out], { sum, apart, finite }) {
  return [
    [`mean of 2, ${place}`, 3, () => sum(out, termsOf([x, y]))],
    [`mean of 2 into one of them, ${place}`, 3, () => sum(x, termsOf([x, y]))],
    [`mean of 3, ${place}`, 4, () => sum(out, termsOf([x, y, z]))],
    [`mean of 3 into one of them, ${place}`, 4, () => sum(x, termsOf([x, y, z]))],
    [`distance, ${place}`, 2, () => apart(x, y)],
    [`all finite, ${place}`, 1, () => finite(x)]
  ]
}

function large() {
  const memory = KernelMemory.shared()
  const inside = Array.from({ length: 4 }, () => filled(memory.vector(length)))
  const outside = inside.map(() => filled(new Float32Array(length)))
  const kernels = { sum: weightedSum, apart: distance, finite: allFinite }
  const loops = { sum: loopSum, apart: loopDistance, finite: loopFinite }
  const [x, y] = outside
  const lines = [
    ['memcpy', 2, () => y.set(x)],
    ...works('in place', inside, kernels),
    ['mean of 2, one elsewhere', 3, () => weightedSum(inside[0], termsOf([inside[0], x]))],
    ...works('elsewhere', outside, kernels),
    ...works('loop', outside, loops)
  ]
  const times = lines.map(() => [])
  for (let k = -1; k < repeats; k++) {
    for (const [index, [, , run]] of lines.entries()) {
      const start = performance.now()
      run()
      if (k >= 0) times[index].push(performance.now() - start)
    }
    for (const vector of [...inside, ...outside]) filled(vector)
  }
  const copied = median(times[0])
  console.log("25e6 numbers                              ms   GB/s touched   of memcpy   memcpy's time")
  for (const [index, [name, vectors]] of lines.entries()) {
    const time = median(times[index])
    const rate = (vectors * 4 * length) / time / 1e6
    const cells = [time.toFixed(1).padStart(8), rate.toFixed(1).padStart(14)]
    const ratios = [(vectors * copied) / (2 * time), copied / time].map((ratio) => ratio.toFixed(2).padStart(11))
    console.log(name.padEnd(36), ...cells, ...ratios)
  }
}

/** Nanoseconds per call, the best of several. */
function perCall(run, numbers) {
  const calls = Math.ceil(2e6 / (numbers + 50))
  let best = Infinity
  for (let k = 0; k < 7; k++) {
    const start = performance.now()
    for (let call = 0; call < calls; call++) run()
    best = Math.min(best, ((performance.now() - start) * 1e6) / calls)
  }
  return best
}

function small() {
  console.log('\nnanoseconds a call: the loop before, now elsewhere, now in place')
  for (const numbers of [10, 57, 100, 300, 1000, 1500, 2047, 2048, 4096, 10_000, 16_384]) {
    const memory = KernelMemory.shared()
    const inside = Array.from({ length: 4 }, () => filled(memory.vector(numbers)))
    const outside = inside.map(() => filled(new Float32Array(numbers)))
    const of = ([x, y, z, out], sum, apart, finite) => [
      () => sum(out, termsOf([x, y])),
      () => sum(out, termsOf([x, y, z])),
      () => apart(x, y),
      () => finite(x)
    ]
    const now = [weightedSum, distance, allFinite]
    const before = of(outside, loopSum, loopDistance, loopFinite)
    const elsewhere = of(outside, ...now)
    const here = of(inside, ...now)
    const names = ['mean of 2', 'mean of 3', 'distance', 'all finite']
    const cells = names.map((name, k) => {
      const times = [before[k], elsewhere[k], here[k]].map((run) => Math.round(perCall(run, numbers)))
      return `${name} ${times.join(' ')}`
    })
    console.log(String(numbers).padStart(6), ' ', cells.join('   '))
  }
}

if (!process.argv.includes('--small')) large()
small()
