import type { PeerName } from '@murmuration/core'
import type { PeerEventListener } from './events.js'
import type { Roster, RosterEntry } from './roster.js'

/** The most peer ids of which it is remembered that they were refused. */
const maxRefused = 1000

/** Who is who, and so who may connect, once the roster is known. */
export class PeerDirectory {
  readonly #emit: PeerEventListener
  readonly #refused = new Set<string>()
  #roster: Roster | undefined

  constructor(emit: PeerEventListener) {
    this.#emit = emit
  }

  /** Whether the roster is known. */
  get isOpen(): boolean {
    return this.#roster !== undefined
  }

  open(roster: Roster): void {
    this.#roster = roster
    this.#refused.clear()
  }

  /** The peer of this name. */
  entry(name: PeerName): RosterEntry | undefined {
    return this.#roster?.byName.get(name)
  }

  /** The name of the peer with this id. */
  nameOf(id: string): PeerName | undefined {
    return this.#roster?.byId.get(id)?.name
  }

  /** Whether a peer of the roster is at this IP address. */
  isKnownHost(host: string): boolean {
    return this.#roster?.hosts.has(host) ?? false
  }

  /** Why the peer with this id may not connect, told once per id and roster; `undefined` when it may. */
  refusalOf(id: string, address: string): string | undefined {
    if (this.nameOf(id) !== undefined) return undefined
    const why = this.isOpen ? 'it is not in the roster' : 'this peer has no roster yet'
    if (!this.#refused.has(id) && this.#refused.size < maxRefused) {
      this.#refused.add(id)
      this.#emit({ kind: 'stranger-refused', id, address, why })
    }
    return why
  }
}
