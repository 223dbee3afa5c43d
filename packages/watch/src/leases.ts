/** The watchers that this peer sends reports to, for how long and how often. */
import type { Milliseconds, PeerName } from '@murmuration/core'

/** The shortest time between two reports. */
export const shortestInterval: Milliseconds = 1000
const longestInterval: Milliseconds = 60_000

/** The length of a lease in intervals, from the watcher's last question on. */
const intervalsPerLease = 10
/** A watcher asks again after this many intervals: two questions in a row may be lost. */
export const intervalsPerQuestion = 3

/** The most watchers at once; others are ignored. */
const maxWatchers = 8

/** The most reports to a watcher per second: with more peers, each one reports less often. */
const maxReportsPerSecond = 64

const word = 'watch '

/** The interval at which each of `peers` peers reports to a watcher. */
export function intervalFor(peers: number): Milliseconds {
  return Math.min(longestInterval, shortestInterval * Math.ceil(peers / maxReportsPerSecond))
}

/** Whether a note asks for reports. */
export function isQuestion(note: string): boolean {
  return note.startsWith(word)
}

/** The note that asks for a report every `interval`. */
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

  /** Takes a peer's question. Returns what is wrong with the note; undefined when it is valid. */
  take(from: PeerName, note: string, now: Milliseconds): string | undefined {
    const [, digits] = /^watch ([1-9]\d{3,4})$/.exec(note) ?? []
    const interval = Number(digits)
    if (!(interval >= shortestInterval && interval <= longestInterval)) return 'a malformed request for reports'
    this.#end(now)
    const current = this.#leases.get(from)
    if (current === undefined && this.#leases.size >= maxWatchers) return undefined
    this.#leases.set(from, { until: now + intervalsPerLease * interval, interval, next: current?.next ?? now })
    return undefined
  }

  /** The watchers to report to now. */
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
