import type { StreamHandler } from '@libp2p/interface'
import { Signal } from '../base/signal.js'
import type { LinkContext } from '../links/context.js'
import type { PeerSet } from '../links/peer-set.js'
import { lanProblem, multicastProblem } from '#platform/node/lan.js'
import type { PeerOptions } from '../peer.js'
import type { Circuit } from '../relay/circuit.js'
import { listensForTabs } from '../addresses/for-tabs.js'
import { Discovery } from './discovery.js'
import { introductionsProtocol } from './introductions.js'
import { Reservations } from './reservations.js'

/** How others find this peer, and it finds them: its addresses, seeds, relays, the local network, and routers. */
export class OwnReach {
  readonly #options: PeerOptions
  readonly #context: LinkContext
  readonly #discovery: Discovery
  readonly #reservations: Reservations
  /** Notified when this peer's addresses have changed. */
  readonly #moved = new Signal()
  #discovering: Promise<void> | undefined
  #reserving: Promise<void> | undefined
  #multicastProblem: string | undefined

  constructor(options: PeerOptions, context: LinkContext, peers: PeerSet, circuit: Circuit) {
    this.#options = options
    this.#context = context
    const { identity, relay } = options
    const announces = listensForTabs(options.listen)
    const discovery = { seeds: [], lan: false, ...options.discovery, announces }
    this.#reservations = new Reservations(context, circuit, relay?.via ?? [], () => this.#moved.notify())
    this.#discovery = new Discovery(context, peers, identity, discovery, this.#reservations, this.#moved)
  }

  /** All multiaddrs of this peer, those through relays too. */
  get addresses(): readonly string[] {
    const { id } = this.#options.identity
    const relayed = this.#reservations.addresses.map((address) => `${address}/p2p/${id}`)
    return [...this.#context.node.getMultiaddrs().map(String), ...relayed]
  }

  /** What answers the questions of other peers, by protocol. */
  get handlers(): Readonly<Record<string, StreamHandler>> {
    return { [introductionsProtocol]: (stream, connection) => this.#discovery.serve(stream, connection) }
  }

  /** Once the node listens: reports its addresses and why it is not found, and reserves places at relays. */
  async start(): Promise<void> {
    const { emit } = this.#context
    emit({ kind: 'listening', addresses: this.addresses })
    if (this.#options.discovery?.lan === true) this.#multicastProblem = await multicastProblem()
    for (const reason of this.#lanProblems) emit({ kind: 'not-on-lan', reason })
    this.#watchRouters()
    this.#reserving = this.#reservations.run()
  }

  /**
   * Looks for the peers of a run from now on, where this peer is to find others by more than their listed addresses,
   * and announces its own, where tabs are to find it.
   */
  seek(run: string): void {
    const { discovery, listen } = this.#options
    if (discovery !== undefined || listensForTabs(listen)) this.#discovering = this.#discovery.run(run)
  }

  /** Looks for peers at once: one was admitted. */
  look(): void {
    this.#discovery.look()
  }

  /** Why seeds, relays and the local network were of no use so far. */
  get problems(): readonly string[] {
    const texts = (kind: string, problems: ReadonlyMap<string, string>) =>
      [...problems]
        .filter(([, problem]) => problem !== '')
        .map(([address, problem]) => `no answer from the ${kind} at ${address}: ${problem}`)
    return [
      ...texts('seed', this.#discovery.problems),
      ...texts('relay', this.#reservations.problems),
      ...this.#lanProblems
    ]
  }

  stop(): void {
    this.#discovery.stop()
    this.#reservations.stop()
  }

  /** Resolves once everything has ended after `stop`. */
  async ended(): Promise<void> {
    await this.#discovering
    await this.#reserving
  }

  /** Why nobody on the local network can find this peer, if it is to be found there. */
  get #lanProblems(): readonly string[] {
    const { discovery, listen } = this.#options
    if (discovery?.lan !== true) return []
    return [this.#multicastProblem ?? [], lanProblem(listen, this.#context.node.getMultiaddrs()) ?? []].flat()
  }

  /** Reports addresses that are added later, when a router has begun to forward a port. */
  #watchRouters(): void {
    const { node, emit } = this.#context
    const reported = new Set(node.getMultiaddrs().map(String))
    node.addEventListener('self:peer:update', () => {
      const found = node.getMultiaddrs().map(String)
      const addresses = found.filter((address) => !reported.has(address))
      for (const address of addresses) reported.add(address)
      if (addresses.length === 0) return
      emit({ kind: 'forwarded', addresses })
      this.#moved.notify()
    })
  }
}
