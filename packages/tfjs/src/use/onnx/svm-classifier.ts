import { encodeOnnx } from './messages.js'

/** A support vector machine of two classes, as LIBSVM has it. */
export interface SvmClassifierParts {
  readonly kernel: 'LINEAR' | 'RBF' | 'POLY'
  readonly gamma: number
  readonly coef0: number
  readonly degree: number
  /** Of class 0 and class 1: whole numbers. */
  readonly labels: readonly [number, number]
  /** The inputs of the support vectors: those of class 0, then those of class 1; and how many each has. */
  readonly support: readonly Float32Array[]
  readonly counts: readonly [number, number]
  /** α y of each, y = 1 for class 1. */
  readonly coefficients: Float64Array
  readonly bias: number
}

/**
 * An ONNX file with one SVMClassifier (ai.onnx.ml 1). Its input is `input`, its outputs are `label` and `scores`. With
 * ONNX Runtime a row of `scores` is the decision value and its negative.
 */
export function svmClassifierFile(
  { kernel, gamma, coef0, degree, labels, support, counts, coefficients, bias }: SvmClassifierParts,
  metadata: Readonly<Record<string, string>>
): Uint8Array {
  const attributes = {
    classlabels_ints: { ints: labels },
    coefficients: { floats: coefficients.map((each) => -each) },
    kernel_params: { floats: [gamma, coef0, degree] },
    kernel_type: { text: kernel },
    post_transform: { text: 'NONE' },
    rho: { floats: [-bias] },
    support_vectors: { floats: support.flatMap((each) => [...each]) },
    vectors_per_class: { ints: counts }
  }
  const node = { operator: 'SVMClassifier', inputs: ['input'], output: 'label', second: 'scores', attributes } as const
  return encodeOnnx({
    nodes: [{ ...node, domain: 'ai.onnx.ml' }],
    tensors: [],
    input: { name: 'input', shape: [null, support[0]?.length ?? 0] },
    output: { name: 'label', shape: [null], areIntegers: true },
    second: { name: 'scores', shape: [null, 2] },
    metadata
  })
}
