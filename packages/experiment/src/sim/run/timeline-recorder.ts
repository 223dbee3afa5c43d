import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Span, Timeline, TimelineMessage } from '@murmuration/results'
import type { FaultEvent, SimulationObserver } from '@murmuration/simulator'

/** An interval of virtual time. */
export interface TimelineWindow {
  readonly from: Milliseconds
  readonly to: Milliseconds
}

/** With more events than this, a chart would be unreadable. */
const maxEvents = 20_000

/** Records an interval of a run, event by event. */
export class TimelineRecorder implements SimulationObserver {
  readonly #window: TimelineWindow
  readonly #spans: Span[] = []
  readonly #messages: TimelineMessage[] = []
  readonly #down = new Map<PeerName, { readonly kind: string; readonly start: Milliseconds }>()

  constructor(window: TimelineWindow) {
    this.#window = window
  }

  message(from: PeerName, to: PeerName, bytes: number, sent: Milliseconds, arrived: Milliseconds | undefined): void {
    const end = arrived ?? sent
    if (!this.#isInside(sent, end) || this.#messages.length >= maxEvents) return
    const fate = arrived === undefined ? 'dropped' : 'delivered'
    this.#messages.push({ from, to, sent: sent / 1000, arrived: end / 1000, bytes, fate })
  }

  work(peer: PeerName, kind: string, start: Milliseconds, end: Milliseconds): void {
    this.#add(peer, kind, start, end)
  }

  fault(event: FaultEvent): void {
    if (event.kind === 'crash' || event.kind === 'freeze') {
      this.#down.set(event.peer, { kind: event.kind === 'crash' ? 'crashed' : 'frozen', start: event.at })
    }
    if (event.kind === 'restart' || event.kind === 'thaw') this.#up(event.peer, event.at)
  }

  /** The timeline until the end of the run. */
  timeline(run: Pick<Timeline, 'settings' | 'method' | 'seed' | 'peers'>, end: Milliseconds): Timeline {
    for (const peer of [...this.#down.keys()]) this.#up(peer, end)
    const { from, to } = this.#window
    return { ...run, from: from / 1000, to: Math.min(to, end) / 1000, spans: this.#spans, messages: this.#messages }
  }

  #up(peer: PeerName, end: Milliseconds): void {
    const down = this.#down.get(peer)
    if (down !== undefined) this.#add(peer, down.kind, down.start, end)
    this.#down.delete(peer)
  }

  #add(peer: string, kind: string, start: Milliseconds, end: Milliseconds): void {
    if (start === end || !this.#isInside(start, end) || this.#spans.length >= maxEvents) return
    this.#spans.push({ peer, kind, start: start / 1000, end: end / 1000 })
  }

  #isInside(start: Milliseconds, end: Milliseconds): boolean {
    return end >= this.#window.from && start <= this.#window.to
  }
}
