import { grouped } from '@murmuration/data/peer'
import { sizeOf } from '@murmuration/vectors'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import type { ModelDescription } from './model.js'
import type { Layer } from './weights.js'

/** How many layers of a user's model are named at most. */
const namedLayers = 5

/** A model in a few words, for people: `mlp 784-128-10, 101,770 parameters`. */
export function describe(description: ModelDescription, model: LayersModel): string {
  const all = model.countParams()
  const trained = model.trainableWeights.reduce((sum, { shape }) => sum + sizeOf(shape.map(Number)), 0)
  const trainedPart = trained === all ? '' : `, ${grouped(trained)} of them trained`
  return `${structure(description, model)}, ${grouped(all)} parameters${trainedPart}`
}

function structure(description: ModelDescription, model: LayersModel): string {
  const weighted = model.layers.filter(({ weights }) => weights.length > 0)
  switch (description.kind) {
    case 'mlp':
      return `mlp ${[kernelOf(weighted[0])[0], ...weighted.map(unitsOf)].join('-')}`
    case 'cnn':
      return `cnn ${[...weighted.slice(0, -1).map(convolution), `dense ${unitsOf(weighted[weighted.length - 1])}`].join(', ')}`
    case 'gpt':
      return `gpt of ${description.layers} layers, ${description.width} wide, ${description.heads} heads`
    case 'fourier':
      return `${description.features} random Fourier features`
    case 'module':
      return `${description.path.replace(/^.*[\\/]/, '')}: ${listed(weighted.map((layer) => layer.getClassName()))}`
  }
}

/** `5×5/2×8`: the window, the stride unless it is one, the filters. */
function convolution(layer: Layer): string {
  const [rows, columns] = kernelOf(layer)
  const stride = [layer.getConfig().strides].flat()[0]
  return `${rows}×${columns}${stride === 1 ? '' : `/${stride}`}×${unitsOf(layer)}`
}

function kernelOf({ weights: [kernel] }: Layer): readonly (number | null)[] {
  return kernel.shape
}

function unitsOf(layer: Layer): number | null | undefined {
  return kernelOf(layer).at(-1)
}

function listed(names: readonly string[]): string {
  if (names.length <= namedLayers) return names.join(', ')
  return [...names.slice(0, namedLayers - 2), '…', names[names.length - 1]].join(', ')
}
