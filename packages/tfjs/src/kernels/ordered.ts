import type { KernelConfig, NamedAttrMap, NamedTensorInfoMap, UnsortedSegmentSumAttrs } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { composed } from './composed.js'

const { _FusedMatMul, BatchMatMul, Conv2D, env, FusedConv2D, getKernel, matMul, oneHot, reshape, UnsortedSegmentSum } =
  core

/**
 * Products of so many terms are split by the WebGPU backend among groups of threads, which add their sums as they end.
 */
const splitTerms = 2000

/** The WebGPU backend's flag for the way of a product. */
const productFlag = 'WEBGPU_MATMUL_PROGRAM_TYPE'
/** Its value for tiles of 32 × 32, with one group of threads each. */
const inTiles = 3

/**
 * Kernels of the WebGPU backend that add in the same order whenever they run, in place of those whose threads add
 * atomically: sums of float32 depend on their order, and equal seeds would give other results in each run.
 */
export function orderedKernels(): readonly KernelConfig[] {
  return [
    product(BatchMatMul, ({ a }, { transposeA }) => a.shape.at(transposeA === true ? -2 : -1) ?? 1),
    product(_FusedMatMul, ({ a }, { transposeA }) => a.shape.at(transposeA === true ? -2 : -1) ?? 1),
    product(Conv2D, ({ filter }) => filter.size),
    product(FusedConv2D, ({ filter }) => filter.size),
    segmentSum
  ]
}

/**
 * The gradient of looking rows up in a table, as embeddings do, as a product. A row whose number is outside of the
 * table is ignored.
 */
const segmentSum = composed<'x' | 'segmentIds', UnsortedSegmentSumAttrs>(
  UnsortedSegmentSum,
  ({ x, segmentIds }, { numSegments }) => {
    const rows = segmentIds.size
    const chosen = oneHot(reshape(segmentIds, [rows]), numSegments, 1, 0, 'float32')
    const sums = matMul(chosen, reshape(x, [rows, x.size / rows]), true)
    return reshape(sums, [numSegments, ...x.shape.slice(segmentIds.rank)])
  },
  'webgpu'
)

type Sized = Readonly<Record<string, { readonly shape: readonly number[]; readonly size: number }>>

/** A kernel of products, whose number of terms is at most `termsOf`. */
function product(kernelName: string, termsOf: (inputs: Sized, attributes: NamedAttrMap) => number): KernelConfig {
  const original = getKernel(kernelName, 'webgpu')
  return {
    ...original,
    kernelFunc: (call) => {
      const inputs = call.inputs as NamedTensorInfoMap & Sized
      if (termsOf(inputs, call.attrs ?? {}) < splitTerms) return original.kernelFunc(call)
      const usual = env().getNumber(productFlag)
      env().set(productFlag, inTiles)
      try {
        return original.kernelFunc(call)
      } finally {
        env().set(productFlag, usual)
      }
    }
  }
}
