import type { Schema } from '@murmuration/core'
import { offsetsOf, sizeOf } from '@murmuration/vectors'

/**
 * A model as a safetensors file (huggingface.co/docs/safetensors): the length of the header as 64-bit integer, the header
 * as JSON padded with spaces to a multiple of 8 bytes, and the raw little-endian tensors.
 */
export function safetensors(schema: Schema, parameters: Float32Array): Uint8Array {
  const offsets = offsetsOf(schema)
  const entries = schema.map(({ name, shape }, index) => {
    const begin = 4 * offsets[index]
    return [name, { dtype: 'F32', shape, data_offsets: [begin, begin + 4 * sizeOf(shape)] }] as const
  })
  const json = JSON.stringify(Object.fromEntries(entries))
  const header = new TextEncoder().encode(json.padEnd(json.length + ((8 - (Buffer.byteLength(json) % 8)) % 8)))
  const file = new Uint8Array(8 + header.byteLength + parameters.byteLength)
  new DataView(file.buffer).setBigUint64(0, BigInt(header.byteLength), true)
  file.set(header, 8)
  file.set(new Uint8Array(parameters.buffer, parameters.byteOffset, parameters.byteLength), 8 + header.byteLength)
  return file
}
