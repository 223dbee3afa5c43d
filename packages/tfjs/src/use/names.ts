/** Names of layers and weights that do not depend on what else was built in the process. */
import type { LayersModel, layers } from '@tensorflow/tfjs-layers'

type Layer = layers.Layer

/** A name that TensorFlow.js generated: `max_pooling2d_MaxPooling2D7`. */
const generated = /^([a-z0-9_]+)_[A-Z][A-Za-z0-9]*?\d+$/

/** A new name for every layer with a generated one: `dense`, `dense_1`, `conv2d`, numbered as in Keras. Layers with a given name keep it. */
export function layerNames(model: LayersModel): ReadonlyMap<string, string> {
  const layersOf = (each: Layer): Layer[] => [
    each,
    ...('layers' in each ? (each.layers as Layer[]).flatMap(layersOf) : [])
  ]
  const found = model.layers.flatMap(layersOf).map(({ name }) => name)
  const taken = new Set(found.filter((name) => !generated.test(name)))
  const names = new Map<string, string>()
  for (const name of found) {
    const stem = generated.exec(name)?.[1]
    if (stem === undefined || names.has(name)) continue
    let next = stem
    for (let times = 1; taken.has(next); times++) next = `${stem}_${times}`
    taken.add(next)
    names.set(name, next)
  }
  return names
}

/** `dense_1/kernel` for `dense_Dense7/kernel`. */
export function tensorName(name: string, layers: ReadonlyMap<string, string>): string {
  return name
    .split('/')
    .map((part) => layers.get(part) ?? part)
    .join('/')
}

/** The same JSON with every layer renamed. Generated names never equal other texts of a model. */
export function renamed(json: unknown, layers: ReadonlyMap<string, string>): unknown {
  if (typeof json === 'string') return layers.get(json) ?? json
  if (Array.isArray(json)) return json.map((each) => renamed(each, layers))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, renamed(value, layers)]))
}
