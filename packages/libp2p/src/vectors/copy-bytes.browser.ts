/** See copy-bytes.ts; a browser has no other way to copy. */
export function copyBytes(target: Uint8Array, source: Uint8Array, at = 0): void {
  target.set(source, at)
}
