import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import type { _FusedMatMulAttrs, BatchMatMulAttrs, KernelConfig, KernelFunc, TensorInfo } from '@tensorflow/tfjs-core'
import { invariant } from '@murmuration/core'
import { core } from '#tfjs/packages.js'
import { leftFactor, Products, rightFactor } from '../wasm/products.js'
import { composed } from './composed.js'
import { activated, addressOf, finishOf } from './fused.js'

const { _FusedMatMul, BatchMatMul, broadcast_util, matMul, util } = core

/** This package's matrix products, with any factors transposed, and their fused form. */
export function productKernels(): KernelConfig[] {
  return [
    { kernelName: BatchMatMul, backendName: 'wasm', kernelFunc: batchMatMul },
    { kernelName: _FusedMatMul, backendName: 'wasm', kernelFunc: fusedMatMul }
  ]
}

const batchMatMul: KernelFunc = ({ inputs, backend, attrs }) => {
  const { a, b } = inputs as { a: TensorInfo; b: TensorInfo }
  return product(backend as BackendWasm, a, b, attrs as unknown as BatchMatMulAttrs)
}

const fusedMatMul: KernelFunc = (call) => {
  const { a, b, bias } = call.inputs as { a: TensorInfo; b: TensorInfo; bias?: TensorInfo }
  const attributes = call.attrs as unknown as _FusedMatMulAttrs
  const backend = call.backend as BackendWasm
  const columns = b.shape[b.shape.length - (attributes.transposeB ? 2 : 1)]
  const finish = finishOf(backend, columns, attributes.activation, bias)
  if (finish === undefined) return unfused.kernelFunc(call)
  const out = product(backend, a, b, attributes)
  finish(out)
  return out
}

const unfused = composed<'a' | 'b', _FusedMatMulAttrs>(_FusedMatMul, (inputs, attributes) =>
  activated(matMul(inputs.a, inputs.b, attributes.transposeA, attributes.transposeB), attributes, inputs)
)

/** All products of a batch, whose matrices are matched by broadcasting. */
function product(backend: BackendWasm, a: TensorInfo, b: TensorInfo, attributes: BatchMatMulAttrs): TensorInfo {
  const { transposeA, transposeB } = attributes
  invariant(
    a.dtype === 'float32' && b.dtype === 'float32',
    () => `found a product of ${a.dtype} and ${b.dtype}, expected float32`
  )
  const [rows, terms] = extents(a, transposeA)
  const [rightTerms, columns] = extents(b, transposeB)
  invariant(
    terms === rightTerms,
    () => `[${a.shape}] and [${b.shape}] cannot be multiplied: ${terms}, ${rightTerms} terms`
  )
  const batchA = a.shape.slice(0, -2)
  const batchB = b.shape.slice(0, -2)
  const batch = broadcast_util.assertAndGetBroadcastShape(batchA, batchB)
  const out = backend.makeOutput([...batch, rows, columns], 'float32')
  const count = util.sizeFromShape(batch)
  const products = Products.of(backend)
  // Where one right factor serves all, the rows of the left ones are contiguous.
  const isJoint = util.sizeFromShape(batchB) === 1 && !transposeA
  const heights = isJoint ? { count: 1, rows: count * rows } : { count, rows }
  for (let index = 0; index < heights.count; index++) {
    const left = addressOf(backend, a) + 4 * matrixIn(batchA, batch, index) * rows * terms
    const right = addressOf(backend, b) + 4 * matrixIn(batchB, batch, index) * terms * columns
    products.multiply({
      left: leftFactor(left, heights.rows, terms, transposeA),
      right: rightFactor(right, terms, columns, transposeB),
      rows: heights.rows,
      terms,
      columns,
      out: addressOf(backend, out) + 4 * index * rows * columns
    })
  }
  return out
}

/** Rows and columns of a factor after transposition. */
function extents({ shape }: TensorInfo, isTransposed: boolean): readonly [number, number] {
  const [rows, columns] = shape.slice(-2)
  return isTransposed ? [columns, rows] : [rows, columns]
}

/** The index of the matrix, in a batch of `shape`, that belongs to `index` in the batch of shape `joint`. */
function matrixIn(shape: readonly number[], joint: readonly number[], index: number): number {
  let matrix = 0
  let size = 1
  let rest = index
  for (let axis = joint.length - 1; axis >= 0; axis--) {
    const extent = shape[axis - joint.length + shape.length] ?? 1
    if (extent > 1) matrix += (rest % joint[axis]) * size
    size *= extent
    rest = Math.floor(rest / joint[axis])
  }
  return matrix
}
