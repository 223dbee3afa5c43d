import type { DataType, Tensor } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'

// The operations whose first argument is the tensor itself.
const direct = `abs acos acosh add all any argMax argMin asin asinh atan atan2 atanh batchToSpaceND batchNorm broadcastTo
  cast ceil clipByValue conv1d conv2d cos cosh cumprod cumsum depthToSpace div divNoNan dot elu equal erf euclideanNorm exp
  expandDims expm1 floor floorDiv gather greater greaterEqual isFinite isInf isNaN leakyRelu less lessEqual log log1p
  logSigmoid logSoftmax logSumExp logicalAnd logicalNot logicalOr logicalXor matMul max maximum mean min minimum mirrorPad
  mod mul neg norm notEqual oneHot onesLike pad pool pow prelu prod reciprocal relu relu6 reshape reverse round rsqrt selu
  sigmoid sign sin sinh slice softmax softplus spaceToBatchND split sqrt square squaredDifference squeeze step stridedSlice
  sub sum tan tanh tile topk transpose unique unstack zerosLike avgPool maxPool depthwiseConv2d separableConv2d
  conv2dTranspose localResponseNormalization`

type TensorMethod = (self: Tensor, ...given: readonly unknown[]) => unknown

const others: Readonly<Record<string, TensorMethod>> = {
  flatten: (self) => core.reshape(self, [self.size]),
  as1D: (self) => core.reshape(self, [self.size]),
  as2D: (self, ...shape) => core.reshape(self, shape as number[]),
  as3D: (self, ...shape) => core.reshape(self, shape as number[]),
  as4D: (self, ...shape) => core.reshape(self, shape as number[]),
  as5D: (self, ...shape) => core.reshape(self, shape as number[]),
  asScalar: (self) => core.reshape(self, []),
  asType: (self, type) => core.cast(self, type as DataType),
  toBool: (self) => core.cast(self, 'bool'),
  toFloat: (self) => core.cast(self, 'float32'),
  toInt: (self) => core.cast(self, 'int32'),
  reshapeAs: (self, other) => core.reshape(self, (other as Tensor).shape),
  concat: (self, more, axis) => core.concat([self, ...listOf(more)], axis as number),
  stack: (self, more, axis) => core.stack([self, ...listOf(more)], axis as number),
  where: (self, condition, other) => core.where(condition as Tensor, self, other as Tensor)
}

/**
 * Gives tensors their operations as methods: `x.reshape(shape)` for `reshape(x, shape)`. TensorFlow.js's own gradients
 * and layers (orthogonal initialisers, gathering) call such methods, but the package that adds them also brings
 * backends for browsers. Existing methods are kept.
 */
export function addChainedOperations(): void {
  for (const name of direct.split(/\s+/)) {
    const operation: unknown = Reflect.get(core, name)
    if (typeof operation === 'function')
      define(name, (self, ...given) => Reflect.apply(operation, core, [self, ...given]))
  }
  for (const [name, method] of Object.entries(others)) define(name, method)
}

function define(name: string, method: TensorMethod): void {
  if (name in core.Tensor.prototype) return
  Object.defineProperty(core.Tensor.prototype, name, {
    configurable: true,
    writable: true,
    value(this: Tensor, ...given: readonly unknown[]) {
      return method(this, ...given)
    }
  })
}

function listOf(more: unknown): readonly Tensor[] {
  return (Array.isArray(more) ? more : [more]) as readonly Tensor[]
}
