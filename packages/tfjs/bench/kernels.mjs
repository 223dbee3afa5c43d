/**
 * Times every kernel that this package adds to the WASM backend against the one that it replaces, or against the plain
 * JavaScript backend where WASM has none. Run by hand after a build: `node packages/tfjs/bench/kernels.mjs`.
 */
import '@tensorflow/tfjs-backend-cpu'
import '@tensorflow/tfjs-backend-wasm'
import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-layers'
import { registerTrainingKernels } from '../dist/kernels/index.js'

const budget = 300

const random = (...shape) => tf.randomNormal(shape)
const run = (name, inputs, attributes) => tf.engine().runKernel(name, inputs, attributes)
const convolution = (strides, pad, extra) => ({
  strides,
  pad,
  dataFormat: 'NHWC',
  dimRoundingMode: undefined,
  ...extra
})

/** Name, the kernel, and a function that creates its inputs and attributes. */
const cases = [
  [
    'xᵀ·dy 32×784 · 32×128',
    'BatchMatMul',
    () => [
      { a: random(1, 32, 784), b: random(1, 32, 128) },
      { transposeA: true, transposeB: false }
    ]
  ],
  [
    'dy·wᵀ 32×128 · 784×128',
    'BatchMatMul',
    () => [
      { a: random(1, 32, 128), b: random(1, 784, 128) },
      { transposeA: false, transposeB: true }
    ]
  ],
  [
    'dy·wᵀ 32×10 · 128×10',
    'BatchMatMul',
    () => [
      { a: random(1, 32, 10), b: random(1, 128, 10) },
      { transposeA: false, transposeB: true }
    ]
  ],
  [
    'filter 3×3, 28×28, 1 to 8',
    'Conv2DBackpropFilter',
    () => [
      { x: random(32, 28, 28, 1), dy: random(32, 28, 28, 8) },
      convolution(1, 'same', { filterShape: [3, 3, 1, 8] })
    ]
  ],
  [
    'filter 3×3, 14×14, 8 to 16',
    'Conv2DBackpropFilter',
    () => [
      { x: random(32, 14, 14, 8), dy: random(32, 14, 14, 16) },
      convolution(1, 'same', { filterShape: [3, 3, 8, 16] })
    ]
  ],
  [
    'filter 1×1, 16×16, 32 to 64',
    'Conv2DBackpropFilter',
    () => [
      { x: random(8, 16, 16, 32), dy: random(8, 16, 16, 64) },
      convolution(1, 'same', { filterShape: [1, 1, 32, 64] })
    ]
  ],
  [
    'input 3×3, 14×14, 8 to 16',
    'Conv2DBackpropInput',
    () => [
      { dy: random(32, 14, 14, 16), filter: random(3, 3, 8, 16) },
      convolution(1, 'same', { inputShape: [32, 14, 14, 8] })
    ]
  ],
  [
    'input 3×3 by 2, 14×14, 8 to 16',
    'Conv2DBackpropInput',
    () => [
      { dy: random(32, 7, 7, 16), filter: random(3, 3, 8, 16) },
      convolution(2, 'same', { inputShape: [32, 14, 14, 8] })
    ]
  ],
  [
    'input 3×3, 16×16, 32 to 64',
    'Conv2DBackpropInput',
    () => [
      { dy: random(8, 16, 16, 64), filter: random(3, 3, 32, 64) },
      convolution(1, 'same', { inputShape: [8, 16, 16, 32] })
    ]
  ],
  [
    'depthwise filter 3×3, 14×14, 16',
    'DepthwiseConv2dNativeBackpropFilter',
    () => [
      { x: random(32, 14, 14, 16), dy: random(32, 14, 14, 16) },
      convolution(1, 'same', { dilations: 1, filterShape: [3, 3, 16, 1] })
    ]
  ],
  [
    'depthwise input 3×3, 14×14, 16',
    'DepthwiseConv2dNativeBackpropInput',
    () => [
      { dy: random(32, 14, 14, 16), filter: random(3, 3, 16, 1) },
      convolution(1, 'same', { dilations: 1, inputShape: [32, 14, 14, 16] })
    ]
  ],
  [
    'max pool 2×2, 28×28, 8',
    'MaxPoolGrad',
    () => [
      { dy: random(32, 14, 14, 8), input: random(32, 28, 28, 8), output: random(32, 14, 14, 8) },
      { filterSize: 2, strides: 2, pad: 'same' }
    ]
  ],
  [
    'average pool 2×2, 28×28, 8',
    'AvgPoolGrad',
    () => [
      { dy: random(32, 14, 14, 8), input: random(32, 28, 28, 8) },
      { filterSize: 2, strides: 2, pad: 'same' }
    ]
  ],
  [
    'embedding 1000×32, 32×20 rows',
    'UnsortedSegmentSum',
    () => [
      { x: random(640, 32), segmentIds: tf.cast(tf.randomUniform([640], 0, 1000), 'int32') },
      { numSegments: 1000 }
    ]
  ]
]

tf.enableProdMode()
const before = []
for (const [, kernel, make] of cases)
  before.push(await time(tf.getKernel(kernel, 'wasm') ? 'wasm' : 'cpu', kernel, make))
registerTrainingKernels()
process.stdout.write(`${'kernel'.padEnd(36)}${'before'.padStart(18)}${'now'.padStart(12)}\n`)
for (const [index, [title, kernel, make]] of cases.entries()) {
  const now = await time('wasm', kernel, make)
  const was = `${before[index].backend} ${before[index].milliseconds.toFixed(2)} ms`
  process.stdout.write(`${title.padEnd(36)}${was.padStart(18)}${`${now.milliseconds.toFixed(2)} ms`.padStart(12)}\n`)
}

/** The fastest of the runs within the budget, in milliseconds. */
async function time(backend, kernel, make) {
  await tf.setBackend(backend)
  const [inputs, attributes] = make()
  let milliseconds = Number.POSITIVE_INFINITY
  const end = performance.now() + budget
  while (performance.now() < end) {
    const start = performance.now()
    tf.tidy(() => {
      run(kernel, inputs, attributes).dataSync()
    })
    milliseconds = Math.min(milliseconds, performance.now() - start)
  }
  tf.dispose(inputs)
  return { backend, milliseconds }
}
