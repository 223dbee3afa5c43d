import { Budget, type Milliseconds } from '@murmuration/core'
import { realClock, type SystemTimer, unref } from './clock.js'
import type { PeerEventListener } from './events.js'

/** The most refused peer ids that are remembered. Beyond, each attempt to connect counts. */
const maxRemembered = 1000

/** The most events at once, and the time after which one more is allowed: identities cost an attacker nothing. */
const events = 4
const eventEvery: Milliseconds = 60_000

/** A peer that may not connect. */
export interface RefusedPeer {
  readonly id: string
  readonly address: string
  readonly reason: string
}

/** Reports the unknown peers that may not connect: the first few one by one, further ones with their number. */
export class RefusalReports {
  readonly #emit: PeerEventListener
  readonly #remembered = new Set<string>()
  readonly #budget = new Budget(realClock, events, eventEvery)
  #count = 0
  #last: RefusedPeer | undefined
  #timer: SystemTimer | undefined

  constructor(emit: PeerEventListener) {
    this.#emit = emit
  }

  /** Counts a peer, unless its id was refused before. */
  add(refused: RefusedPeer): void {
    if (this.#remembered.has(refused.id)) return
    if (this.#remembered.size < maxRemembered) this.#remembered.add(refused.id)
    this.#count++
    this.#last = refused
    if (this.#timer === undefined) this.#reportSoon()
  }

  /** Counts all peers anew: the peer list has changed. */
  forget(): void {
    this.#remembered.clear()
  }

  /** Reports what is not reported yet. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#report()
  }

  #reportSoon(): void {
    this.#timer = undefined
    if (this.#budget.spend()) return this.#report()
    this.#timer = setTimeout(() => this.#reportSoon(), eventEvery)
    unref(this.#timer)
  }

  #report(): void {
    if (this.#last !== undefined) this.#emit({ kind: 'unknown-peer-refused', ...this.#last, count: this.#count })
    this.#last = undefined
    this.#count = 0
  }
}
