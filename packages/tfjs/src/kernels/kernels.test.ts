import { createRandom } from '@murmuration/random'
import '@tensorflow/tfjs-backend-cpu'
import { engine, setBackend, type Tensor, tensor, tidy } from '@tensorflow/tfjs-core'
import test from 'ava'
import { chooseBackend } from '../backend.js'

type Shapes = Readonly<Record<string, readonly number[]>>
type Attributes = Parameters<ReturnType<typeof engine>['runKernel']>[2]
type Padding = 'same' | 'valid' | [[number, number], [number, number], [number, number], [number, number]]

/**
 * The output of a kernel on a backend, from inputs that are drawn in the same way each time. Integers, so that there
 * are ties.
 */
async function outcome(backend: string, kernel: string, shapes: Shapes, attributes: Attributes, draw: Draw) {
  while (!(await setBackend(backend))) throw new Error(`${backend} does not start`)
  return tidy(() => {
    const inputs = Object.entries(shapes).map(([name, shape]) => [name, draw(name, [...shape])] as const)
    const output = engine().runKernel<Tensor>(kernel, Object.fromEntries(inputs), attributes)
    return { shape: output.shape, values: Array.from(output.dataSync<'float32'>()) }
  })
}

type Draw = (name: string, shape: number[]) => Tensor

const integers: Draw = (name, shape) => {
  const random = createRandom(1, name)
  return tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random.integer(7) - 3),
    shape
  )
}

const rows: Draw = (name, shape) =>
  name === 'segmentIds' ? tensor([4, 0, 4, 2, 9, 0], shape, 'int32') : integers(name, shape)

function sameOnBoth(title: string, kernel: string, shapes: Shapes, attributes: Attributes, draw = integers) {
  test.serial(`${kernel} of the WASM backend gives what plain JavaScript gives: ${title}`, async (t) => {
    await chooseBackend('wasm')
    const wasm = await outcome('wasm', kernel, shapes, attributes, draw)
    const cpu = await outcome('cpu', kernel, shapes, attributes, draw)
    t.deepEqual(wasm.shape, cpu.shape)
    t.true(cpu.values.some((value) => value !== 0))
    const worst = wasm.values.reduce((most, value, index) => Math.max(most, Math.abs(value - cpu.values[index])), 0)
    // Sums of small whole numbers are exact in float32, in any order; averages are not.
    t.true(worst <= (kernel === 'AvgPool' ? 1e-6 : 0), `the largest difference is ${worst}`)
  })
}

interface Call {
  readonly kernel: string
  readonly shapes: Shapes
  readonly attributes: Attributes
}

/**
 * The forward pass is linear in `variable`, so the derivative of `⟨dy, forward⟩` by its k-th element is
 * `⟨dy, forward(e_k)⟩` with e_k the k-th unit vector. Plain JavaScript's gradients are no reference here: they ignore
 * dilations and count padding into averages.
 */
function isGradientOf(title: string, gradient: Call, variable: string, forward: Call) {
  test.serial(`${gradient.kernel} is the gradient of ${forward.kernel}: ${title}`, async (t) => {
    await chooseBackend('wasm')
    const found = await outcome('wasm', gradient.kernel, gradient.shapes, gradient.attributes, integers)
    await setBackend('cpu')
    const expected = tidy(() => {
      const dy = integers('dy', [...gradient.shapes.dy]).dataSync<'float32'>()
      const size = forward.shapes[variable].reduce((product, extent) => product * extent, 1)
      return Array.from({ length: size }, (_, k) => tidy(() => inner(dy, forwardAt(forward, variable, k))))
    })
    const worst = found.values.reduce((most, value, k) => Math.max(most, Math.abs(value - expected[k])), 0)
    t.is(found.values.length, expected.length)
    t.true(worst < 1e-5, `the largest error is ${worst}`)
  })
}

