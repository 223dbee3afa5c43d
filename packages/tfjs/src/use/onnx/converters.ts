/**
 * How each kind of layer is written as operators of ONNX (github.com/onnx/onnx/blob/main/docs/Operators.md, operator
 * set 13).
 */
import { InputError } from '@murmuration/core'
import type { NamedTensor } from '@murmuration/vectors'
import { causalAttention, embedding, positionEmbedding } from './attention.js'
import { axesMoved, scaleAndShift } from './axes.js'
import type { Conversion, Converter } from './conversion.js'
import type { Attribute } from './messages.js'

const activations = new Map([
  ['elu', 'Elu'],
  ['relu', 'Relu'],
  ['selu', 'Selu'],
  ['sigmoid', 'Sigmoid'],
  ['softmax', 'Softmax'],
  ['softplus', 'Softplus'],
  ['softsign', 'Softsign'],
  ['tanh', 'Tanh']
])

/** A value after the layer's activation, if it has one. */
function activated({ graph, name, configuration }: Conversion, value: string): string {
  const { activation = 'linear' } = configuration
  if (activation === 'linear') return value
  const operator = activations.get(String(activation))
  if (operator === undefined)
    throw new InputError(
      `the layer "${name}" has the activation ${String(activation)}, which cannot be exported as ONNX; these can: ${[...activations.keys()].join(', ')}`
    )
  return graph.add(
    operator,
    [value],
    `${name}/${String(activation)}`,
    operator === 'Softmax' ? { axis: { int: -1 } } : {}
  )
}

const passes: Converter = (_, [input]) => input

const dense: Converter = (given, [input]) => {
  const { graph, name, weights } = given
  const [kernel, bias] = weights
  const product = graph.add('MatMul', [input, constant(given, kernel)], `${name}/product`)
  return activated(given, bias === undefined ? product : graph.add('Add', [product, constant(given, bias)], name))
}

function constant({ graph }: Conversion, { name, shape, values }: NamedTensor): string {
  return graph.tensor(name, shape, values)
}

/** Throws an {@link InputError} for a layer that uses the second axis for the channels. */
function checkChannelsLast({ name, configuration }: Conversion): void {
  if (configuration.dataFormat === 'channelsFirst')
    throw new InputError(
      `the layer "${name}" has its channels first; only layers with channels last can be exported as ONNX`
    )
}

/** Images have their channels last here and second in ONNX: the operator is placed between two transpositions. */
function channelsFirst(given: Conversion, input: string, add: (input: string) => string): string {
  const { graph, name } = given
  checkChannelsLast(given)
  const transposed = graph.add('Transpose', [input], `${name}/channels_first`, { perm: { ints: [0, 3, 1, 2] } })
  return graph.add('Transpose', [add(transposed)], name, { perm: { ints: [0, 2, 3, 1] } })
}

/**
 * With `same`, TensorFlow puts the odd pixel of padding at the end, which ONNX calls SAME_UPPER. Runtimes do not accept
 * that with a dilation; then the stride is 1, and the padding of a filter of k numbers at dilation d is d (k − 1),
 * whatever the extent.
 */
function padding({ configuration }: Conversion, extents: readonly number[]): Readonly<Record<string, Attribute>> {
  const dilations = pair(configuration.dilationRate)
  if (configuration.padding !== 'same') return { auto_pad: { text: 'VALID' } }
  if (dilations.every((dilation) => dilation === 1)) return { auto_pad: { text: 'SAME_UPPER' } }
  const totals = dilations.map((dilation, axis) => dilation * (extents[axis] - 1))
  return {
    pads: { ints: [...totals.map((total) => Math.floor(total / 2)), ...totals.map((total) => Math.ceil(total / 2))] }
  }
}

function pair(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : [Number(value ?? 1), Number(value ?? 1)]
}

/**
 * @param order - the new order of the axes of TensorFlow's filter
 * @param isDepthwise - whether each channel has filters of its own, which is a group of one channel in ONNX
 */
function convolution(order: readonly number[], isDepthwise: boolean): Converter {
  return (given, [input]) => {
    const { graph, name, configuration, weights } = given
    const [filter, bias] = weights
    const moved = axesMoved(filter, order)
    const shape = isDepthwise ? [moved.shape[0] * moved.shape[1], 1, ...moved.shape.slice(2)] : moved.shape
    const constants = [
      graph.tensor(filter.name, shape, moved.values),
      ...(bias === undefined ? [] : [constant(given, bias)])
    ]
    const attributes = {
      strides: { ints: pair(configuration.strides) },
      dilations: { ints: pair(configuration.dilationRate) },
      group: { int: isDepthwise ? moved.shape[0] : 1 },
      ...padding(given, filter.shape)
    }
    const value = channelsFirst(given, input, (transposed) =>
      graph.add('Conv', [transposed, ...constants], `${name}/convolved`, attributes)
    )
    return activated(given, value)
  }
}

function pooling(operator: string): Converter {
  return (given, [input]) => {
    const { graph, name, configuration } = given
    const extents = pair(configuration.poolSize)
    const attributes = {
      kernel_shape: { ints: extents },
      strides: { ints: pair(configuration.strides) },
      ...padding(given, extents)
    }
    return channelsFirst(given, input, (transposed) => graph.add(operator, [transposed], `${name}/pooled`, attributes))
  }
}

const reduction =
  (operator: string): Converter =>
  (given, [input]) => {
    checkChannelsLast(given)
    return given.graph.add(operator, [input], given.name, { axes: { ints: [1, 2] }, keepdims: { int: 0 } })
  }

const flatten: Converter = (given, [input]) => {
  checkChannelsLast(given)
  return given.graph.add('Flatten', [input], given.name, { axis: { int: 1 } })
}

