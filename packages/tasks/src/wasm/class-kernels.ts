import {
  advance,
  assemble,
  type Code,
  constant,
  each,
  float64x2,
  type FunctionCode,
  get,
  isNotZero,
  loadFloat,
  loadVector,
  set,
  storeVector,
  walk,
  when
} from '@murmuration/vectors/wasm'
import type { Address } from './memory.js'

/**
 * The two products of a linear model with several classes, for one sample x of float32 numbers and a matrix of float64
 * numbers as [inputs, classes], the classes padded to an even number. Each sum runs over the inputs in their order, as it would
 * alone, two classes side by side; inputs of 0 are passed over. Everything is an address; `x` to `end` is the sample.
 */
export interface ClassKernels {
  /** `scores[k] += Σ_i x[i] · weights[i, k]` */
  score(x: Address, end: Address, weights: Address, scores: Address): void
  /** `sums[i, k] += x[i] · errors[k]` */
  accumulate(x: Address, end: Address, sums: Address, errors: Address): void
}

const [x, end, matrix, vector, value, wide, perClass] = [0, 1, 2, 3, 4, 5, 6]

/** Goes through the sample's inputs and the matrix's rows; for each input that is not 0, `body` has it twice in `wide`. */
function overInputs(pairs: number, body: Code): Code {
  return walk(x, constant(4), get(end), [
    ...set(value, loadFloat(get(x))),
    ...when(isNotZero(get(value)), [...set(wide, float64x2.splat(get(value))), ...body]),
    ...advance(matrix, constant(16 * pairs))
  ])
}

function functionsFor(pairs: number): readonly FunctionCode[] {
  const shape = { parameters: 4, integers: 0, floats: 1, vectors: 1 + pairs }
  const load = each(pairs, (k) => set(perClass + k, loadVector(get(vector), 16 * k)))
  const product = (k: number) => float64x2.multiply(get(wide), loadVector(get(matrix), 16 * k))
  const score = [
    ...load,
    ...overInputs(
      pairs,
      each(pairs, (k) => set(perClass + k, float64x2.add(get(perClass + k), product(k))))
    ),
    ...each(pairs, (k) => storeVector(get(vector), 16 * k, get(perClass + k)))
  ]
  const more = (k: number) =>
    float64x2.add(loadVector(get(matrix), 16 * k), float64x2.multiply(get(wide), get(perClass + k)))
  const accumulate = [
    ...load,
    ...overInputs(
      pairs,
      each(pairs, (k) => storeVector(get(matrix), 16 * k, more(k)))
    )
  ]
  return [
    { name: 'score', ...shape, body: score },
    { name: 'accumulate', ...shape, body: accumulate }
  ]
}

/** The kernels for twice `pairs` classes, over this memory. */
export function classKernels(memory: WebAssembly.Memory, pairs: number): ClassKernels {
  const module = new WebAssembly.Module(assemble(functionsFor(pairs)))
  return new WebAssembly.Instance(module, { memory: { memory } }).exports as unknown as ClassKernels
}