/** The forward pass on plain JavaScript where `variable` is the k-th unit vector. */
function forwardAt({ kernel, shapes, attributes }: Call, variable: string, k: number): Float32Array {
  const unit: Draw = (_, shape) => {
    const values = new Float32Array(shape.reduce((product, extent) => product * extent, 1))
    values[k] = 1
    return tensor(values, shape)
  }
  const inputs = Object.entries(shapes).map(([name, shape]) => [
    name,
    (name === variable ? unit : integers)(name, [...shape])
  ])
  const output = engine().runKernel<Tensor>(kernel, Object.fromEntries(inputs), attributes)
  return output.dataSync<'float32'>()
}

function inner(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * right[index], 0)
}

interface Convolution {
  readonly height: number
  readonly width: number
  readonly filter: readonly [number, number]
  readonly strides: [number, number]
  readonly pad: Padding
  readonly channels: readonly [number, number]
  readonly dilations?: [number, number]
}

const convolutions: readonly Convolution[] = [
  { height: 7, width: 6, filter: [3, 3], strides: [1, 1], pad: 'same', channels: [2, 3] },
  { height: 7, width: 6, filter: [3, 2], strides: [1, 1], pad: 'valid', channels: [1, 4] },
  { height: 8, width: 8, filter: [3, 3], strides: [2, 2], pad: 'same', channels: [3, 2] },
  { height: 9, width: 7, filter: [5, 4], strides: [2, 3], pad: 'same', channels: [2, 2] },
  { height: 10, width: 8, filter: [3, 3], strides: [3, 2], pad: 'valid', channels: [2, 5] },
  { height: 6, width: 6, filter: [1, 1], strides: [1, 1], pad: 'same', channels: [3, 4] },
  { height: 7, width: 6, filter: [1, 1], strides: [2, 2], pad: 'valid', channels: [3, 4] },
  { height: 5, width: 5, filter: [2, 2], strides: [3, 3], pad: 'valid', channels: [1, 1] },
  {
    height: 6,
    width: 5,
    filter: [3, 3],
    strides: [1, 1],
    pad: [
      [0, 0],
      [2, 1],
      [0, 2],
      [0, 0]
    ],
    channels: [2, 2]
  },
  { height: 1, width: 9, filter: [1, 3], strides: [1, 1], pad: 'same', channels: [4, 2] }
]

for (const { height, width, filter, strides, pad, channels, dilations = [1, 1] } of convolutions) {
  const inputShape = [2, height, width, channels[0]]
  const [outHeight, outWidth] = [0, 1].map((axis) =>
    outExtent([height, width][axis], filter[axis], strides[axis], 1, pad, axis)
  )
  const attributes = { strides, pad, dilations, dataFormat: 'NHWC' }
  const title = `${height}×${width}, filter ${filter}, strides ${strides}, ${JSON.stringify(pad)}, channels ${channels}`
  const dy = [2, outHeight, outWidth, channels[1]]
  const filterShape = [...filter, ...channels]
  sameOnBoth(title, 'Conv2DBackpropFilter', { x: inputShape, dy }, { ...attributes, filterShape })
  sameOnBoth(title, 'Conv2DBackpropInput', { dy, filter: filterShape }, { ...attributes, inputShape })
}

const depthwise: readonly Convolution[] = [
  { height: 7, width: 6, filter: [3, 3], strides: [1, 1], pad: 'same', channels: [3, 1] },
  { height: 8, width: 7, filter: [3, 2], strides: [2, 2], pad: 'same', channels: [2, 1] },
  { height: 8, width: 7, filter: [3, 3], strides: [1, 1], pad: 'valid', channels: [2, 3] },
  { height: 9, width: 9, filter: [3, 3], strides: [1, 1], pad: 'same', channels: [2, 2], dilations: [2, 3] },
  { height: 9, width: 9, filter: [3, 3], strides: [1, 1], pad: 'valid', channels: [4, 1], dilations: [2, 2] },
  { height: 7, width: 7, filter: [2, 2], strides: [3, 3], pad: 'valid', channels: [2, 2] }
]

