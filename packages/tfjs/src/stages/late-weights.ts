import type { initializers, LayerVariable, Shape } from '@tensorflow/tfjs-layers'
import { core } from '#tfjs/packages.js'
import { tensorflow as tf } from '../tensorflow.js'
import type { Layer } from '../weights.js'

type WeightInitialiser = ReturnType<typeof initializers.zeros>
type AddWeightGiven = [
  name: string,
  shape: Shape,
  dtype?: 'float32',
  initialiser?: WeightInitialiser,
  ...others: unknown[]
]

/** The method by which layers create their weights, which is protected. */
interface Builder {
  addWeight(this: Layer, ...given: AddWeightGiven): LayerVariable
}

/**
 * Builds a model whose weights take memory when they are first read or written: of a stage's layers, never of the
 * others. Until then a weight has its shape, and its initialiser.
 */
export async function withLateWeights<Result>(build: () => Result | Promise<Result>): Promise<Result> {
  const prototype = tf.layers.Layer.prototype as unknown as Builder
  const { addWeight } = prototype
  prototype.addWeight = function (...given) {
    const [name, shape, dtype, initialiser, ...others] = given
    // Another initialiser would take its place.
    if (initialiser === undefined || Reflect.get(this, 'fastWeightInitDuringBuild') === true)
      return addWeight.apply(this, given)
    const late = { apply: hollow } as unknown as WeightInitialiser
    const variable = addWeight.call(this, name, shape, dtype, late, ...others)
    fillLate(variable, () => initialiser.apply(shape, dtype))
    return variable
  }
  try {
    return await build()
  } finally {
    prototype.addWeight = addWeight
  }
}

/** A tensor of this shape with room for one number. Nothing may compute with it. */
function hollow(shape: Shape, dtype: 'float32' = 'float32') {
  const engine = core.engine()
  const one = tf.zeros([1], dtype)
  engine.backend.incRef(one.dataId)
  const tensor = engine.makeTensorFromTensorInfo({ dataId: one.dataId, shape: shape.map(Number), dtype })
  one.dispose()
  return tensor
}

/** Fills a hollow variable with its first value when it is read before anything is written to it. */
function fillLate(variable: LayerVariable, first: () => ReturnType<typeof hollow>): void {
  const { read, write } = variable
  const fill = () => {
    Object.assign(variable, { read, write })
    tf.tidy(() => {
      write.call(variable, first())
    })
  }
  variable.read = () => {
    fill()
    return variable.read()
  }
  variable.write = (value) => {
    Object.assign(variable, { read, write })
    return variable.write(value)
  }
}
