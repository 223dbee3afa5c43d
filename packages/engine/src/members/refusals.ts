import type { Fabric, PeerName } from '@murmuration/core'

/** Peers whose machines have refused connections, and which were not heard since: their processes have ended. */
export class Refusals {
  #refused: Set<PeerName> | undefined

  /** Listens from now on, replacing any other listener. */
  listen(fabric: Pick<Fabric<unknown>, 'listen' | 'wake'>): void {
    fabric.listen({
      note: () => undefined,
      heard: (peer) => this.#refused?.delete(peer),
      refused: (peer) => {
        this.#refused ??= new Set()
        this.#refused.add(peer)
        fabric.wake()
      }
    })
  }

  /** Whether all of these peers, at least one, are gone. */
  hasAll(peers: () => readonly PeerName[]): boolean {
    const refused = this.#refused
    if (refused === undefined || refused.size === 0) return false
    const all = peers()
    return all.length > 0 && all.every((peer) => refused.has(peer))
  }
}