for (const { height, width, filter, strides, pad, channels, dilations = [1, 1] } of depthwise) {
  const x = [2, height, width, channels[0]]
  const [outHeight, outWidth] = [0, 1].map((axis) =>
    outExtent([height, width][axis], filter[axis], strides[axis], dilations[axis], pad, axis)
  )
  const attributes = { strides, pad, dilations, dataFormat: 'NHWC' }
  const title = `${height}×${width}, filter ${filter}, strides ${strides}, dilations ${dilations}, ${pad}, channels ${channels}`
  const dy = [2, outHeight, outWidth, channels[0] * channels[1]]
  const filterShape = [...filter, ...channels]
  const forward = { kernel: 'DepthwiseConv2dNative', shapes: { x, filter: filterShape }, attributes }
  const filterKernel = { kernel: 'DepthwiseConv2dNativeBackpropFilter', attributes: { ...attributes, filterShape } }
  const inputKernel = { kernel: 'DepthwiseConv2dNativeBackpropInput', attributes: { ...attributes, inputShape: x } }
  isGradientOf(title, { ...filterKernel, shapes: { x, dy } }, 'filter', forward)
  isGradientOf(title, { ...inputKernel, shapes: { dy, filter: filterShape } }, 'x', forward)
}

for (const [size, stride, pad] of [
  [2, 2, 'same'],
  [2, 2, 'valid'],
  [3, 2, 'same'],
  [3, 1, 'same'],
  [2, 3, 'valid']
] as const) {
  const [height, width] = [7, 6].map((extent) => outExtent(extent, size, stride, 1, pad, 0))
  const attributes = { filterSize: size, strides: stride, pad }
  const x = [2, 7, 6, 3]
  const dy = [2, height, width, 3]
  const title = `windows ${size}, strides ${stride}, ${pad}`
  sameOnBoth(title, 'MaxPoolGrad', { dy, input: x, output: dy }, attributes)
  const average = { kernel: 'AvgPoolGrad', shapes: { dy, input: x }, attributes }
  sameOnBoth(title, 'AvgPool', { x }, attributes)
  isGradientOf(title, average, 'x', { kernel: 'AvgPool', shapes: { x }, attributes })
}

sameOnBoth('first factor', 'BatchMatMul', { a: [2, 5, 3], b: [2, 5, 4] }, { transposeA: true, transposeB: false })
sameOnBoth('second factor', 'BatchMatMul', { a: [2, 3, 5], b: [1, 4, 5] }, { transposeA: false, transposeB: true })
sameOnBoth('both factors', 'BatchMatMul', { a: [1, 5, 3], b: [1, 4, 5] }, { transposeA: true, transposeB: true })
sameOnBoth('no factor', 'BatchMatMul', { a: [1, 3, 5], b: [1, 5, 4] }, { transposeA: false, transposeB: false })
sameOnBoth(
  'rows repeated, absent, and outside',
  'UnsortedSegmentSum',
  { x: [6, 2, 3], segmentIds: [6] },
  { numSegments: 5 },
  rows
)
const indices: Draw = (_, shape) => tensor([2, 0, 1, 3], shape, 'int32')
sameOnBoth('float32', 'OneHot', { indices: [4] }, { depth: 4, onValue: 1, offValue: 0, dtype: 'float32' }, indices)
sameOnBoth(
  'float32 values',
  'OneHot',
  { indices: [4] },
  { depth: 3, onValue: 2.5, offValue: -1, dtype: 'float32' },
  indices
)
sameOnBoth('integers', 'OneHot', { indices: [4] }, { depth: 4, onValue: 1, offValue: 0, dtype: 'int32' }, indices)

/** The extent of a convolution's output, from the definition of the paddings. */
function outExtent(
  extent: number,
  filter: number,
  stride: number,
  dilation: number,
  pad: Padding,
  axis: number
): number {
  if (pad === 'same') return Math.ceil(extent / stride)
  const reach = (filter - 1) * dilation + 1
  const around = pad === 'valid' ? 0 : pad[axis + 1][0] + pad[axis + 1][1]
  return Math.floor((extent + around - reach) / stride) + 1
}
