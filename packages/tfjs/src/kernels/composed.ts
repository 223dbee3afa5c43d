import type { KernelConfig, NamedAttrMap, Tensor, TensorInfo } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'

const { tidy } = core

/** The input tensors of a kernel, by name. */
export type Inputs<Name extends string> = { readonly [name in Name]: Tensor }

/** Computes a kernel's output from its inputs; may use any operation, since it runs inside `tidy` and off the tape. */
export type Compute<Name extends string, Attributes> = (inputs: Inputs<Name>, attributes: Attributes) => Tensor

/** A kernel that is composed of other operations. */
export function composed<Name extends string, Attributes>(
  kernelName: string,
  compute: Compute<Name, Attributes>,
  backendName: 'wasm' | 'webgpu' = 'wasm'
): KernelConfig {
  return {
    kernelName,
    backendName,
    kernelFunc: ({ inputs, attrs }) =>
      tidy(() => compute(inputs as Inputs<Name> & NamedInputs, attrs as Attributes & NamedAttrMap))
  }
}

// The engine's type: it passes Tensors, but promises only TensorInfo.
type NamedInputs = { readonly [name: string]: TensorInfo | undefined }

/** A copy of a float32 tensor's values. */
export function valuesOf(x: Tensor): Float32Array {
  return x.dataSync<'float32'>()
}
