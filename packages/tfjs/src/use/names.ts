/** Names of layers and weights that do not depend on what else was built in the process. */
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { innerLayers, type Layer, partsOf } from '../weights.js'

/**
 * A name that TensorFlow.js generated: `max_pooling2d_MaxPooling2D7`; of a copy in a bidirectional layer,
 * `forward_lstm_LSTM2`; of its input.
 */
const generated = /^(forward_|backward_)?([a-z0-9_]+_[A-Z][A-Za-z0-9]*?(\d+))(_input)?$/

/** Where TensorFlow.js derives another name from a class than Keras 3 does. */
const kerasStems = new Map([['conv_lst_m2d', 'conv_lstm2d']])

/**
 * A new name for every layer with a generated one: `dense`, `dense_1`, `conv2d`, numbered in the order in which they
 * were made, also within others, as in Keras. Layers with a given name keep it.
 */
export function layerNames(model: LayersModel): ReadonlyMap<string, string> {
  const layersOf = (each: Layer): Layer[] => [each, ...innerLayers(each).flatMap(layersOf)]
  const found = [...new Set(model.layers.flatMap(layersOf).map(({ name }) => name))]
  const matches = found.map((name) => generated.exec(name)).filter((match) => match !== null)
  const numbers = new Map(matches.map(([, , base, number]) => [base, Number(number)]))
  const taken = new Set(found.filter((name) => !generated.test(name)))
  const bases = [...numbers.keys()].sort((one, other) => (numbers.get(one) ?? 0) - (numbers.get(other) ?? 0))
  const names = new Map(bases.map((base) => [base, newName(base, taken)]))
  return new Map(
    matches.map(([name, prefix = '', base, , suffix = '']) => [name, `${prefix}${names.get(base)}${suffix}`])
  )
}

/** A name that is not `taken`, which it then is. */
function newName(base: string, taken: Set<string>): string {
  const stem = base.slice(0, base.lastIndexOf('_'))
  const first = kerasStems.get(stem) ?? stem
  let next = first
  for (let times = 1; taken.has(next); times++) next = `${first}_${times}`
  taken.add(next)
  return next
}

/** `dense_1/kernel` for `dense_Dense7/kernel`. */
export function tensorName(name: string, layers: ReadonlyMap<string, string>): string {
  return name
    .split('/')
    .map((part) => layers.get(part) ?? part)
    .join('/')
}

/**
 * The names of a model's weights in Keras 3, in the model's order. Keras calls the filter of a depthwise convolution
 * `kernel`.
 */
export function kerasNames(model: LayersModel): readonly string[] {
  const names = layerNames(model)
  const depthwise = model.layers
    .flatMap((layer) => partsOf(layer))
    .flatMap(({ layer }) => (layer.getClassName() === 'DepthwiseConv2D' ? layer.weights : []))
  const ids = new Set(depthwise.map(({ id }) => id))
  return model.weights.map(({ id, originalName }) => {
    const name = tensorName(originalName, names)
    return ids.has(id) ? name.replace(/\/depthwise_kernel$/, '/kernel') : name
  })
}

/** The same JSON with every layer renamed. Generated names never equal other texts of a model. */
export function renamed(json: unknown, layers: ReadonlyMap<string, string>): unknown {
  if (typeof json === 'string') return layers.get(json) ?? json
  if (Array.isArray(json)) return json.map((each) => renamed(each, layers))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, renamed(value, layers)]))
}
