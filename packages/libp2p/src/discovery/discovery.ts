import type { Connection, PeerInfo, Stream } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Milliseconds, Random } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import { realClock } from '../base/clock.js'
import { connectionsTo, isOpen, type LinkContext } from '../links/context.js'
import { explain } from '../base/explain.js'
import { foreignText } from '../base/foreign-text.js'
import type { Identity } from '../base/identity.js'
import type { PeerSet } from '../links/peer-set.js'
import type { Signal } from '../base/signal.js'
import { within } from '../base/within.js'
import { AddressBook } from './address-book.js'
import { askingBudgets } from '../base/budgets.js'
import { Announcements, askForAddresses, introduce, maxWanted } from './introductions.js'
import { carriesOthers } from '../addresses/relay-address.js'
import type { Reservations } from './reservations.js'
import { SeedStates } from './seed-states.js'
import { ownAddresses } from '../links/own-addresses.js'
import { type Reach, reachOfAddress, nearest, usableOf } from '../addresses/reach.js'
import { maxAddresses, signAddresses, type SignedAddresses, withoutId } from '../addresses/signed-addresses.js'

/** How a peer finds others of its peer list, besides the addresses in the list. */
export interface DiscoveryOptions {
  /** Multiaddrs of nodes that give addresses: seeds, or any peers of the run. */
  readonly seeds: readonly string[]
  /** Whether to announce this peer on the local network by multicast DNS, and to find others there. */
  readonly lan: boolean
  /** Whether every peer is to know all addresses of this one, to pass them on, though the peer list has some. */
  readonly announces?: boolean
}

/** The waits between questions: the first and the longest while a peer is missing, and the wait while none is. */
const firstWait: Milliseconds = 500
const maxWait: Milliseconds = 20_000
const renewEvery: Milliseconds = 120_000

/** The most peers of the run that are asked at a time. */
const maxPeersAsked = 4

/**
 * Learns the addresses of listed peers from seeds, from other peers and on the local network, and announces those of
 * this peer.
 */
export class Discovery {
  readonly #context: LinkContext
  readonly #peers: PeerSet
  readonly #identity: Identity
  readonly #options: DiscoveryOptions
  readonly #relays: Pick<Reservations, 'addresses' | 'needs'>
  readonly #book = new AddressBook(realClock)
  readonly #wake: Signal
  readonly #budgets = askingBudgets()
  readonly #seeds: SeedStates
  readonly #announcements = new Announcements(realClock, renewEvery)
  /**
   * The reach nearest to this machine among the configured seeds and the local network: nearer learnt addresses are not
   * dialled.
   */
  #within: Reach
  #run = ''
  #wait = firstWait

