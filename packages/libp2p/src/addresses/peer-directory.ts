import type { Connection } from '@libp2p/interface'
import type { PeerName } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import type { PeerEventListener } from '../base/events.js'
import { hostOf, type PeerList, type PeerListEntry } from './peer-list.js'
import { RefusalReports } from '../base/refusals.js'

/** The source of a learnt address: a record signed by its peer, or the local network. */
export type AddressSource = 'signed' | 'lan'

/** The peer list, once it is known: which peers may connect, and their addresses. */
export class PeerDirectory {
  /** Whether unknown peers may connect, to present an invitation. */
  mayKnock = false
  /** Whether a listed peer is shut out because of its faults. */
  isShutOut: (name: PeerName) => boolean = () => false
  /** Called when the other end of a connection exceeds a bound. */
  onFlood: (connection: Connection, detail: string) => void = () => {}
  readonly #refusals: RefusalReports
  /** Learnt addresses, in addition to those of the peer list, by peer id and source. They end in the peer id. */
  readonly #learnt = new Map<string, Map<AddressSource, readonly string[]>>()
  #hosts: ReadonlySet<string> = new Set()
  #peerList: PeerList | undefined

  constructor(emit: PeerEventListener) {
    this.#refusals = new RefusalReports(emit)
  }

  /** Whether the peer list is known. */
  get isOpen(): boolean {
    return this.#peerList !== undefined
  }

  open(peerList: PeerList): void {
    this.#peerList = peerList
    this.#refusals.forget()
  }

  /**
   * Replaces the addresses of a listed peer that this source gave before, in addition to those in the list. Returns
   * whether they have changed.
   */
  learn(id: string, source: AddressSource, addresses: readonly string[]): boolean {
    if (this.nameOf(id) === undefined) return false
    const learnt = this.#learnt.get(id) ?? new Map<AddressSource, readonly string[]>()
    const previous = new Set(this.addressesOf(id))
    const full = addresses.map((address) => `${address}/p2p/${id}`)
    this.#learnt.set(id, learnt.set(source, full))
    const all = [...this.#learnt.values()].flatMap((sources) => [...sources.values()].flat())
    this.#hosts = new Set(all.map((text) => hostOf(multiaddr(text))).filter((host) => host !== undefined))
    return full.some((address) => !previous.has(address))
  }

  /** Adds a peer to the list. Returns false when its name or id is already in it. */
  admit(entry: PeerListEntry): boolean {
    const list = this.#peerList
    if (list === undefined || list.byName.has(entry.name) || list.byId.has(entry.id)) return false
    const byName = new Map([...list.byName, [entry.name, entry]])
    this.#peerList = { ...list, byName, byId: new Map([...list.byId, [entry.id, entry]]) }
    return true
  }

  /** Removes a peer from the list. */
  remove(name: PeerName): void {
    const list = this.#peerList
    const entry = list?.byName.get(name)
    if (list === undefined || entry === undefined) return
    const others = [...list.byName.values()].filter((other) => other !== entry)
    const byId = new Map(others.map((other) => [other.id, other]))
    this.#peerList = { ...list, byName: new Map(others.map((other) => [other.name, other])), byId }
    this.#learnt.delete(entry.id)
  }

  /** All known addresses of a peer; those in the peer list come first. */
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

  /** Whether a listed peer has this IP address, in the list or in learnt addresses. */
  isKnownHost(host: string): boolean {
    return this.#peerList?.hosts.has(host) === true || this.#hosts.has(host)
  }

  /**
   * Why the peer with this id may not connect; `undefined` when it may. That of an unknown peer is reported, see
   * {@link RefusalReports}.
   */
  refusalOf(id: string, address: string): string | undefined {
    const name = this.nameOf(id)
    if (name !== undefined) return this.isShutOut(name) ? 'it is shut out because of its faults' : undefined
    if (this.isOpen && this.mayKnock) return undefined
    return this.refuse(id, address, this.isOpen ? 'it is not in the peer list' : 'this peer has no peer list yet')
  }

  /** Reports that an unknown peer may not connect. Returns the reason. */
  refuse(id: string, address: string, reason: string): string {
    this.#refusals.add({ id, address, reason })
    return reason
  }

  /** Reports the refusals that are not reported yet. */
  stop(): void {
    this.#refusals.stop()
  }
}
