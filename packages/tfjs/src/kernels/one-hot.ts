import type { KernelConfig, OneHotAttrs } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'
import { composed } from './composed.js'

const { add, cast, getKernel, mul, OneHot, oneHot } = core

/** One-hot rows of float32: the backend's own kernel writes the bits of integers into them. */
export function oneHotKernels(): KernelConfig[] {
  const original = getKernel(OneHot, 'wasm')
  const floating = composed<'indices', OneHotAttrs>(OneHot, ({ indices }, { depth, onValue, offValue }) => {
    const ones = cast(oneHot(indices, depth), 'float32')
    return onValue === 1 && offValue === 0 ? ones : add(mul(ones, onValue - offValue), offValue)
  })
  return [
    {
      ...original,
      kernelFunc: (call) => (call.attrs?.dtype === 'float32' ? floating.kernelFunc(call) : original.kernelFunc(call))
    }
  ]
}
