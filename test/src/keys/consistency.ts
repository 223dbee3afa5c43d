/**
 * Whether a history of reads and adds is sequentially consistent for each key (Lamport 1979, key by key): whether there
 * is an order of all its operations on that key which keeps the order of each worker, and in which each read gives the
 * sum of the adds before it.
 *
 * In general that is NP-complete (Gibbons and Korach 1997). Here each add has a number, and a read shows which adds it
 * has seen. So for each read and each add it is known which comes first, and such an order exists exactly if these
 * facts and the workers' orders have no cycle.
 */

/** The maximum number of distinguishable adds to one key. */
export const maxAdds = 40
const perNumber = 10

/**
 * The numbers that a row needs for that: add `a` adds 4^(a mod 10) to number ⌊a / 10⌋, so that a duplicate add is
 * detected.
 */
export const rowWidth = maxAdds / perNumber

export interface KeyEvent {
  readonly key: number
  /** The worker of the operation. */
  readonly worker: string
  /** Its position among those of the worker; absent when it was not waited for. */
  readonly order?: number
  /** The number of the add, or the adds that a read has seen. */
  readonly add?: number
  readonly seen?: ReadonlySet<number>
  /** The tick of the worker's clock. */
  readonly clock?: number
}

/** The row that adds number `add`. */
export function rowOfAdd(add: number): Float32Array {
  const row = new Float32Array(rowWidth)
  row[Math.floor(add / perNumber)] = 4 ** (add % perNumber)
  return row
}

/** The adds whose sum a row is; a message when one has happened twice, or the row is no sum of adds. */
export function addsIn(row: ArrayLike<number>, key: number): ReadonlySet<number> | string {
  const adds = new Set<number>()
  for (let place = 0; place < rowWidth; place++)
    for (let digit = 0, rest = row[place]; digit < perNumber; digit++, rest = Math.floor(rest / 4)) {
      if (rest % 4 > 1) return `add ${place * perNumber + digit} to key ${key} has happened ${rest % 4} times`
      if (rest % 4 === 1) adds.add(place * perNumber + digit)
    }
  return adds
}

/** What is wrong with a history, in words; nothing when it is consistent. */
export function inconsistency(events: readonly KeyEvent[]): string | undefined {
  const keys = new Map<number, KeyEvent[]>()
  for (const event of events) keys.set(event.key, [...(keys.get(event.key) ?? []), event])
  for (const [key, ofKey] of keys) {
    const circle = circleOf(ofKey)
    if (circle !== undefined) return `key ${key}: no order is possible of ${circle.map(textOf).join(', ')}`
  }
  return undefined
}

/** A cycle of events, each of which comes before another of them, if there is one. */
function circleOf(events: readonly KeyEvent[]): readonly KeyEvent[] | undefined {
  let left = [...events]
  for (;;) {
    const first = left.filter((event) => !left.some((other) => other !== event && isBefore(other, event)))
    if (first.length === 0) return left.length === 0 ? undefined : left
    left = left.filter((event) => !first.includes(event))
    // An event that comes before none of the remaining ones is in no cycle.
    left = left.filter((event) => left.length === 1 || left.some((other) => other !== event && isBefore(event, other)))
  }
}

function isBefore(one: KeyEvent, other: KeyEvent): boolean {
  if (one.worker === other.worker && one.order !== undefined && other.order !== undefined && one.order < other.order)
    return true
  if (one.add !== undefined && other.seen !== undefined) return other.seen.has(one.add)
  return one.seen !== undefined && other.add !== undefined && !one.seen.has(other.add)
}

export function textOf({ worker, order, add, seen }: KeyEvent): string {
  const what = add === undefined ? `read ${[...(seen ?? [])].join(' ')}` : `add ${add}`
  return `${worker}.${order ?? 'async'}: ${what}`
}
