import type { Milliseconds, PeerName } from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'
import type { Limits } from '../base/constants.js'
import type { PeerEventListener, ReceiveFault } from '../base/events.js'

/** The shortest time between two reports of one kind of fault. */
const lineInterval: Milliseconds = 60_000

/** The faults of a neighbour since the start. */
export interface NeighbourFaults {
  /** How many faults of each kind there were; a kind without any is absent. */
  readonly kinds: Readonly<Partial<Record<ReceiveFault, number>>>
  /** How often the neighbour's streams were ended because of them. */
  readonly cutOff: number
}

/** The faults of one kind: how many, when they were last reported, and how many are not reported yet. */
interface FaultCount {
  count: number
  reported: Milliseconds
  unreported: number
  detail: string
}

/**
 * All faults of one neighbour since the start, of all kinds. After a grave one, or every `limits.badFrames` others, its
 * streams are ended. From the second time on it is also shut out, for a time that doubles each time. A handshake does
 * not clear the account.
 */
export class FaultAccount {
  readonly #peer: PeerName
  readonly #clock: TimerClock
  readonly #emit: PeerEventListener
  readonly #limits: Pick<Limits, 'badFrames' | 'initialShutOut' | 'maxShutOut'>
  readonly #lines = new Map<ReceiveFault, FaultCount>()
  #small = 0
  #strikes = 0
  #shutOutUntil = Number.NEGATIVE_INFINITY

  constructor(
    peer: PeerName,
    clock: TimerClock,
    emit: PeerEventListener,
    limits: Pick<Limits, 'badFrames' | 'initialShutOut' | 'maxShutOut'>
  ) {
    this.#peer = peer
    this.#clock = clock
    this.#emit = emit
    this.#limits = limits
  }

  /** The faults since the start. */
  read(): NeighbourFaults {
    const kinds = Object.fromEntries([...this.#lines].map(([fault, { count }]) => [fault, count]))
    return { kinds, cutOff: this.#strikes }
  }

  /** Until when its streams are refused, and it is not dialled. */
  get shutOutUntil(): Milliseconds {
    return this.#shutOutUntil
  }

  get isShutOut(): boolean {
    return this.#clock.now() < this.#shutOutUntil
  }

  /** Counts a fault. Returns whether the neighbour's streams must be ended. */
  add(fault: ReceiveFault, detail: string, isGrave: boolean): boolean {
    this.#report(fault, detail)
    if (!isGrave && ++this.#small < this.#limits.badFrames) return false
    this.#small = 0
    this.#strike(detail)
    return true
  }

  /**
   * Reports the faults that are not reported yet, once a minute has passed since the last report. To be called
   * periodically.
   */
  flush(): void {
    const now = this.#clock.now()
    for (const [fault, line] of this.#lines) {
      if (line.unreported === 0 || now < line.reported + lineInterval) continue
      this.#emit({ kind: 'bad-frame', peer: this.#peer, fault, detail: line.detail, count: line.unreported })
      line.reported = now
      line.unreported = 0
    }
  }

  #report(fault: ReceiveFault, detail: string): void {
    const line = this.#lines.get(fault)
    if (line !== undefined) {
      line.count++
      line.unreported++
      line.detail = detail
      return this.flush()
    }
    this.#lines.set(fault, { count: 1, reported: this.#clock.now(), unreported: 0, detail })
    this.#emit({ kind: 'bad-frame', peer: this.#peer, fault, detail, count: 1 })
  }

  #strike(reason: string): void {
    const { initialShutOut, maxShutOut } = this.#limits
    const wasOut = this.isShutOut
    this.#strikes++
    if (this.#strikes === 1) return
    const wait = Math.min(maxShutOut, initialShutOut * 2 ** Math.min(this.#strikes - 2, 30))
    this.#shutOutUntil = this.#clock.now() + wait
    if (!wasOut) this.#emit({ kind: 'shut-out', peer: this.#peer, wait, faults: faultCount(this.read()), reason })
  }
}

/** The number of faults of all kinds. */
export function faultCount({ kinds }: NeighbourFaults): number {
  return Object.values(kinds).reduce((sum, count) => sum + count, 0)
}
