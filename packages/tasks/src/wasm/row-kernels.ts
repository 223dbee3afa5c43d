import {
  add,
  addFloats,
  advance,
  assemble,
  type Code,
  constant,
  each,
  float32x4,
  type FunctionCode,
  get,
  loadFloat,
  loadInteger,
  loadVector,
  multiply,
  set,
  storeFloat,
  storeVector,
  walk
} from '@murmuration/vectors/wasm'
import type { Address } from './memory.js'

/** How many numbers of a row are computed side by side: the length of a row is a multiple of it. */
export const rowStep = 16

/**
 * The two products of a linear model, for some rows of a matrix X of float32 numbers. All sums run in float32 in an order
 * that hangs on the shapes alone, so that the bits are the same on every machine. Everything is an address or a length in
 * bytes; `batch` to `end` are the numbers of the rows (uint32), at least one; `stride` is the length of a row.
 */
export interface RowKernels {
  /** `scores[b] = Σ_i X[batch[b], i] · weights[i]` */
  scores(batch: Address, end: Address, rows: Address, stride: number, weights: Address, scores: Address): void
  /** `out[i] = Σ_b factors[b] · X[batch[b], i]` */
  combine(batch: Address, end: Address, rows: Address, stride: number, factors: Address, out: Address): void
}

/** Four vectors of four numbers at a time, since a sum waits for the one before it. */
const lanes = 4
const stepBytes = constant(4 * rowStep)
const wordBytes = constant(4)

// The parameters of both functions; the fifth and sixth are named where they differ.
const [batch, end, rows, stride] = [0, 1, 2, 3]

const scores: FunctionCode = (() => {
  const [weights, out, row, rowEnd, weight, sums] = [4, 5, 6, 7, 8, 9]
  const product = (lane: number): Code =>
    float32x4.multiply(loadVector(get(row), 16 * lane), loadVector(get(weight), 16 * lane))
  const lane = (index: number): Code => float32x4.lane(get(sums), index)
  const body = walk(batch, wordBytes, get(end), [
    ...set(row, add(get(rows), multiply(loadInteger(get(batch)), get(stride)))),
    ...set(rowEnd, add(get(row), get(stride))),
    ...set(weight, get(weights)),
    ...each(lanes, (k) => set(sums + k, float32x4.zero)),
    ...walk(row, stepBytes, get(rowEnd), [
      ...each(lanes, (k) => set(sums + k, float32x4.add(get(sums + k), product(k)))),
      ...advance(weight, stepBytes)
    ]),
    ...set(sums, float32x4.add(get(sums), get(sums + 1))),
    ...set(sums, float32x4.add(get(sums), float32x4.add(get(sums + 2), get(sums + 3)))),
    ...storeFloat(get(out), addFloats(addFloats(lane(0), lane(1)), addFloats(lane(2), lane(3)))),
    ...advance(out, wordBytes)
  ])
  return { name: 'scores', parameters: 6, integers: 3, floats: 0, vectors: lanes, body }
})()

const combine: FunctionCode = (() => {
  const [factors, out, column, next, factor, row, wide, sums] = [4, 5, 6, 7, 8, 9, 10, 11]
  const product = (lane: number): Code => float32x4.multiply(get(wide), loadVector(get(row), 16 * lane))
  const body = walk(column, stepBytes, get(stride), [
    ...set(next, get(batch)),
    ...set(factor, get(factors)),
    ...each(lanes, (k) => set(sums + k, float32x4.zero)),
    ...walk(next, wordBytes, get(end), [
      ...set(row, add(add(get(rows), multiply(loadInteger(get(next)), get(stride))), get(column))),
      ...set(wide, float32x4.splat(loadFloat(get(factor)))),
      ...each(lanes, (k) => set(sums + k, float32x4.add(get(sums + k), product(k)))),
      ...advance(factor, wordBytes)
    ]),
    ...each(lanes, (k) => storeVector(add(get(out), get(column)), 16 * k, get(sums + k)))
  ])
  return { name: 'combine', parameters: 6, integers: 4, floats: 0, vectors: 1 + lanes, body }
})()

/** The kernels, over this memory. */
export function rowKernels(memory: WebAssembly.Memory): RowKernels {
  const module = new WebAssembly.Module(assemble([scores, combine]))
  return new WebAssembly.Instance(module, { memory: { memory } }).exports as unknown as RowKernels
}
