/** The numbers 0 … `count` − 1. */
export function upTo(count: number): Uint32Array {
  return new Uint32Array(count).map((_, index) => index)
}

/** All lists, one after the other. */
export function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  for (const part of parts) {
    all.set(part, length)
    length += part.length
  }
  return all
}
