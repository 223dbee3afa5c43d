import { invariant } from '@murmuration/core'
import type { DataDescription } from '@murmuration/data'
import { type NamedTensor, valuesOf } from '@murmuration/vectors'
import * as z from 'zod'
import { linearNetwork, twoClassNetwork } from './linear-network.js'
import { svmTaskModule } from './modules.js'
import { type Network, type NetworkOrigin, taskRecord } from './record.js'
import { kernelSchema } from './svm/kernels.js'
import { FourierFeatures, type FourierOptions, nameOfFeatures } from './svm/fourier-features.js'
import { marginLosses, svmSchema } from './svm/svm.js'

const fourierSchema = z.strictObject(
  {
    fourier: z.int().min(1).max(65_536).meta({ description: 'How many: 1024 come close to the kernel' }),
    gamma: z.number().positive().max(1e6).meta({ description: 'γ of the kernel exp(−γ ‖x − y‖²)' })
  },
  {
    error: ({ code }) => (code === 'invalid_type' ? 'a mapping such as { fourier: 1024, gamma: 2 }' : undefined)
  }
)

export const svmRecord = taskRecord({
  kind: 'svm',
  description:
    'Support vector machine: convex, two classes, or several one against the rest; linear, or with random Fourier features for the kernel exp(−γ ‖x − y‖²)',
  options: z.strictObject({
    // The squared hinge has a Lipschitz continuous gradient: steps of a constant rate reach the optimum itself. With
    // the hinge they stay at a distance that falls with the rate.
    loss: z.enum(marginLosses).default('squared-hinge').meta({
      description: 'Of a margin below 1: its distance from 1 (hinge), or the square of that'
    }),
    l2: z
      .number()
      .min(0)
      .default(0.001)
      .meta({ description: "λ: 1 / (C N) with LIBSVM's C and N samples; weightDecay is added" }),
    features: fourierSchema.optional().meta({
      description: 'Random Fourier features in place of the inputs: { fourier: 1024, gamma: 2 }'
    }),
    kernel: kernelSchema.optional().meta({
      description:
        'A kernel, for svm-blocks: linear, { rbf: { gamma: 2 } } or { polynomial: { degree: 3, gamma: 1, coef0: 1 } }'
    }),
    c: z.number().gt(0).max(1e9).default(1).meta({ description: "LIBSVM's C, in place of loss and l2: with a kernel" })
  }),
  problems: ({ kernel, features }) =>
    kernel === undefined || features === undefined
      ? []
      : [{ path: ['features'], message: 'found features beside a kernel, which they approximate; leave out one' }],
  learnsFromData: true,
  hasDual: ({ l2 }, weightDecay) => l2 + weightDecay > 0,
  hasKernel: ({ kernel }) => kernel !== undefined,
  // The squared hinge of two classes curves eight times as much as the logistic loss.
  rate: 0.0025,
  rateOfSmall: 0.02,
  module: svmTaskModule,
  given: (options, localData) => ({ ...options, localData }),
  taskSet: async (options, localData) => (await import('./svm-task.js')).createSvmTaskSet({ ...options, localData }),
  network: ({ features }, tensors, origin) =>
    features === undefined ? network(tensors) : fourierNetwork(features, tensors, origin),
  // With a kernel there are as many as training samples.
  parameters: ({ features, kernel }, data) => {
    const known = kernel === undefined ? sizeIn(data) : undefined
    return known && ((features?.fourier ?? known.inputs) + 1) * known.outputs
  }
})

/** One vector for two classes: its weights have one axis. */
function network(tensors: readonly NamedTensor[]): Network {
  const isForTwo = tensors.some(({ name, shape }) => name === 'weights' && shape.length === 1)
  return isForTwo ? twoClassNetwork(tensors) : linearNetwork(tensors)
}

/**
 * The features, which are drawn again, as a layer before the dense one. Throws an {@link InputError} for other tensors.
 */
function fourierNetwork(options: FourierOptions, tensors: readonly NamedTensor[], origin?: NetworkOrigin): Network {
  invariant(origin !== undefined, 'found no seed, which random Fourier features are drawn from')
  const { fourier } = options
  const { inputs, seed } = origin
  const prefix = `${nameOfFeatures(options, seed)}/`
  // Before features that the tensors do not belong to are drawn.
  const axes = tensors.find(({ name }) => name.endsWith('weights'))?.shape.slice(1) ?? []
  valuesOf(svmSchema(prefix, fourier, axes), tensors)
  const own = tensors.map((tensor) => ({ ...tensor, name: tensor.name.replace(prefix, '') }))
  const linear = network(own).tensors.map((tensor) => ({ ...tensor, name: tensor.name.replace('1/Dense', '2/Dense') }))
  const { frequencies, phases } = new FourierFeatures(options, inputs, seed).radians()
  const layer = '1/FourierFeatures'
  return {
    model: { kind: 'fourier', features: fourier },
    tensors: [
      { name: `${layer}/frequencies`, shape: [inputs, fourier], values: frequencies },
      { name: `${layer}/phases`, shape: [fourier], values: phases },
      ...linear
    ]
  }
}

/** The inputs of a sample and the vectors of drawn data. */
function sizeIn(data: DataDescription): { readonly inputs: number; readonly outputs: number } | undefined {
  if (data.kind === 'digits') return { inputs: (data.size ?? 28) ** 2, outputs: 10 }
  if (data.kind === 'gaussians') return { inputs: data.features ?? 57, outputs: 1 }
  return undefined
}
