import {
  add,
  advance,
  bits128,
  type Code,
  constant,
  each,
  float32x4,
  float64x2,
  type FunctionCode,
  get,
  int32x4,
  loadInteger,
  loadVector,
  set,
  storeVector,
  walk
} from './assembler.js'

/** A place in the kernels' memory, in bytes. */
export type Address = number

/**
 * A function over vectors whose addresses lie in a table, one line of {@link lineBytes} for each vector: its address (uint32),
 * and at {@link factorAt} a float64 number that belongs to it.
 *
 * @param end - the address behind the last line
 * @param result - {@link resultBytes} of memory for what is not a vector
 * @param bytes - the length of every vector, a multiple of {@link stepBytes}, not 0
 */
export type Kernel = (table: Address, end: Address, result: Address, bytes: number) => void

export const lineBytes = 16
export const factorAt = 8
export const resultBytes = 64

/** What kernels compute side by side: a line of the cache, 16 numbers. */
export const stepBytes = 64
const pairs = stepBytes / 8
const step = constant(stepBytes)

/** The parameters of all kernels, the number of the byte that a kernel has come to, and its first local. */
export const [table, end, result, bytes, at, firstLocal] = [0, 1, 2, 3, 4, 5]

/** Sums of squares that run side by side, since a sum waits for the one before it: the bits of the sum hang on it. */
export const squareLanes = 8
const accumulators = squareLanes / 2

/** All bits of four float32 numbers but their signs. */
const withoutSign = int32x4.splat(constant(0x7fffffff))

const rounded = float32x4.ofDoubles

/** The address of the vector in this line of the table. */
export const addressIn = (line: number): Code => loadInteger(add(get(table), constant(lineBytes * line)))

/** Two float32 numbers side by side, as float64. */
export const loadPair = (address: Code, offset: number): Code => float64x2.ofLowFloats(bits128.loadLow(address, offset))

/** `out[i] = Σ_t factor_t · vector_t[i]`: `out` in the first line, a term in every other. Begins with +0. */
const sum: FunctionCode = (() => {
  const [line, address, out, weight, sums] = [
    firstLocal,
    firstLocal + 1,
    firstLocal + 2,
    firstLocal + 3,
    firstLocal + 4
  ]
  const product = (pair: number): Code => float64x2.multiply(get(weight), loadPair(get(address), 8 * pair))
  const body = [
    ...set(out, addressIn(0)),
    ...walk(at, step, get(bytes), [
      ...each(pairs, (pair) => set(sums + pair, float64x2.zero)),
      ...set(line, add(get(table), constant(lineBytes))),
      ...walk(line, constant(lineBytes), get(end), [
        ...set(address, add(loadInteger(get(line)), get(at))),
        ...set(weight, float64x2.loadSplat(get(line), factorAt)),
        ...each(pairs, (pair) => set(sums + pair, float64x2.add(get(sums + pair), product(pair))))
      ]),
      ...each(pairs, (pair) => bits128.storeLow(get(out), 8 * pair, rounded(get(sums + pair)))),
      ...advance(out, step)
    ])
  ]
  return { name: 'sum', parameters: 4, integers: 4, floats: 0, vectors: 1 + pairs, body }
})()

/** Adds `(x[i] − y[i])²` to the float64 number `i mod 8` of the result. */
const squares: FunctionCode = (() => {
  const [x, y, difference, sums] = [firstLocal, firstLocal + 1, firstLocal + 2, firstLocal + 3]
  const body = [
    ...set(x, addressIn(0)),
    ...set(y, addressIn(1)),
    ...each(accumulators, (k) => set(sums + k, loadVector(get(result), 16 * k))),
    ...walk(at, step, get(bytes), [
      ...each(pairs, (pair) => [
        ...set(difference, float64x2.subtract(loadPair(get(x), 8 * pair), loadPair(get(y), 8 * pair))),
        ...set(
          sums + (pair % accumulators),
          float64x2.add(get(sums + (pair % accumulators)), float64x2.multiply(get(difference), get(difference)))
        )
      ]),
      ...advance(x, step),
      ...advance(y, step)
    ]),
    ...each(accumulators, (k) => storeVector(get(result), 16 * k, get(sums + k)))
  ]
  return { name: 'squares', parameters: 4, integers: 3, floats: 0, vectors: 1 + accumulators, body }
})()

/** Raises the first four integers of the result to the bits of numbers without their signs. */
const magnitude: FunctionCode = (() => {
  const [x, mask, most] = [firstLocal, firstLocal + 1, firstLocal + 2]
  const lanes = stepBytes / 16
  const body = [
    ...set(x, addressIn(0)),
    ...set(mask, withoutSign),
    ...each(lanes, (k) => set(most + k, loadVector(get(result), 0))),
    ...walk(at, step, get(bytes), [
      ...each(lanes, (k) =>
        set(most + k, int32x4.maxUnsigned(get(most + k), bits128.and(get(mask), loadVector(get(x), 16 * k))))
      ),
      ...advance(x, step)
    ]),
    ...each(lanes - 1, (k) => set(most, int32x4.maxUnsigned(get(most), get(most + k + 1)))),
    ...storeVector(get(result), 0, get(most))
  ]
  return { name: 'magnitude', parameters: 4, integers: 2, floats: 0, vectors: 1 + lanes, body }
})()

/**
 * Reads a number of every cache line of all vectors, into a part of the result that no other kernel uses with it. A kernel that
 * writes where it reads gets ahead of itself too little to keep the memory busy; reads alone are begun many at a time.
 */
const touch: FunctionCode = (() => {
  const [line, address, seen] = [firstLocal, firstLocal + 1, firstLocal + 2]
  const body = [
    ...set(line, get(table)),
    ...walk(line, constant(lineBytes), get(end), [
      ...set(address, loadInteger(get(line))),
      ...set(at, constant(0)),
      ...walk(at, step, get(bytes), [
        ...set(seen, bits128.or(get(seen), loadVector(get(address), 0))),
        ...advance(address, step)
      ])
    ]),
    ...storeVector(get(result), 16, get(seen))
  ]
  return { name: 'touch', parameters: 4, integers: 3, floats: 0, vectors: 1, body }
})()

export const vectorKernels = [sum, squares, magnitude, touch]

export interface VectorKernels {
  readonly sum: Kernel
  readonly squares: Kernel
  readonly magnitude: Kernel
  readonly touch: Kernel
}
