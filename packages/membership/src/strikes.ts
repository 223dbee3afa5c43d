import type { Milliseconds, PeerName } from '@murmuration/core'

interface Account {
  /** The lost time that is not yet forgotten as of `at`, and how much of it the peer is to blame for. */
  readonly lost: Milliseconds
  readonly blame: Milliseconds
  readonly at: Milliseconds
  readonly outUntil: Milliseconds
}

const noPeers: readonly PeerName[] = []

/**
 * A peer stays out for this many times the lost time, but no longer than for so many timeouts: so waits for it take at
 * most a fifth of all time, less with each further one, and where it is the only one left it is tried again.
 */
const outFactor = 4
const longestOut = 16

/**
 * How many timeouts have to be lost: less than one, since others cause part of a wait. Where there may be an excuse
 * half of the time counts.
 */
const threshold = 3 / 4
const excusedFactor = 1 / 2

/** The rate at which lost time is forgotten: a wait of 10 s after 320 s. */
const forgetRate = 1 / 32

/**
 * Time lost in unsuccessful waits for each peer, whatever it did meanwhile: it was silent, declined at the last moment,
 * died, or had a new life. When the sum is about a timeout, the peer stays out of this peer's rows, in all its lives.
 */
export class Strikes {
  readonly #accounts = new Map<PeerName, Account>()

  /**
   * @param timeout after how long a wait is given up
   * @param isExcused whether others may be to blame: one such wait is not enough, two are
   */
  add(peer: PeerName, time: Milliseconds, timeout: Milliseconds, isExcused: boolean, now: Milliseconds): void {
    const last = this.#accounts.get(peer) ?? { lost: 0, blame: 0, at: now, outUntil: now }
    const forgotten = (now - last.at) * forgetRate
    const lost = Math.max(0, last.lost - forgotten) + time
    const blame = Math.max(0, last.blame - forgotten) + time * (isExcused ? excusedFactor : 1)
    const out = Math.min(outFactor * lost, longestOut * timeout)
    const outUntil = blame >= threshold * timeout ? now + out : last.outUntil
    this.#accounts.set(peer, { lost, blame, at: now, outUntil })
  }

  /** No peer is out any longer. What was lost to it counts: one more wait for it, and it is out again. */
  forgive(now: Milliseconds): void {
    for (const [peer, account] of this.#accounts)
      this.#accounts.set(peer, { ...account, outUntil: Math.min(account.outUntil, now) })
  }

  /** For how much longer a peer is out; 0 where it is not. */
  outFor(peer: PeerName, now: Milliseconds): Milliseconds {
    return Math.max(0, (this.#accounts.get(peer)?.outUntil ?? now) - now)
  }

  /** The peers that are out now, in the order of their names. */
  struck(now: Milliseconds): readonly PeerName[] {
    if (this.#accounts.size === 0) return noPeers
    return [...this.#accounts].flatMap(([peer, { outUntil }]) => (outUntil > now ? peer : [])).sort()
  }
}
