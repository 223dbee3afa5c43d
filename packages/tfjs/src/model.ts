import { InputError } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { LayersModel, Shape } from '@tensorflow/tfjs-layers'
import { registerLayers } from './fourier/layers.js'
import { gpt } from './gpt/gpt.js'
import type { GptSize } from './gpt/size.js'
import { glorotNormal } from './initialise.js'
import { broadcastNormalisation } from './normalisation.js'
import { tensorflow as tf } from './tensorflow.js'
import type { ModelContext, UserModule } from './user-module.js'
import type { Layer } from './weights.js'

/** The activations of the models that come with this package. */
export const activations = ['relu', 'tanh', 'sigmoid', 'elu'] as const

/** A model, described by JSON. */
export type ModelDescription =
  | {
      /** Dense layers of these widths, and one with an output per class or target value. */
      readonly kind: 'mlp'
      readonly hidden: readonly number[]
      readonly activation?: (typeof activations)[number]
    }
  | {
      /**
       * For images: a 5 × 5 convolution that halves height and width, then 3 × 3 convolutions, each with a max pooling
       * that halves them again, and a dense layer. As accurate as pooling from the start, in half the time.
       */
      readonly kind: 'cnn'
      /** The number of filters of each convolution; 8 and 16 by default. */
      readonly filters?: readonly number[]
    }
  | ({
      /** A small GPT for texts: it learns which character follows each of a window. */
      readonly kind: 'gpt'
    } & GptSize)
  | {
      /** A linear model of random Fourier features, which were drawn elsewhere. */
      readonly kind: 'fourier'
      /** How many. */
      readonly features: number
    }
  | {
      /** Any model, built by a user's module; see {@link UserModule}. */
      readonly kind: 'module'
      /** The module's path, relative to the working directory, or a `file:` URL. */
      readonly path: string
      /** Passed to the module unchanged. JSON. */
      readonly options?: unknown
    }

const fourierLayers = registerLayers(tf)

/**
 * Builds the described model. Throws an {@link InputError} when it makes no sense for such samples, or the user's
 * module fails.
 */
export async function buildModel(
  description: ModelDescription,
  context: ModelContext,
  module?: UserModule
): Promise<LayersModel> {
  const created = module ? await module.createModel(tf, context) : builtIn(description, context)
  const model = checked(created, context, module?.loss !== undefined)
  broadcastNormalisation(model)
  return model
}

function builtIn(description: ModelDescription, context: ModelContext): LayersModel {
  const { classes, targetShape } = context
  if (classes !== undefined && targetShape.length > 0 && description.kind !== 'gpt')
    throw new InputError(
      `the task ${description.kind} learns one class per sample; found ${targetShape.join(' × ')}, as texts have: use the task gpt`
    )
  switch (description.kind) {
    case 'mlp':
      return tf.sequential({ layers: mlp(description.hidden, description.activation ?? 'relu', context) })
    case 'cnn':
      return tf.sequential({ layers: cnn(description.filters ?? [8, 16], context) })
    case 'gpt':
      return gpt(description, context)
    case 'fourier':
      return tf.sequential({ layers: fourier(description.features, context) })
    default:
      throw new InputError(`model.kind is "${description.kind}", expected one of mlp, cnn, gpt, module`)
  }
}

function mlp(hidden: readonly number[], activation: (typeof activations)[number], context: ModelContext): Layer[] {
  if (!activations.includes(activation)) {
    throw new InputError(`model.activation is "${activation}", expected one of ${activations.join(', ')}`)
  }
  return [
    flat(context),
    ...counts(hidden, 'model.hidden').map((units) =>
      tf.layers.dense({ units, activation, kernelInitializer: glorotNormal() })
    ),
    lastLayer(context)
  ]
}

function flat({ inputShape }: ModelContext): Layer {
  return tf.layers.reshape({ inputShape: [...inputShape], targetShape: [sizeOf(inputShape)] })
}

