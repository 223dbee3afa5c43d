/**
 * Whether a history of reads and adds is sequentially consistent for each key (Lamport 1979, key by key): whether there is an order of all its operations on
 * that key that has those of each worker in their order, and in which each read gives the sum of the adds before it.
 *
 * In general that is NP-complete (Gibbons and Korach 1997). Here each add is told apart by its number, and a read says which adds it has seen. So it is known
 * of each read and each add which of them comes first, and such an order is there exactly where these facts and the workers' orders have no circle.
 */

/** The most adds to one key that are told apart. */
export const maxAdds = 40
const perNumber = 10

/** How many numbers a row needs for that: add number `a` is 4^(a mod 10) of number ⌊a / 10⌋, so that an add that happens twice is seen. */
export const rowWidth = maxAdds / perNumber

export interface Event {
  readonly key: number
  /** Whose it is. */
  readonly worker: string
  /** Its place among those of the worker; absent when it was not waited for. */
  readonly order?: number
  /** Which add it is, or which adds a read has seen. */
  readonly add?: number
  readonly seen?: ReadonlySet<number>
  /** At which tick of the worker's clock it was. */
  readonly clock?: number
}

/** The row that adds number `add`. */
export function rowOfAdd(add: number): Float32Array {
  const row = new Float32Array(rowWidth)
  row[Math.floor(add / perNumber)] = 4 ** (add % perNumber)
  return row
}

/** The adds that a row is the sum of; in words when one has happened twice, or none gives this. */
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
export function inconsistency(events: readonly Event[]): string | undefined {
  const keys = new Map<number, Event[]>()
  for (const event of events) keys.set(event.key, [...(keys.get(event.key) ?? []), event])
  for (const [key, ofKey] of keys) {
    const circle = circleOf(ofKey)
    if (circle !== undefined) return `key ${key}: no order is possible of ${circle.map(textOf).join(', ')}`
  }
  return undefined
}

/** Events that each come before another of them, if there are some. */
function circleOf(events: readonly Event[]): readonly Event[] | undefined {
  let left = [...events]
  for (;;) {
    const first = left.filter((event) => !left.some((other) => other !== event && isBefore(other, event)))
    if (first.length === 0) return left.length === 0 ? undefined : left
    left = left.filter((event) => !first.includes(event))
    // What comes after all that is left is in no circle either.
    left = left.filter((event) => left.length === 1 || left.some((other) => other !== event && isBefore(event, other)))
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.worker === other.worker && one.order !== undefined && other.order !== undefined && one.order < other.order)
    return true
  if (one.add !== undefined && other.seen !== undefined) return other.seen.has(one.add)
  return one.seen !== undefined && other.add !== undefined && !one.seen.has(other.add)
}

export function textOf({ worker, order, add, seen }: Event): string {
  const what = add === undefined ? `read ${[...(seen ?? [])].join(' ')}` : `add ${add}`
  return `${worker}.${order ?? 'async'}: ${what}`
}
