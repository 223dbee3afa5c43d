import { newSha256 } from '@murmuration/platform'
import { sizeOf } from '@murmuration/vectors'
import type { LocalData } from './samples.js'
import type { Source } from './source.js'

/** SHA-256 in hex of all samples: their shapes and classes as JSON, each input as float32, then all targets. */
export function fingerprintOf(source: Source): string {
  const { count, classes = 0, inputShape, targetShape, targets } = source
  const hash = newSha256().update(JSON.stringify({ count, classes, inputShape, targetShape }))
  const input = new Float32Array(sizeOf(inputShape))
  const bytes = bytesOf(input)
  for (let index = 0; index < count; index++) {
    source.read(index, input)
    hash.update(bytes)
  }
  return hash.update(bytesOf(targets)).hex()
}

/** The part of the local data that must be the same on all peers although no option determines it. */
export function fingerprintsOf({ fingerprint }: Pick<LocalData, 'fingerprint'>): Readonly<Record<string, string>> {
  return fingerprint === undefined ? {} : { data: fingerprint }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
