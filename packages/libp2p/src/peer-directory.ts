import type { PeerName } from '@murmuration/core'
import type { PeerEventListener } from './events.js'
import type { PeerList, PeerListEntry } from './peer-list.js'

/** The most peer ids of which it is remembered that they were refused. */
const maxRefused = 1000

/** The peer list, once it is known, and so who may connect. */
export class PeerDirectory {
  readonly #emit: PeerEventListener
  readonly #refused = new Set<string>()
  #peerList: PeerList | undefined

  constructor(emit: PeerEventListener) {
    this.#emit = emit
  }

  /** Whether the peer list is known. */
  get isOpen(): boolean {
    return this.#peerList !== undefined
  }

  open(peerList: PeerList): void {
    this.#peerList = peerList
    this.#refused.clear()
  }

  /** The peer of this name. */
  entry(name: PeerName): PeerListEntry | undefined {
    return this.#peerList?.byName.get(name)
  }

  /** The name of the peer with this id. */
  nameOf(id: string): PeerName | undefined {
    return this.#peerList?.byId.get(id)?.name
  }

  /** Whether a peer of the peer list is at this IP address. */
  isKnownHost(host: string): boolean {
    return this.#peerList?.hosts.has(host) ?? false
  }

  /** Why the peer with this id may not connect, reported once per id and peer list; `undefined` when it may. */
  refusalOf(id: string, address: string): string | undefined {
    if (this.nameOf(id) !== undefined) return undefined
    const reason = this.isOpen ? 'it is not in the peer list' : 'this peer has no peer list yet'
    if (!this.#refused.has(id) && this.#refused.size < maxRefused) {
      this.#refused.add(id)
      this.#emit({ kind: 'unknown-peer-refused', id, address, reason })
    }
    return reason
  }
}
