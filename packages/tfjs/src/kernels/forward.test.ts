import '@tensorflow/tfjs-backend-cpu'
import { createRandom } from '@murmuration/random'
import {
  avgPool,
  conv2d,
  depthwiseConv2d,
  fused,
  maxPool,
  setBackend,
  type Tensor3D,
  type Tensor4D,
  tensor4d,
  tidy
} from '@tensorflow/tfjs-core'
import test from 'ava'
import { chooseBackend } from '../backend.js'

interface Case {
  readonly height: number
  readonly width: number
  readonly filter: readonly [number, number]
  readonly stride: number
  readonly pad: 'same' | 'valid'
}

/** Sizes 4 to 8, square and not, filters of 1 to 5 taps each way, strides 1 to 4, both paddings. */
function* grid(): Generator<Case> {
  for (const height of [4, 5, 6, 7, 8]) {
    for (const width of [height, height + 1]) {
      for (const filterHeight of [1, 2, 3, 4, 5]) {
        for (const filterWidth of [1, 2, 3, 4, 5]) {
          for (const stride of [1, 2, 3, 4]) {
            const filter = [filterHeight, filterWidth] as const
            yield { height, width, filter, stride, pad: 'same' }
            if (filterHeight <= height && filterWidth <= width) yield { height, width, filter, stride, pad: 'valid' }
          }
        }
      }
    }
  }
}

type Operation = (x: Tensor4D, draw: (outputs: number) => Tensor4D, given: Case) => Tensor4D | Tensor3D

const operations: Readonly<Record<string, Operation>> = {
  'convolution': (x, draw, { stride, pad }) => conv2d(x, draw(3), stride, pad),
  'fused convolution': (x, draw, { stride, pad }) =>
    fused.conv2d({ x, filter: draw(3), strides: stride, pad, activation: 'relu' }),
  'depthwise convolution': (x, draw, { stride, pad }) => depthwiseConv2d(x, draw(2), stride, pad),
  'fused depthwise convolution': (x, draw, { stride, pad }) =>
    fused.depthwiseConv2d({ x, filter: draw(2), strides: stride, pad, activation: 'relu' }),
  'maximum pooling': (x, _, { filter, stride, pad }) => maxPool(x, [...filter], stride, pad),
  'average pooling': (x, _, { filter, stride, pad }) => avgPool(x, [...filter], stride, pad)
}

for (const [title, operation] of Object.entries(operations)) {
  test.serial(
    `forward, the WASM backend gives what plain JavaScript gives, whatever sizes and strides: ${title}`,
    async (t) => {
      await chooseBackend('wasm')
      const cases = [...grid()]
      const outcome = async (backend: string) => {
        while (!(await setBackend(backend)));
        return cases.map((given) =>
          tidy(() =>
            operation(
              drawn('x', [1, given.height, given.width, 2]),
              (outputs) => drawn('filter', [...given.filter, 2, outputs]),
              given
            ).dataSync()
          )
        )
      }
      const wasm = await outcome('wasm')
      const cpu = await outcome('cpu')
      // Sums of small whole numbers are exact in float32, in any order; averages are not.
      const isSame = (index: number) =>
        wasm[index].length === cpu[index].length &&
        wasm[index].every((value, k) => Math.abs(value - cpu[index][k]) < 1e-5)
      t.true(cases.length > 1540)
      t.deepEqual(
        cases.filter((_, index) => !isSame(index)),
        []
      )
    }
  )
}

/** Small whole numbers, among them zeros. */
function drawn(name: string, shape: [number, number, number, number]): Tensor4D {
  const random = createRandom(1, name)
  return tensor4d(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.integer(7) - 3),
    shape
  )
}
