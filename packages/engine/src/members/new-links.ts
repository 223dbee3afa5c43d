import type { Milliseconds, PeerName } from '@murmuration/core'
import type { OwnLinks } from './members-options.js'

/** How long a peer that begins, or enters a run, waits for links to its neighbours: it holds up nobody meanwhile. */
const linksWithin: Milliseconds = 10_000

const noPeers: readonly PeerName[] = []

/**
 * The links that this process has not had yet. Nobody is judged by these: a peer begins once it has them, or else
 * names them, so that the graph bypasses them until they are there. A link that was there is judged by rule 4.
 */
export class NewLinks {
  readonly #links: OwnLinks | undefined
  #missing: readonly PeerName[] | undefined
  /** Since when only links keep this peer from entering. */
  #since: Milliseconds | undefined

  constructor(links: OwnLinks | undefined) {
    this.#links = links
  }

  /** Those to peers for which `isThere`. */
  missing(isThere: (peer: PeerName) => boolean): readonly PeerName[] {
    if (this.#links === undefined || this.#missing?.length === 0) return noPeers
    const { missing } = this.#links
    this.#missing = (this.#missing ?? missing).filter((peer) => missing.includes(peer))
    return this.#missing.filter(isThere)
  }

  /** Whether this peer, which could enter now, waits for its links. Those that are missing are built at once. */
  areAwaited(isThere: (peer: PeerName) => boolean, now: Milliseconds): boolean {
    if (this.missing(isThere).length === 0) return false
    if (this.#since === undefined) this.#links?.hurry()
    this.#since ??= now
    return now - this.#since < linksWithin
  }
}
