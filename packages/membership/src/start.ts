import type { Milliseconds } from '@murmuration/core'
import type { MembershipSettings } from './settings.js'

/** When round 0 begins: when all are present, or a quorum is and has waited for the others. */
export class Start {
  readonly #settings: MembershipSettings
  readonly #peerCount: number
  #quorumSince: Milliseconds | undefined

  constructor(settings: MembershipSettings, peerCount: number) {
    this.#settings = settings
    this.#peerCount = peerCount
  }

  /** How many peers have to be present. */
  get quorum(): number {
    const { quorum, startWithin } = this.#settings
    return quorum ?? (startWithin === undefined ? this.#peerCount : Math.floor(this.#peerCount / 2) + 1)
  }

  /** Whether round 0 begins with those that are present. Called at every tick. */
  isReady(presentCount: number, now: Milliseconds): boolean {
    if (presentCount >= this.#peerCount) return true
    if (presentCount < this.quorum) return false
    this.#quorumSince ??= now
    return now - this.#quorumSince >= (this.#settings.startWithin ?? 0)
  }
}
