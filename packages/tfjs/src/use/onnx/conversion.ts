import type { NamedTensor } from '@murmuration/vectors'
import type { layers } from '@tensorflow/tfjs-layers'
import type { GraphBuilder } from './builder.js'

/** A layer that is to be written. */
export interface Conversion {
  readonly graph: GraphBuilder
  /** Of the layer; its value's too. */
  readonly name: string
  readonly layer: layers.Layer
  readonly configuration: Readonly<Record<string, unknown>>
  readonly weights: readonly NamedTensor[]
  /** Of the first input; `null` is the batch. */
  readonly shape: readonly (number | null)[]
  /** How many axes each input has. */
  readonly ranks: readonly number[]
}

/** Adds the layer's operators. The result is the name of its value. */
export type Converter = (given: Conversion, inputs: readonly string[]) => string
