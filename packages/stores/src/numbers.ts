/** The format of numbers in stores: consecutive little-endian float32. */
import { StoreError } from '@murmuration/core'
import { endianness } from 'node:os'

/** The bytes of numbers, without a copy. */
export function bytesOf(values: Float32Array): Buffer {
  if (endianness() !== 'LE') throw new StoreError('stores need a little-endian machine')
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

/** Copies an object that a store has sent. Throws a StoreError that names the object when its length differs. */
export function readInto(into: Float32Array, bytes: Uint8Array, name: string): void {
  if (bytes.byteLength !== into.byteLength) {
    const found = bytes.byteLength / Float32Array.BYTES_PER_ELEMENT
    throw new StoreError(`${name} has ${found} numbers, expected ${into.length}: it belongs to another model`)
  }
  bytesOf(into).set(bytes)
}
