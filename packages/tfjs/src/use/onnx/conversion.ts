import type { NamedTensor } from '@murmuration/vectors'
import type { layers } from '@tensorflow/tfjs-layers'
import type { GraphBuilder } from './builder.js'

/** A layer to write. */
export interface Conversion {
  readonly graph: GraphBuilder
  /** The name of the layer, and of its value. */
  readonly name: string
  readonly layer: layers.Layer
  readonly configuration: Readonly<Record<string, unknown>>
  readonly weights: readonly NamedTensor[]
  /** The shape of the first input; `null` is the batch. */
  readonly shape: readonly (number | null)[]
  /** The number of axes of each input. */
  readonly ranks: readonly number[]
}

/** Adds the layer's operators. Returns the name of its value. */
export type Converter = (given: Conversion, inputs: readonly string[]) => string