/** max(0, x), or min(max(0, x), maxValue). */
const relu: Converter = ({ graph, name, configuration }, [input]) => {
  const { maxValue } = configuration
  if (typeof maxValue !== 'number') return graph.add('Relu', [input], name)
  const bounds = [0, maxValue].map((bound) => graph.tensor(`${name}/at_${bound}`, [], Float32Array.of(bound)))
  return graph.add('Clip', [input, ...bounds], name)
}

/** For inputs of the same rank: TensorFlow.js inserts the missing axes of an input after the batch, ONNX before it. */
const sum: Converter = ({ graph, name, ranks }, inputs) => {
  if (new Set(ranks).size > 1)
    throw new InputError(
      `the layer "${name}" adds values of ${ranks.join(' and ')} axes; only values with the same number of axes can be exported as ONNX`
    )
  return graph.add('Sum', inputs, name)
}

const reshape: Converter = ({ graph, name, configuration }, [input]) => {
  const target = (configuration.targetShape as (number | null)[]).map((extent) => extent ?? -1)
  // 0 keeps the present extent: the batch.
  return graph.add('Reshape', [input, graph.integers(`${name}/shape`, [0, ...target])], name)
}

/** y = γ (x − μ) / √(σ² + ε) + β (Ioffe and Szegedy 2015, algorithm 2), as one factor and one summand per channel. */
const batchNormalisation: Converter = ({ graph, name, layer, configuration, weights, shape }, [input]) => {
  const axis = Number(configuration.axis ?? -1)
  if (axis !== -1 && axis !== shape.length - 1)
    throw new InputError(
      `the layer "${name}" normalises axis ${axis}; only the last axis, the channels, can be exported as ONNX`
    )
  const { factor, summand } = scaleAndShift(weights, Number(Reflect.get(layer, 'epsilon')))
  const scaled = graph.add('Mul', [input, graph.tensor(`${name}/factor`, [factor.length], factor)], `${name}/scaled`)
  return graph.add('Add', [scaled, graph.tensor(`${name}/summand`, [summand.length], summand)], name)
}

/** y = γ (x − μ) / √(σ² + ε) + β over the last axis (Ba, Kiros and Hinton 2016, eq. 4). */
const layerNormalisation: Converter = (given, [input]) => {
  const { graph, name, configuration, weights, shape } = given
  if (String(configuration.axis) !== String(shape.length - 1))
    throw new InputError(
      `the layer "${name}" normalises axis ${String(configuration.axis)}; only the last axis can be exported as ONNX`
    )
  const mean = { axes: { ints: [-1] }, keepdims: { int: 1 } }
  const centred = graph.add('Sub', [input, graph.add('ReduceMean', [input], `${name}/mean`, mean)], `${name}/centred`)
  const squares = graph.add('Mul', [centred, centred], `${name}/squares`)
  const variance = graph.add('ReduceMean', [squares], `${name}/variance`, mean)
  const epsilon = graph.tensor(`${name}/epsilon`, [1], Float32Array.of(Number(configuration.epsilon)))
  const root = graph.add('Sqrt', [graph.add('Add', [variance, epsilon], `${name}/shifted`)], `${name}/root`)
  const normal = graph.add('Div', [centred, root], `${name}/normal`)
  const own = (which: string) => weights.find((weight) => weight.name.endsWith(`/${which}`))
  const gamma = own('gamma')
  const beta = own('beta')
  const factored = gamma === undefined ? normal : graph.add('Mul', [normal, constant(given, gamma)], `${name}/factored`)
  return beta === undefined ? factored : graph.add('Add', [factored, constant(given, beta)], name)
}

/** √(2 / D) cos(x Ω + b), as in fourier/layers.ts. */
const fourierFeatures: Converter = (given, [input]) => {
  const { graph, name, weights } = given
  const [frequencies, phases] = weights
  const product = graph.add('MatMul', [input, constant(given, frequencies)], `${name}/product`)
  const cosines = graph.add(
    'Cos',
    [graph.add('Add', [product, constant(given, phases)], `${name}/angles`)],
    `${name}/cos`
  )
  const factor = graph.tensor(`${name}/factor`, [1], Float32Array.of(Math.sqrt(2 / phases.values.length)))
  return graph.add('Mul', [cosines, factor], name)
}

/** By the names of their classes. */
export const converters: ReadonlyMap<string, Converter> = new Map<string, Converter>([
  ['Activation', (given, [input]) => activated(given, input)],
  ['Add', sum],
  ['AveragePooling2D', pooling('AveragePool')],
  ['BatchNormalization', batchNormalisation],
  ['CausalAttention', causalAttention],
  [
    'Concatenate',
    ({ graph, name, configuration }, inputs) =>
      graph.add('Concat', inputs, name, { axis: { int: Number(configuration.axis ?? -1) } })
  ],
  ['Conv2D', convolution([3, 2, 0, 1], false)],
  ['Dense', dense],
  ['DepthwiseConv2D', convolution([2, 3, 0, 1], true)],
  ['Dropout', passes],
  ['Embedding', embedding],
  ['Flatten', flatten],
  ['FourierFeatures', fourierFeatures],
  ['GlobalAveragePooling2D', reduction('ReduceMean')],
  ['GlobalMaxPooling2D', reduction('ReduceMax')],
  ['LayerNormalization', layerNormalisation],
  ['MaxPooling2D', pooling('MaxPool')],
  ['PositionEmbedding', positionEmbedding],
  ['ReLU', relu],
  ['Reshape', reshape],
  [
    'Softmax',
    ({ graph, name, configuration }, [input]) =>
      graph.add('Softmax', [input], name, { axis: { int: Number(configuration.axis ?? -1) } })
  ]
])
