/** Decoded images of a simulation, whose tasks read the same folders one after the other. */
import { stateOf } from '#data/files/disk.js'
import type { DataFile } from '../files/data-file.js'

/** All images of some files, one after the other, and the shape of one. Never written to again. */
export interface Pixels {
  readonly inputShape: readonly number[]
  readonly pixels: Uint8Array
}

let maxBytes = 0
/** By files and form, the latest last. */
const kept = new Map<string, Pixels>()

/**
 * From now on, keeps the decoded images of the latest folders in this thread, up to so many bytes. Nothing is kept
 * before: a real peer reads its data once.
 */
export function keepDecodedImages(bytes: number): void {
  maxBytes = bytes
}

/** The images of `files` in the form that `form` describes: kept ones, if no file has changed, or those of `decode`. */
export async function decodedOnce(
  files: readonly DataFile[],
  form: unknown,
  decode: () => Promise<Pixels>
): Promise<Pixels> {
  if (maxBytes === 0) return decode()
  const states = await Promise.all(files.map(async ({ path }) => [path, (await stateOf(path)).version]))
  const key = JSON.stringify([states, form])
  const images = kept.get(key) ?? (await decode())
  kept.delete(key)
  kept.set(key, images)
  let bytes = [...kept.values()].reduce((sum, { pixels }) => sum + pixels.byteLength, 0)
  for (const [oldest, { pixels }] of kept) {
    if (bytes <= maxBytes) break
    kept.delete(oldest)
    bytes -= pixels.byteLength
  }
  return images
}
