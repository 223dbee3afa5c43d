import type { Schema } from '@murmuration/core'
import { encodeSafetensors, unpack } from '@murmuration/vectors'

/** A model as the parts of a safetensors file. */
export function safetensors(schema: Schema, parameters: Float32Array): readonly Uint8Array[] {
  const values = unpack(schema, parameters)
  return encodeSafetensors(schema.map(({ name, shape }, index) => ({ name, shape, values: values[index] })))
}
