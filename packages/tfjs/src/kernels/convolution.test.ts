import { createRandom } from '@murmuration/random'
import '@tensorflow/tfjs-backend-cpu'
import { backend_util, engine, setBackend, type Tensor, tensor, tidy } from '@tensorflow/tfjs-core'
import test from 'ava'
import fc from 'fast-check'
import { chooseBackend } from '../backend.js'

type Inputs = Readonly<Record<string, { readonly shape: number[]; readonly values: Float32Array }>>

/** The output of a kernel on a backend. */
async function outcome(backend: string, kernel: string, inputs: Inputs, attributes: object): Promise<number[]> {
  while (!(await setBackend(backend))) throw new Error(`${backend} does not start`)
  return tidy(() => {
    const tensors = Object.entries(inputs).map(([name, { shape, values }]) => [name, tensor(values, shape)] as const)
    const output = engine().runKernel<Tensor>(kernel, Object.fromEntries(tensors), { ...attributes })
    return [...output.shape, ...output.dataSync<'float32'>()]
  })
}

/** Small whole numbers, whose sums are exact in float32, in any order. */
function drawn(seed: number, name: string, shape: number[]) {
  const random = createRandom(seed, name)
  const size = shape.reduce((product, extent) => product * extent, 1)
  return { shape, values: Float32Array.from({ length: size }, () => random.integer(7) - 3) }
}

const one = (most: number) => fc.integer({ min: 1, max: most })
const explicit = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)).map(([top, bottom, left, right]) => [
  [0, 0],
  [top, bottom],
  [left, right],
  [0, 0]
])

const convolutions = fc
  .record({
    samples: fc.nat(3),
    extents: fc.tuple(one(9), one(9)),
    filter: fc.tuple(one(4), one(4)),
    channels: fc.tuple(one(6), one(10)),
    strides: fc.tuple(one(3), one(3)),
    pad: fc.oneof(fc.constantFrom('same', 'valid'), explicit),
    seed: fc.integer()
  })
  .map(({ samples, extents, filter, channels, ...rest }) => {
    const shapes = { x: [samples, ...extents, channels[0]], filter: [...filter, ...channels] }
    return { ...rest, ...shapes, dataFormat: 'NHWC' as const }
  })

type Convolution = typeof convolutions extends fc.Arbitrary<infer Value> ? Value : never

function outputShape({ x, filter, strides, pad }: Convolution, dilations: number | [number, number] = 1): number[] {
  const [inputs, taps] = [x, filter] as [number, number, number, number][]
  return backend_util.computeConv2DInfo(inputs, taps, strides, dilations, pad as 'same').outShape
}

const timeout = 120_000

test.serial(
  'a convolution is that of plain JavaScript, whatever extents, strides, paddings and dilations',
  async (t) => {
    t.timeout(timeout)
    await chooseBackend('wasm')
    const dilations = fc.tuple(one(3), one(3))
    await fc.assert(
      fc.asyncProperty(convolutions, dilations, async (given, dilations) => {
        fc.pre(outputShape(given, dilations).every((extent, axis) => axis === 0 || extent > 0))
        const inputs = { x: drawn(given.seed, 'x', given.x), filter: drawn(given.seed, 'filter', given.filter) }
        const wasm = await outcome('wasm', 'Conv2D', inputs, { ...given, dilations })
        t.deepEqual(wasm, await outcome('cpu', 'Conv2D', inputs, { ...given, dilations }))
      }),
      { numRuns: 150 }
    )
  }
)

test.serial('both gradients of a convolution are those of plain JavaScript', async (t) => {
  t.timeout(timeout)
  await chooseBackend('wasm')
  await fc.assert(
    fc.asyncProperty(convolutions, async (given) => {
      const output = outputShape(given)
      fc.pre(output.every((extent, axis) => axis === 0 || extent > 0))
      const dy = drawn(given.seed, 'dy', output)
      const ofFilter = { x: drawn(given.seed, 'x', given.x), dy }
      const filterAttributes = { ...given, filterShape: given.filter }
      t.deepEqual(
        await outcome('wasm', 'Conv2DBackpropFilter', ofFilter, filterAttributes),
        await outcome('cpu', 'Conv2DBackpropFilter', ofFilter, filterAttributes)
      )
      if (given.x[0] === 0) return
      const ofInput = { dy, filter: drawn(given.seed, 'filter', given.filter) }
      const inputAttributes = { ...given, inputShape: given.x }
      t.deepEqual(
        await outcome('wasm', 'Conv2DBackpropInput', ofInput, inputAttributes),
        await outcome('cpu', 'Conv2DBackpropInput', ofInput, inputAttributes)
      )
    }),
    { numRuns: 100 }
  )
})

test.serial('images that are padded some at a time give the same', async (t) => {
  t.timeout(timeout)
  await chooseBackend('wasm')
  const attributes = { strides: 2, pad: 'same', dilations: 1, dataFormat: 'NHWC', filterShape: [3, 3, 33, 2] }
  const x = drawn(1, 'x', [5, 64, 64, 33])
  const inputs = { x, filter: drawn(1, 'filter', [3, 3, 33, 2]) }
  const gradient = { x, dy: drawn(1, 'dy', [5, 32, 32, 2]) }
  for (const [kernel, given] of [['Conv2D', inputs] as const, ['Conv2DBackpropFilter', gradient] as const]) {
    t.deepEqual(
      await outcome('wasm', kernel, given, attributes),
      await outcome('cpu', kernel, given, attributes),
      kernel
    )
  }
})

for (const activation of ['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu']) {
  test.serial(`a fused convolution with bias and ${activation} is that of plain JavaScript`, async (t) => {
    await chooseBackend('wasm')
    const attributes = { strides: 1, pad: 'same', dilations: 1, dataFormat: 'NHWC', activation, leakyreluAlpha: 0.3 }
    const inputs: Record<string, Inputs[string]> = {
      x: drawn(1, 'x', [2, 5, 4, 3]),
      filter: drawn(1, 'filter', [3, 2, 3, 10]),
      bias: drawn(1, 'bias', [10])
    }
    if (activation === 'prelu') inputs.preluActivationWeights = drawn(1, 'weights', [10])
    const wasm = await outcome('wasm', 'FusedConv2D', inputs, attributes)
    const cpu = await outcome('cpu', 'FusedConv2D', inputs, attributes)
    const worst = wasm.reduce((most, value, k) => Math.max(most, Math.abs(value - cpu[k])), 0)
    t.true(worst < 1e-5, `the largest difference is ${worst}`)
  })
}

test.serial('a number that is none stays one through a fused convolution with a ReLU', async (t) => {
  await chooseBackend('wasm')
  const attributes = { strides: 1, pad: 'valid', dilations: 1, dataFormat: 'NHWC', activation: 'relu' }
  const x = drawn(1, 'x', [1, 4, 4, 2])
  x.values[3] = Number.NaN
  x.values[9] = Number.NEGATIVE_INFINITY
  const inputs = { x, filter: drawn(1, 'filter', [2, 2, 2, 9]), bias: drawn(1, 'bias', [9]) }
  const wasm = await outcome('wasm', 'FusedConv2D', inputs, attributes)
  t.deepEqual(
    wasm.map((value) => value + 0),
    (await outcome('cpu', 'FusedConv2D', inputs, attributes)).map((value) => value + 0)
  )
})
