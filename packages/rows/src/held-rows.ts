/** Which rows a peer holds, as far as another peer knows; and in words, for the error when it is lost. */
import type { PeerName } from '@murmuration/core'

/** Ascending keys. */
export interface HeldRows {
  /** Whose rows it certainly holds. */
  readonly certain: readonly number[]
  /** Whose home it is, where rows move: it holds those that have not moved to a peer of which this one does not know. */
  readonly perhaps: readonly number[]
}

interface Holder {
  readonly name: PeerName
  readonly rows: HeldRows
}

/** At most so many ranges of keys are listed. */
const maxRanges = 6

/**
 * What a peer held: how many rows, and their keys.
 *
 * @param count - of all rows of the run
 */
export function heldText({ name, rows: { certain, perhaps } }: Holder, count: number, self: PeerName): string {
  if (certain.length + perhaps.length === 0) return `${name} held no rows that ${self} knows of`
  const all = `${withThousands(count)} rows`
  if (perhaps.length === 0) return `${name} held ${withThousands(certain.length)} of ${all}: ${keysText(certain)}`
  const moved =
    certain.length === 0 ? '' : ` ${withThousands(certain.length)} whose home is ${self} (${keysText(certain)}), and`
  const own = ` of the ${withThousands(perhaps.length)} whose home it was those that had not moved away`
  return `of ${all} ${name} held${moved}${own}: ${keysText(perhaps)}`
}

/** Ascending keys as ranges: the first ones, and the last. */
export function keysText(keys: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = []
  for (const key of keys) {
    const range = ranges.at(-1)
    if (range !== undefined && range.last + 1 === key) range.last = key
    else ranges.push({ first: key, last: key })
  }
  const texts = ranges.map(({ first, last }) =>
    first === last ? withThousands(first) : `${withThousands(first)} to ${withThousands(last)}`
  )
  if (texts.length <= maxRanges) return texts.join(', ')
  return [...texts.slice(0, maxRanges - 1), '…', texts.at(-1)].join(', ')
}

/** With a comma between thousands, whatever the locale. */
function withThousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