  /**
   * @param relays - the relays through which this peer can be reached
   * @param moved - notified when the addresses of this peer have changed, which are then announced anew
   */
  constructor(
    context: LinkContext,
    peers: PeerSet,
    identity: Identity,
    options: DiscoveryOptions,
    relays: Pick<Reservations, 'addresses' | 'needs'>,
    moved: Signal
  ) {
    this.#context = context
    this.#peers = peers
    this.#identity = identity
    this.#options = options
    this.#relays = relays
    this.#wake = moved
    this.#seeds = new SeedStates(context.emit)
    this.#within = options.lan ? 'private' : 'public'
    if (options.lan) context.node.addEventListener('peer:discovery', ({ detail }) => this.#foundOnLan(detail))
    if (options.announces === true) context.node.addEventListener('connection:open', () => this.#wake.notify())
  }

  /** Why each seed that was asked did not answer; empty if it did. */
  get problems(): ReadonlyMap<string, string> {
    return this.#seeds.problems
  }

  /** Answers a peer of the run that looks for others. */
  async serve(stream: Stream, connection: Connection): Promise<void> {
    const source = connection.remotePeer.toString()
    if (!this.#budgets.spend(source)) return stream.abort(new Error('it asks too often'))
    await introduce(this.#book, stream, connection, { source, timeout: this.#context.limits.handshakeTimeout })
  }

  /** Asks periodically until the peer closes. */
  async run(run: string): Promise<void> {
    const { closing } = this.#context
    this.#run = run
    while (!closing.aborted) {
      const missing = this.#missing()
      const [found] = await Promise.all([this.#askAll(missing), this.#leaveRelays()])
      if (closing.aborted) return
      this.#wait = found > 0 ? firstWait : Math.min(2 * this.#wait, maxWait)
      await this.#wake.wait(realClock.now() + (missing.length === 0 ? renewEvery : this.#wait))
    }
  }

  /** Asks at once, and again soon while a peer is missing: a new one may be found nowhere yet. */
  look(): void {
    this.#wait = firstWait
    this.#wake.notify()
  }

  /** Ends the wait for the next question. To be called once `closing` is aborted. */
  stop(): void {
    this.#wake.notify()
  }

  /** The ids of the peers to which a direct link is wanted and missing. */
  #missing(): readonly string[] {
    const { directory } = this.#context
    const unconnected = [...this.#peers.sessions.values()].filter(
      ({ neighbour, connections }) => !neighbour.isUnavailable && !connections.some((one) => isOpen(one) && one.direct)
    )
    return unconnected.flatMap(({ name }) => directory.entry(name)?.id ?? [])
  }

  /** Tries to replace relayed connections by direct ones. */
  async #leaveRelays(): Promise<void> {
    const relayed = [...this.#peers.sessions.values()].filter((session) => session.isRelayed)
    await Promise.allSettled(relayed.map((session) => session.seekDirect()))
  }

  /**
   * Asks all seeds, which also announces this peer; some peers while any are missing, and those to which it is to be
   * announced. Resolves with how many new addresses were found.
   */
  async #askAll(missing: readonly string[]): Promise<number> {
    const record = await this.#ownRecord()
    const seeds = this.#options.seeds.map((seed) => this.#askSeed(seed, record, missing))
    const connected = connectionsOf(this.#context, this.#peers)
    const some = missing.length === 0 ? [] : someOf(connected, this.#context.random)
    const due = connected.filter((one) => this.#options.announces === true && this.#announcements.isDue(one))
    const asked = new Set([...some, ...due])
    const peers = [...asked].map((one) => this.#askPeer(one, record, missing))
    const found = await Promise.all([...seeds, ...peers])
    return found.reduce((sum, each) => sum + each, 0)
  }

  async #askSeed(seed: string, record: Uint8Array, missing: readonly string[]): Promise<number> {
    const { node, limits, closing, greet } = this.#context
    try {
      const connection = await within(limits.dialTimeout, closing, (signal) => node.dial(multiaddr(seed), { signal }))
      // A user that configures a seed in a private network wants addresses there.
      this.#within = nearest(this.#within, reachOfAddress(connection.remoteAddr))
      // A seed that is a peer of the run answers only peers of the run: an invited one presents its invitation first.
      await greet?.(connection)
      const found = await this.#ask(connection, { seed, introducer: seed, record, missing })
      this.#seeds.report(seed)
      if (!this.#isNeeded(connection)) await connection.close()
      return found
    } catch (error) {
      if (!closing.aborted) this.#seeds.report(seed, foreignText(explain(error)))
      return 0
    }
  }

  /** Whether a connection to a seed has another use: the seed is a listed peer, or a relay of this or other peers. */
  #isNeeded(connection: Connection): boolean {
    const id = connection.remotePeer.toString()
    return this.#context.directory.nameOf(id) !== undefined || this.#relays.needs(id) || carriesOthers(connection)
  }

  async #askPeer(connection: Connection, record: Uint8Array, missing: readonly string[]): Promise<number> {
    const introducer = this.#context.directory.nameOf(connection.remotePeer.toString()) ?? ''
    this.#announcements.made(connection)
    // A peer need not answer: it is not a seed.
    return this.#ask(connection, { introducer, record, missing }).catch(() => 0)
  }

  async #ask(
    connection: Connection,
    {
      seed,
      introducer,
      record,
      missing
    }: { seed?: string; introducer: string; record: Uint8Array; missing: readonly string[] }
  ): Promise<number> {
    const { handshakeTimeout } = this.#context.limits
    let found = 0
    for (let start = 0; start === 0 || start < missing.length; start += maxWanted) {
      const question = { run: this.#run, record, wanted: missing.slice(start, start + maxWanted) }
      const { seen, records } = await askForAddresses(connection, question, handshakeTimeout)
      if (seed !== undefined) this.#seeds.sees(seed, seen)
      for (const each of records) if (this.#learn(each, introducer)) found++
    }
    return found
  }

  /**
   * Takes the signed addresses of a listed peer, from any source. Returns whether a new address to dial was among them.
   */
  #learn(record: SignedAddresses, introducer: string): boolean {
    if (this.#context.directory.nameOf(record.id) === undefined) return false
    this.#book.keep(this.#run, record, record.id)
    return this.#found(record.id, record.addresses, 'signed', introducer)
  }

  #foundOnLan({ id, multiaddrs }: PeerInfo): void {
    this.#found(id.toString(), multiaddrs.slice(0, maxAddresses).map(withoutId), 'lan', 'the local network')
  }

  #found(id: string, addresses: readonly Multiaddr[], source: 'signed' | 'lan', introducer: string): boolean {
    const { directory, emit } = this.#context
    const peer = directory.nameOf(id)
    if (peer === undefined || id === this.#identity.id) return false
    const usable = usableOf(addresses, this.#within)
    if (usable.length === 0 || !directory.learn(id, source, usable)) return false
    emit({ kind: 'introduced', peer, addresses: usable, by: foreignText(introducer) })
    this.#peers.sessions.get(peer)?.outgoing.retryNow()
    return true
  }

  #ownRecord(): Promise<Uint8Array> {
    const { node, directory, self } = this.#context
    const listed = directory.entry(self)?.addresses ?? []
    const addresses = ownAddresses([...listed, ...this.#relays.addresses], node.getMultiaddrs(), this.#seeds.seen)
    this.#announcements.take(addresses)
    return signAddresses(this.#identity, addresses)
  }
}

/** A connection to each peer that has one. */
function connectionsOf({ node, directory }: LinkContext, { sessions }: PeerSet): readonly Connection[] {
  return [...sessions.keys()].flatMap((name) => {
    const id = directory.entry(name)?.id
    return (id === undefined ? undefined : connectionsTo(node, id).find(isOpen)) ?? []
  })
}

/** A few connections, drawn by chance. */
function someOf(all: readonly Connection[], random: Random): readonly Connection[] {
  if (all.length <= maxPeersAsked) return all
  const start = random.stream('introductions').integer(all.length)
  return Array.from({ length: maxPeersAsked }, (_, step) => all[(start + step) % all.length])
}
