import { KernelMemory } from './wasm/memory.js'

/**
 * Copies all of `source` to the beginning of `target`: where one of them lies in a shared {@link KernelMemory}, with
 * that memory's own copy function.
 */
export function copyNumbers(target: Float32Array, source: Float32Array): void {
  const memory = isShared(target) || isShared(source) ? (KernelMemory.of(target) ?? KernelMemory.of(source)) : undefined
  if (memory === undefined) target.set(source)
  else memory.copy(bodyOf(target), bodyOf(source))
}

function isShared({ buffer }: ArrayBufferView): boolean {
  // A page that is not cross-origin isolated has no name for shared memory.
  return !(buffer instanceof ArrayBuffer)
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** The elements of `vector` as the bytes of a body: a view, no copy. */
export function bodyOf(vector: Float32Array): Uint8Array {
  if (!littleEndian) throw new Error('this machine is big-endian, and frames are little-endian')
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
