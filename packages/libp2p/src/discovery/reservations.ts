import type { Connection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import { realClock } from '../base/clock.js'
import type { LinkContext } from '../links/context.js'
import { withoutId } from '../addresses/signed-addresses.js'
import { explain } from '../base/explain.js'
import { foreignText } from '../base/foreign-text.js'
import { Signal } from '../base/signal.js'
import { within } from '../base/within.js'
import type { Circuit } from '../relay/circuit.js'

/**
 * The waits between attempts at a relay that refuses: first and longest. The longest is also the interval of checks of
 * a reservation.
 */
const firstWait: Milliseconds = 500
const maxWait: Milliseconds = 20_000

/** The reservations of this peer at relays, through which others dial it. They are kept until the peer closes. */
export class Reservations {
  readonly #context: LinkContext
  readonly #circuit: Circuit
  readonly #relays: readonly string[]
  readonly #changed: () => void
  readonly #wake = new Signal()
  /** The address of this peer, without its id, at each relay where it has a reservation. */
  readonly #addresses = new Map<string, string>()
  /** The peer ids of the relays where this peer has, or wants, a reservation. */
  readonly #ids = new Set<string>()
  /** Why each relay has no place for this peer; empty if it has. */
  readonly #reported = new Map<string, string>()

  /**
   * @param relays - multiaddrs
   * @param changed - called when the addresses have changed
   */
  constructor(context: LinkContext, circuit: Circuit, relays: readonly string[], changed: () => void) {
    this.#context = context
    this.#circuit = circuit
    this.#relays = relays
    this.#changed = changed
  }

  /** Why each relay has no place for this peer; empty if it has. */
  get problems(): ReadonlyMap<string, string> {
    return this.#reported
  }

  /** The addresses of this peer through relays, without its id at their ends. */
  get addresses(): readonly string[] {
    return [...this.#addresses.values()]
  }

  /** Whether the connection to this peer id must stay open because it belongs to a relay of this peer. */
  needs(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Keeps the reservations until the peer closes. */
  async run(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => this.#keep(relay)))
  }

  /** Ends all waits. To be called once `closing` is aborted. */
  stop(): void {
    this.#wake.notify()
  }

  async #keep(relay: string): Promise<void> {
    const { closing } = this.#context
    let wait = firstWait
    while (!closing.aborted) {
      try {
        const connection = await this.#reserve(relay)
        wait = firstWait
        await this.#whileReserved(connection)
        if (!closing.aborted) this.#lose(relay, 'the connection to it was lost')
      } catch (error) {
        if (!closing.aborted) this.#lose(relay, foreignText(explain(error)))
      }
      if (!closing.aborted) await this.#wake.wait(realClock.now() + wait)
      wait = Math.min(2 * wait, maxWait)
    }
  }

  async #reserve(relay: string): Promise<Connection> {
    const { node, limits, closing } = this.#context
    const dial = (signal: AbortSignal) => node.dial(multiaddr(relay), { signal })
    const connection = await within(limits.dialTimeout, closing, dial)
    this.#ids.add(connection.remotePeer.toString())
    await within(limits.handshakeTimeout, closing, () => this.#circuit.reserve(connection, limits.handshakeTimeout))
    // The address at which this peer has reached the relay: the relay's own announcement may be an address of its
    // private network.
    const address = `${withoutId(connection.remoteAddr).toString()}/p2p/${connection.remotePeer.toString()}`
    this.#addresses.set(relay, `${address}/p2p-circuit`)
    this.#report(relay)
    this.#changed()
    return connection
  }

  async #whileReserved(connection: Connection): Promise<void> {
    const { node, closing } = this.#context
    const look = () => this.#wake.notify()
    node.addEventListener('connection:close', look)
    try {
      while (!closing.aborted && connection.status === 'open' && this.#circuit.isReservedAt(connection.remotePeer))
        await this.#wake.wait(realClock.now() + maxWait)
    } finally {
      node.removeEventListener('connection:close', look)
    }
  }

  #lose(relay: string, reason: string): void {
    if (this.#addresses.delete(relay)) this.#changed()
    this.#report(relay, reason)
  }

  /** Reports a change in the state of a relay. */
  #report(relay: string, problem = ''): void {
    if (this.#reported.get(relay) === problem) return
    this.#reported.set(relay, problem)
    const state = problem === '' ? ({ isReached: true } as const) : ({ isReached: false, reason: problem } as const)
    this.#context.emit({ kind: 'relay', address: relay, ...state })
  }
}
