import type { Schema } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import { type Fusion, rangesOf, type Tensor, tensorsOf } from './ranges.js'
import { type Untrained, untrainedOf } from './untrained.js'
import type { Range } from './vector.js'

/** The layout of a schema's parameters in the flat vector. */
export interface Layout {
  /** The number of parameters. */
  readonly length: number
  readonly tensors: readonly Tensor[]
  /** The ranges in which a vector is sent. */
  readonly ranges: readonly Range[]
  readonly untrained: readonly Untrained[]
}

/** All peers of a simulation share one schema. */
const layouts = { 'fused': new WeakMap<Schema, Layout>(), 'per-tensor': new WeakMap<Schema, Layout>() }

/** The layout, which is the same object for the same schema. */
export function layoutOf(schema: Schema, fusion: Fusion = 'fused'): Layout {
  const cached = layouts[fusion].get(schema)
  if (cached !== undefined) return cached
  const tensors = tensorsOf(schema)
  const ranges = rangesOf(tensors, fusion)
  const layout = { length: lengthOf(schema), tensors, ranges, untrained: untrainedOf(schema) }
  layouts[fusion].set(schema, layout)
  return layout
}
