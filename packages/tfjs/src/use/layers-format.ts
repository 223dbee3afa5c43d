import { invariant } from '@murmuration/core'
import { textOfModule } from '#tfjs/use/module-text.js'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { tensorflow as tf } from '../tensorflow.js'
import { layerNames, renamed, tensorName } from './names.js'

/** The two files of TensorFlow.js's layers format. */
export interface LayersFormat {
  /** The text of `model.json`. */
  readonly model: string
  /** The bytes of `weights.bin`, which `model.json` names. */
  readonly weights: Uint8Array
  /**
   * The text of a module with layers that TensorFlow.js lacks, where the model has some: call its `registerLayers(tf)`
   * before loading the model.
   */
  readonly layers?: string
}

/** The name of the weights' file in `model.json`. */
export const weightsFile = 'weights.bin'

/** A model in the form that `tf.loadLayersModel` reads, in Node and in browsers. */
export async function layersFormat(model: LayersModel, metadata: object): Promise<LayersFormat> {
  const names = layerNames(model)
  const found: LayersFormat[] = []
  await model.save(
    tf.io.withSaveHandler(async ({ modelTopology, weightSpecs = [], weightData, format, generatedBy }) => {
      const weights = weightSpecs.map((spec) => ({ ...spec, name: tensorName(spec.name, names) }))
      const json = {
        format,
        generatedBy,
        convertedBy: null,
        modelTopology: renamed(modelTopology, names),
        weightsManifest: [{ paths: [weightsFile], weights }],
        userDefinedMetadata: metadata
      }
      found.push({ model: JSON.stringify(json), weights: new Uint8Array(tf.io.CompositeArrayBuffer.join(weightData)) })
      return { modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' } }
    })
  )
  invariant(found.length === 1, 'TensorFlow.js did not pass the model to the save handler')
  const [{ model: json, weights }] = found
  const module = model.layers.map((layer) => ownLayers.get(layer.getClassName())).find((each) => each !== undefined)
  return { model: json, weights, ...(module !== undefined && { layers: await textOfModule(module) }) }
}

/**
 * The layers that this package adds, by class name: their compiled modules, which import nothing. A model has those of
 * one.
 */
const ownLayers: ReadonlyMap<string, string> = new Map([
  ['PositionEmbedding', '../gpt/layers.js'],
  ['CausalAttention', '../gpt/layers.js'],
  ['FourierFeatures', '../fourier/layers.js']
])
