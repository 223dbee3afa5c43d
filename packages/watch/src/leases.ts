/** Who is told of this peer, for how long and how often. */
import type { Milliseconds, PeerName } from '@murmuration/core'

/** The shortest time from one report to the next. */
export const shortestInterval: Milliseconds = 1000
const longestInterval: Milliseconds = 60_000

/** A watcher is told for so many intervals after it has asked. */
const intervalsPerLease = 10
/** After so many intervals a watcher asks again: two questions in a row may be lost. */
export const intervalsPerQuestion = 3

/** More watchers than this at once find no room. */
const maxWatchers = 8

/** A watcher hears of at most so many peers each second: with more of them each one tells it less often. */
const maxReportsPerSecond = 64

const word = 'watch '

/** How often each of so many peers is to tell a watcher. */
export function intervalFor(peers: number): Milliseconds {
  return Math.min(longestInterval, shortestInterval * Math.ceil(peers / maxReportsPerSecond))
}

/** Whether a note asks for reports. */
export function isQuestion(note: string): boolean {
  return note.startsWith(word)
}

/** The note that asks for a report now and then. */
export function question(interval: Milliseconds): string {
  return `${word}${interval}`
}

interface Lease {
  readonly until: Milliseconds
  readonly interval: Milliseconds
  readonly next: Milliseconds
}

/** The watchers of this peer. It does no I/O. */
export class Leases {
  readonly #leases = new Map<PeerName, Lease>()

  /** A peer asks. The result is what is wrong with the note, if anything is. */
  take(from: PeerName, note: string, now: Milliseconds): string | undefined {
    const [, digits] = /^watch ([1-9]\d{3,4})$/.exec(note) ?? []
    const interval = Number(digits)
    if (!(interval >= shortestInterval && interval <= longestInterval)) return 'a malformed question for reports'
    this.#end(now)
    const known = this.#leases.get(from)
    if (known === undefined && this.#leases.size >= maxWatchers) return undefined
    this.#leases.set(from, { until: now + intervalsPerLease * interval, interval, next: known?.next ?? now })
    return undefined
  }

  /** Whom to tell now. */
  due(now: Milliseconds): readonly PeerName[] {
    this.#end(now)
    const due: PeerName[] = []
    for (const [watcher, lease] of this.#leases) {
      if (now < lease.next) continue
      due.push(watcher)
      this.#leases.set(watcher, { ...lease, next: Math.max(now, lease.next + lease.interval) })
    }
    return due
  }

  #end(now: Milliseconds): void {
    for (const [watcher, { until }] of this.#leases) if (until < now) this.#leases.delete(watcher)
  }
}
