import { multiaddr } from '@multiformats/multiaddr'
import type { PeerName } from '@murmuration/core'
import type { PeerEventListener } from './events.js'
import { hostOf, type PeerList, type PeerListEntry } from './peer-list.js'

/** The most peer ids of which it is remembered that they were refused. */
const maxRefused = 1000

/** From whom an address was learnt: signed by its peer, or heard on the local network. */
export type AddressSource = 'signed' | 'lan'

/** The peer list, once it is known, and so who may connect, and where each can be called. */
export class PeerDirectory {
  /** Whether an unknown peer may connect now, to present an invitation. */
  mayKnock: () => boolean = () => false
  readonly #emit: PeerEventListener
  readonly #refused = new Set<string>()
  /** By peer id and source, beside the peer list's; with the peer id at their ends. */
  readonly #learnt = new Map<string, Map<AddressSource, readonly string[]>>()
  #hosts: ReadonlySet<string> = new Set()
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

  /**
   * Where a peer of the peer list can be called beside what the list says, in place of what the source said before. Returns whether it is something
   * new.
   */
  learn(id: string, source: AddressSource, addresses: readonly string[]): boolean {
    if (this.nameOf(id) === undefined) return false
    const learnt = this.#learnt.get(id) ?? new Map<AddressSource, readonly string[]>()
    const known = new Set(this.addressesOf(id))
    const full = addresses.map((address) => `${address}/p2p/${id}`)
    this.#learnt.set(id, learnt.set(source, full))
    const all = [...this.#learnt.values()].flatMap((sources) => [...sources.values()].flat())
    this.#hosts = new Set(all.map((text) => hostOf(multiaddr(text))).filter((host) => host !== undefined))
    return full.some((address) => !known.has(address))
  }

  /** Adds a peer to the list. Returns false where its name or id is there already. */
  admit(entry: PeerListEntry): boolean {
    const list = this.#peerList
    if (list === undefined || list.byName.has(entry.name) || list.byId.has(entry.id)) return false
    const byName = new Map([...list.byName, [entry.name, entry]])
    this.#peerList = { ...list, byName, byId: new Map([...list.byId, [entry.id, entry]]) }
    return true
  }

  /** Takes a peer out of the list. */
  remove(name: PeerName): void {
    const list = this.#peerList
    const entry = list?.byName.get(name)
    if (list === undefined || entry === undefined) return
    const others = [...list.byName.values()].filter((other) => other !== entry)
    const byId = new Map(others.map((other) => [other.id, other]))
    this.#peerList = { ...list, byName: new Map(others.map((other) => [other.name, other])), byId }
    this.#learnt.delete(entry.id)
  }

  /** Where a peer can be called, as far as is known: first what the peer list says. */
  addressesOf(id: string): readonly string[] {
    const listed = this.#peerList?.byId.get(id)?.addresses ?? []
    return [...new Set([...listed, ...[...(this.#learnt.get(id)?.values() ?? [])].flat()])]
  }

  /** The peer of this name. */
  entry(name: PeerName): PeerListEntry | undefined {
    return this.#peerList?.byName.get(name)
  }

  /** The name of the peer with this id. */
  nameOf(id: string): PeerName | undefined {
    return this.#peerList?.byId.get(id)?.name
  }

  /** Whether a peer of the peer list is at this IP address, by the list or by what was learnt. */
  isKnownHost(host: string): boolean {
    return this.#peerList?.hosts.has(host) === true || this.#hosts.has(host)
  }

  /** Why the peer with this id may not connect, reported once per id and peer list; `undefined` when it may. */
  refusalOf(id: string, address: string): string | undefined {
    if (this.nameOf(id) !== undefined) return undefined
    if (this.isOpen && this.mayKnock()) return undefined
    return this.refuse(id, address, this.isOpen ? 'it is not in the peer list' : 'this peer has no peer list yet')
  }

  /** Reports that a peer may not connect, once per id and peer list. Returns the reason. */
  refuse(id: string, address: string, reason: string): string {
    if (!this.#refused.has(id) && this.#refused.size < maxRefused) {
      this.#refused.add(id)
      this.#emit({ kind: 'unknown-peer-refused', id, address, reason })
    }
    return reason
  }
}
