/** Keyed rows that are divided among peers, put together. */
import type { KeyCounts } from '@murmuration/core'

/** Writes the rows of `keys` to their places among `all`. */
export function placeRows(all: Float32Array, keys: Uint32Array, rows: Float32Array): void {
  const width = keys.length === 0 ? 0 : rows.length / keys.length
  for (const [place, key] of keys.entries()) all.set(rows.subarray(place * width, (place + 1) * width), key * width)
}

/** How all together have reached rows; `undefined` where there are none. */
export function sumOfCounts(counts: readonly KeyCounts[]): KeyCounts | undefined {
  if (counts.length === 0) return undefined
  const sum = (of: (each: KeyCounts) => number) => counts.reduce((total, each) => total + of(each), 0)
  return {
    local: sum(({ local }) => local),
    remote: sum(({ remote }) => remote),
    queued: sum(({ queued }) => queued),
    moved: sum(({ moved }) => moved),
    copied: sum(({ copied }) => copied)
  }
}
