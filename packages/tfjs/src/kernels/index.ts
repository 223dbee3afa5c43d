import type { KernelConfig } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { convolutionKernels } from './convolution.js'
import { depthwiseKernels } from './depthwise.js'
import { forwardKernels } from './forward.js'
import { oneHotKernels } from './one-hot.js'
import { poolingKernels } from './pooling.js'
import { productKernels } from './product.js'
import { segmentKernels } from './segments.js'
import { registerTileGradient } from './tile.js'
import { orderedKernels } from './ordered.js'

const { getKernel, registerKernel, unregisterKernel } = core

let registered = false

/**
 * Registers the kernels that training needs and the WASM backend lacks, and better ones where its own are slow or
 * wrong. `bench/kernels.mjs` measures each against the one that it replaces.
 */
export function registerTrainingKernels(): void {
  if (registered) return
  registered = true
  for (const kernel of trainingKernels()) replace(kernel)
  registerTileGradient()
}

/**
 * The same for the WebGPU backend, which has all kernels, but some that add in an order of their own. After that
 * backend has been loaded.
 */
export function registerOrderedKernels(): void {
  for (const kernel of orderedKernels()) replace(kernel)
  registerTileGradient()
}

/** The kernels that {@link registerTrainingKernels} registers. */
function trainingKernels(): readonly KernelConfig[] {
  return [
    ...productKernels(),
    ...forwardKernels(),
    ...oneHotKernels(),
    ...convolutionKernels,
    ...depthwiseKernels,
    ...poolingKernels,
    ...segmentKernels
  ]
}

function replace(kernel: KernelConfig): void {
  const existing = getKernel(kernel.kernelName, kernel.backendName)
  if (existing) unregisterKernel(kernel.kernelName, kernel.backendName)
  registerKernel(kernel)
}
