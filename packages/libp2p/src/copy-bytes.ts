import { Buffer } from 'node:buffer'

/**
 * Copies all of `source` to `target` from its byte `at` on, in one go also where threads share memory. There, `set` takes care that no
 * other thread ever sees half of a number, and goes byte by byte where the two are not aligned alike: that takes some thirty times as
 * long, and nobody here looks while something is written.
 */
export function copyBytes(target: Uint8Array, source: Uint8Array, at = 0): void {
  if (source.byteLength === 0) return
  if (!isShared(target) && !isShared(source)) target.set(source, at)
  else Buffer.from(target.buffer, target.byteOffset + at, source.byteLength).fill(source)
}

function isShared({ buffer }: ArrayBufferView): boolean {
  return buffer instanceof SharedArrayBuffer
}
