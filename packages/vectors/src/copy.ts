import { Buffer } from 'node:buffer'

/** Copies all of `source` to the beginning of `target`. */
export function copyNumbers(target: Float32Array, source: Float32Array): void {
  if (isShared(target) || isShared(source)) copyBytes(bytesOf(target), bytesOf(source))
  else target.set(source)
}

/**
 * Copies all of `source` to `target` from its byte `at` on, in one go also where threads share memory. There, `set` goes number by
 * number, so that no other thread ever sees half of one: that takes four times as long, and nobody here looks while something is written.
 */
export function copyBytes(target: Uint8Array, source: Uint8Array, at = 0): void {
  if (source.byteLength === 0) return
  if (!isShared(target) && !isShared(source)) target.set(source, at)
  else Buffer.from(target.buffer, target.byteOffset + at, source.byteLength).fill(source)
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function isShared({ buffer }: ArrayBufferView): boolean {
  return buffer instanceof SharedArrayBuffer
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** The elements of `vector` as the bytes of a body: a view, no copy. */
export function bodyOf(vector: Float32Array): Uint8Array {
  if (!littleEndian) throw new Error('this machine is big-endian, and frames are little-endian')
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