function fourier(features: number, context: ModelContext): Layer[] {
  return [flat(context), fourierLayers.fourierFeatures({ units: features }), lastLayer(context)]
}

function cnn(filters: readonly number[], context: ModelContext): Layer[] {
  const { inputShape } = context
  if (inputShape.length !== 2 && inputShape.length !== 3) {
    throw new InputError(
      `the task cnn is for images; found samples of shape [${inputShape}]: use the task mlp or softmax`
    )
  }
  const [height, width, channels = 1] = inputShape
  return [
    tf.layers.reshape({ inputShape: [...inputShape], targetShape: [height, width, channels] }),
    ...counts(filters, 'model.filters').flatMap((count, index) => (index === 0 ? [halving(count)] : pooled(count))),
    tf.layers.flatten(),
    lastLayer(context)
  ]
}

function halving(filters: number): Layer {
  return tf.layers.conv2d({ ...convolution(filters, 5), strides: 2 })
}

function pooled(filters: number): readonly Layer[] {
  return [tf.layers.conv2d(convolution(filters, 3)), tf.layers.maxPooling2d({ poolSize: 2, padding: 'same' })]
}

function convolution(filters: number, kernelSize: number) {
  return { filters, kernelSize, padding: 'same', activation: 'relu', kernelInitializer: glorotNormal() } as const
}

/** Logits, one per class, or the target's values. */
function lastLayer({ classes, targetShape }: ModelContext): Layer {
  return tf.layers.dense({ units: classes ?? sizeOf(targetShape), kernelInitializer: glorotNormal() })
}

function counts(values: readonly number[], where: string): readonly number[] {
  if (Array.isArray(values) && values.every((value) => Number.isSafeInteger(value) && value > 0)) return values
  throw new InputError(`${where} is ${JSON.stringify(values)}, expected a list of whole numbers above 0, such as [32]`)
}

function checked(model: LayersModel, context: ModelContext, ownLoss: boolean): LayersModel {
  if (!(model instanceof tf.LayersModel)) {
    throw new InputError('createModel does not return a tf.LayersModel that was made with its argument tf')
  }
  if (model.inputs.length !== 1 || model.outputs.length !== 1) {
    throw new InputError(
      `the model has ${model.inputs.length} inputs and ${model.outputs.length} outputs, expected one of each`
    )
  }
  build(model)
  if (model.trainableWeights.length === 0) throw new InputError('the model has no weights that can be trained')
  const input = model.inputs[0].shape.slice(1)
  const output = model.outputs[0].shape.slice(1)
  if (!fits(input, context.inputShape)) {
    throw new InputError(`the model takes inputs of shape [${input}], but the samples have [${context.inputShape}]`)
  }
  if (!ownLoss && !outputFits(output, context)) {
    throw new InputError(`the model gives outputs of shape [${output}], expected ${expectedOutput(context)}`)
  }
  return model
}

/**
 * Sequential models are built late, and then all their weights become trainable, even those that were frozen
 * individually.
 */
function build(model: LayersModel): void {
  const asGiven = model.weights.map((weight) => [weight, weight.trainable] as const)
  model.countParams()
  for (const [weight, trainable] of asGiven) weight.trainable = trainable
}

function outputFits(output: Shape, { classes, targetShape }: ModelContext): boolean {
  if (classes !== undefined) return fits(output, [...targetShape, classes])
  return output.includes(null) || sizeOf(output as number[]) === sizeOf(targetShape)
}

function expectedOutput({ classes, targetShape }: ModelContext): string {
  return classes === undefined
    ? `[${targetShape}], as the targets have`
    : `[${[...targetShape, classes]}], a number for each class`
}

/** Whether the shapes are the same; `null` stands for any extent. */
function fits(shape: Shape, actual: readonly number[]): boolean {
  return shape.length === actual.length && shape.every((extent, axis) => extent === null || extent === actual[axis])
}
