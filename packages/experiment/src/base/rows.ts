/** Merges keyed rows that are divided among peers. */
import type { KeyCounts } from '@murmuration/core'

/** Copies the rows of `keys` to their places in `all`. */
export function placeRows(all: Float32Array, keys: Uint32Array, rows: Float32Array): void {
  const width = keys.length === 0 ? 0 : rows.length / keys.length
  for (const [index, key] of keys.entries()) all.set(rows.subarray(index * width, (index + 1) * width), key * width)
}

/** The sum of the peers' row accesses; `undefined` if there are none. */
export function sumOfCounts(counts: readonly KeyCounts[]): KeyCounts | undefined {
  if (counts.length === 0) return undefined
  const sum = (countOf: (each: KeyCounts) => number) => counts.reduce((total, each) => total + countOf(each), 0)
  return {
    local: sum(({ local }) => local),
    remote: sum(({ remote }) => remote),
    queued: sum(({ queued }) => queued),
    moved: sum(({ moved }) => moved),
    copied: sum(({ copied }) => copied)
  }
}
