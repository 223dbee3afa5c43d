/**
 * Published networks of which only the shape counts: how many numbers each layer has, weights and biases together, and
 * what it takes to compute it. A training step on a sample takes `multiplyAdds` in the forward pass, as many again for
 * the gradient of the layer's weights, and as many for that of its inputs, which the first layer does not need.
 */
export interface NetworkLayer {
  readonly numbers: number
  /** In the forward pass of one sample. */
  readonly multiplyAdds: number
}

/** A convolution with square kernels, and square outputs of `size` × `size`. */
function convolution(inputs: number, outputs: number, size: number, kernel: number): NetworkLayer {
  const weights = inputs * outputs * kernel ** 2
  return { numbers: weights + outputs, multiplyAdds: weights * size ** 2 }
}

function dense(inputs: number, outputs: number): NetworkLayer {
  return { numbers: inputs * outputs + outputs, multiplyAdds: inputs * outputs }
}

export const networks = {
  /** Simonyan & Zisserman, arXiv 1409.1556, configuration A: images of 224 × 224. */
  'vgg-a': [
    convolution(3, 64, 224, 3),
    convolution(64, 128, 112, 3),
    convolution(128, 256, 56, 3),
    convolution(256, 256, 56, 3),
    convolution(256, 512, 28, 3),
    convolution(512, 512, 28, 3),
    convolution(512, 512, 14, 3),
    convolution(512, 512, 14, 3),
    dense(512 * 7 * 7, 4096),
    dense(4096, 4096),
    dense(4096, 1000)
  ],
  /** The fast network of OverFeat, as the convnet-benchmarks of Chintala have it: images of 231 × 231. */
  'overfeat-fast': [
    convolution(3, 96, 56, 11),
    convolution(96, 256, 24, 5),
    convolution(256, 512, 12, 3),
    convolution(512, 1024, 12, 3),
    convolution(1024, 1024, 12, 3),
    dense(1024 * 6 * 6, 3072),
    dense(3072, 4096),
    dense(4096, 1000)
  ],
  /** A network for speech with seven hidden layers of 2,048. How many inputs and outputs it has is our assumption. */
  'cd-dnn': [dense(429, 2048), ...Array.from({ length: 6 }, () => dense(2048, 2048)), dense(2048, 9304)]
} as const satisfies Readonly<Record<string, readonly NetworkLayer[]>>

/** The multiplications and additions of a training step on one sample. */
export function stepOperations(layers: readonly NetworkLayer[]): number {
  return 2 * (3 * sumOf(layers) - layers[0].multiplyAdds)
}

/**
 * For each layer, the fraction of a training step after which the gradient of its weights is ready: after the forward
 * pass, from the last layer on, first that of the weights, then that of the inputs.
 */
export function readyAt(layers: readonly NetworkLayer[]): readonly number[] {
  const total = 3 * sumOf(layers) - layers[0].multiplyAdds
  let done = total
  return layers.map(({ multiplyAdds }, index) => {
    // After this layer's weights come its inputs, then the weights of the layer before.
    if (index > 0) done -= multiplyAdds + layers[index - 1].multiplyAdds
    return done / total
  })
}

function sumOf(layers: readonly NetworkLayer[]): number {
  return layers.reduce((sum, { multiplyAdds }) => sum + multiplyAdds, 0)
}
