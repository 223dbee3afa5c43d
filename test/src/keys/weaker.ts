/**
 * Weaker promises than sequential consistency, checked on histories in which adds are distinguishable. The events of a
 * worker are in its order.
 */
import { type KeyEvent, textOf } from './consistency.js'

/**
 * What is wrong with a history under bounded staleness (Ho et al., NIPS 2013, section 3), in words: a read at clock c
 * must see all adds of clocks up to c − s − 1, of every worker.
 */
export function tooStale(events: readonly KeyEvent[], staleness: number): string | undefined {
  for (const read of events) {
    const { seen, key, clock = 0 } = read
    if (seen === undefined) continue
    const missed = events.find(
      (other) =>
        other.add !== undefined &&
        other.key === key &&
        (other.clock ?? 0) <= clock - staleness - 1 &&
        !seen.has(other.add)
    )
    if (missed !== undefined)
      return `key ${key}, staleness ${staleness}: ${textOf(read)} at clock ${clock} misses ${textOf(missed)} at clock ${missed.clock}`
  }
  return undefined
}

/**
 * What is wrong within the sessions of workers (Terry et al., PDIS 1994), in words: a read must see the worker's own
 * earlier adds that it has waited for, and everything that it has seen before.
 */
export function forgotten(events: readonly KeyEvent[]): string | undefined {
  const known = new Map<string, Set<number>>()
  for (const event of events) {
    const { worker, key, add, seen, order } = event
    const session = `${worker} ${key}`
    const own = known.get(session) ?? new Set<number>()
    known.set(session, own)
    if (add !== undefined && order !== undefined) own.add(add)
    const missed = seen === undefined ? undefined : [...own].find((each) => !seen.has(each))
    if (missed !== undefined) return `key ${key}: ${textOf(event)} misses add ${missed}, which ${worker} knew`
    for (const each of seen ?? []) own.add(each)
  }
  return undefined
}
