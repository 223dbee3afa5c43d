import { InputError, invariant } from '@murmuration/core'
import type { LayersModel, SymbolicTensor } from '@tensorflow/tfjs-layers'
import type { Layer } from '../../weights.js'
import { layerNames, tensorName } from '../names.js'
import { GraphBuilder } from './builder.js'
import { converters } from './converters.js'
import { encodeOnnx } from './messages.js'

/**
 * A model as an ONNX file. Its input is `input`, in the model's own layout (images have their channels last); its
 * output is called `output`. Throws an {@link InputError} that names the first layer without an equivalent here.
 */
export function onnxFile(model: LayersModel, output: string, metadata: Readonly<Record<string, string>>): Uint8Array {
  const names = layerNames(model)
  const graph = new GraphBuilder(['input', output])
  const values = new Map<SymbolicTensor['id'], string>()
  const valueOf = (symbol: SymbolicTensor): string => {
    const cached = values.get(symbol.id)
    if (cached !== undefined) return cached
    const { sourceLayer, nodeIndex } = symbol
    const { inputTensors } = sourceLayer.inboundNodes[nodeIndex]
    const name = sourceLayer.getClassName() === 'InputLayer' ? 'input' : converted(sourceLayer, inputTensors)
    values.set(symbol.id, name)
    return name
  }
  const converted = (layer: Layer, inputs: readonly SymbolicTensor[]): string => {
    const kind = layer.getClassName()
    const convert = converters.get(kind)
    const name = names.get(layer.name) ?? layer.name
    if (convert === undefined)
      throw new InputError(
        `the layer "${name}" is a ${kind}, which cannot be exported as ONNX; these can: ${[...converters.keys()].join(', ')}. Export with --format tfjs or safetensors`
      )
    const weights = layer.weights.map((weight) => ({
      name: tensorName(weight.originalName, names),
      shape: weight.shape.map(Number),
      values: weight.read().dataSync<'float32'>().slice()
    }))
    return convert(
      {
        graph,
        name,
        layer,
        configuration: layer.getConfig(),
        weights,
        shape: inputs[0].shape,
        ranks: inputs.map(({ shape }) => shape.length)
      },
      inputs.map(valueOf)
    )
  }
  graph.end(valueOf(model.outputs[0]), output)
  const [input] = model.inputs
  invariant(input.shape[0] === null, 'a model whose batch has a fixed length')
  return encodeOnnx({
    ...graph.content(),
    input: { name: 'input', shape: input.shape },
    output: { name: output, shape: model.outputs[0].shape },
    metadata
  })
}
