import {
  type Envelope,
  invariant,
  type Milliseconds,
  type PeerName,
  type SendResult,
  StoppedError,
  type Work
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Barriers } from './barriers.js'
import { type Carrier, Connection, Delivery } from './connection.js'
import { Endpoint } from './endpoint.js'
import type { Event } from './event-queue.js'
import { SimulatedFabric, type SimulatedWorld } from './fabric.js'
import { type FaultEvent, type Faults, applyRules, noFaults } from './faults.js'
import { Kernel } from './kernel.js'
import { KernelProgram } from './program.js'
import { LogHash } from './log-hash.js'
import { FluidNetwork } from './network/fluid.js'
import { rawNetwork } from './network/network.js'
import { Notes } from './notes.js'
import type { PeerProgram, Server, SimulationOptions } from './simulation-options.js'
import type { TimeTotals } from './time-use.js'
import { busiestOf, SimulatedTraffic } from './traffic.js'
import { pathBetween } from './endpoint-path.js'

/** A simulation that can be watched and stopped from outside while it runs. */
export class Simulation<Message> implements SimulatedWorld<Message>, Carrier<Message> {
  readonly kernel = new Kernel()
  readonly traffic = new SimulatedTraffic()
  /** A hash of every arrival and every end of a computation, in order. */
  readonly log = new LogHash()
  /** Whether all peers were told to stop: by {@link stop}, at the end of the time, or after a failure. */
  isStopping = false
  readonly #options: SimulationOptions<Message>
  readonly #program: PeerProgram<Message>
  readonly #network: FluidNetwork
  readonly #endpoints = new Map<PeerName, Endpoint<Message>>()
  readonly #barriers = new Barriers()
  readonly #notes: Notes
  readonly #faults: Faults
  readonly #ruleRandom
  #failure: { readonly error: unknown } | undefined

  constructor(options: SimulationOptions<Message>, program: PeerProgram<Message>) {
    this.#options = options
    this.#program = program
    this.#network = new FluidNetwork(this.kernel, options.links, options.network ?? rawNetwork)
    this.#faults = options.faults ?? noFaults
    this.#ruleRandom = createRandom(options.seed, 'rules')
    const { kernel, traffic, log } = this
    const network = this.#network
    const barriers = this.#barriers
    this.#notes = new Notes({ simulation: options, kernel, traffic, log, network, barriers })
    const peers = options.topology.peers.map((name): Server => ({ name }))
    const random = createRandom(options.seed)
    for (const [index, { name, on = name }] of [...peers, ...(options.servers ?? [])].entries()) {
      invariant(!this.#endpoints.has(name), () => `two endpoints have the name ${name}`)
      this.#endpoints.set(name, new Endpoint(name, index, on, random.stream(name)))
    }
  }

  now(): Milliseconds {
    return this.kernel.now()
  }

  /** Runs to the end. Rejects as {@link simulate} does. */
  async run(): Promise<void> {
    const { stops, until } = this.#options
    const joiners = new Set(this.#faults.events.flatMap((event) => (event.kind === 'join' ? [event.peer] : [])))
    for (const event of this.#faults.events) this.#planFault(event)
    for (const endpoint of this.#endpoints.values()) if (!joiners.has(endpoint.name)) this.#join(endpoint)
    for (const [peer, time] of stops ?? []) this.kernel.schedule(time, () => this.leave(this.#endpoint(peer)))
    if (!(await this.kernel.run(until))) {
      this.stop('the time is up')
      await this.kernel.run()
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Tells all peers to stop. Call it from a program or an observer, while the clock stands still. */
  stop(reason?: string): void {
    if (this.isStopping) return
    this.isStopping = true
    this.kernel.expectNoProgram()
    for (const endpoint of this.#endpoints.values()) {
      // A peer that is frozen until the end never receives its notes.
      endpoint.listener = undefined
      this.#thaw(endpoint)
      this.leave(endpoint, new StoppedError(reason))
    }
  }

  /** The machine whose line carried the most bytes, in both directions together. */
  busiest(): { readonly name: PeerName; readonly bytes: number } {
    return busiestOf(this.#endpoints.values())
  }

  /** Whether a peer has crashed and not restarted. */
  hasCrashed(peer: PeerName): boolean {
    return this.#endpoint(peer).presence === 'crashed'
  }

  /** How a peer has spent its time until now. */
  timeOf(peer: PeerName): TimeTotals {
    return this.#endpoint(peer).timeUse.totals(this.now())
  }

  mixing(peer: PeerName, round: number) {
    const { topology, servers = [] } = this.#options
    const isServer = servers.length > 0 && servers.some(({ name }) => name === peer)
    invariant(!isServer, () => `${peer} is a server, which has no neighbours and no row in the topology`)
    return topology.mixing(peer, round)
  }

  cost(work: Work<unknown>, peer: PeerName): Milliseconds {
    return this.#options.cost(work, peer)
  }

  recycle(message: Message): void {
    this.#options.wire.recycle?.(message)
  }

  allocate(length: number): Float32Array {
    return this.#options.wire.allocate?.(length) ?? new Float32Array(length)
  }

  free(vector: Float32Array): void {
    this.#options.wire.free?.(vector)
  }

  reject({ from, message }: Envelope<Message>): void {
    this.traffic.reject(from)
    this.recycle(message)
  }

  add(event: Event): void {
    this.kernel.add(event)
  }

  spawn(endpoint: Endpoint<Message>, activity: PeerProgram<Message>): void {
    const program = new KernelProgram(endpoint.name, endpoint.gate)
    endpoint.programs = endpoint.programs.concat(program)
    const fabric = new SimulatedFabric(this, endpoint, program)
    this.kernel.start(program, () => activity(fabric), this.#ended)
  }

  send(from: Endpoint<Message>, to: PeerName, message: Message): SendResult {
    const target = this.#endpoints.get(to)
    if (target === undefined || target === from || target.presence === 'ended') return 'unreachable'
    const { wire, network = rawNetwork, queueLimit = 8 } = this.#options
    const existing = from.connections.get(to)
    const connection = existing?.isPresent ? existing : this.#connect(from, target)
    if (!connection.turnTo(wire.epochOf?.(message) ?? 0)) return 'queued'
    const weight = wire.weight?.(message) ?? 1
    const isFull = connection.pending > 0 && connection.pending + weight > queueLimit * (wire.largest ?? 1)
    if (isFull) return 'full'
    const copy = connection.wire.copy(message)
    const bytes = connection.wire.byteLength(message) + network.messageOverhead
    const payload = connection.wire.payloadLength(message)
    if (from.machine !== target.machine) this.traffic.count(from, target, bytes, payload)
    const { rules } = this.#faults
    const now = this.now()
    const verdict = rules.length === 0 ? 'pass' : applyRules(rules, from.name, to, now, this.#ruleRandom)
    if (verdict === 'drop') {
      this.#options.observer?.message?.(from.name, to, bytes, now, undefined)
      wire.recycle?.(copy)
      return 'queued'
    }
    const delay = verdict === 'pass' ? 0 : verdict.delay
    connection.send(new Delivery(connection, copy, bytes, payload, weight, now, delay))
    return 'queued'
  }

  tell(from: Endpoint<Message>, to: PeerName, note: string): void {
    this.#notes.tell(from, this.#endpoints.get(to), note)
  }

  arrived(delivery: Delivery<Message>): void {
    const { from, to } = delivery.connection
    if (!this.#barriers.isBetween(from.name, to.name)) this.#deliver(delivery)
    else if (this.#options.network?.transport === 'datagram') this.lost(delivery)
    else this.#barriers.hold(from.name, to.name, () => this.#deliver(delivery, true))
  }

  lost(delivery: Delivery<Message>, wasSent = true): void {
    const { connection, message, bytes, payload, sentAt } = delivery
    const { from, to } = connection
    connection.taken(delivery)
    if (wasSent) return this.#options.observer?.message?.(from.name, to.name, bytes, sentAt, undefined)
    this.traffic.uncount(this.#endpoint(from.name), this.#endpoint(to.name), bytes, payload)
    this.recycle(message)
  }

  workEnded(endpoint: Endpoint<Message>, kind: string, start: Milliseconds): void {
    this.log.add(this.now())
    this.log.add(-1 - endpoint.index)
    this.#options.observer?.work?.(endpoint.name, kind, start, this.now())
  }

  /** @param isOneOfMany - whether the event delivers others too: then programs are woken, and take turns */
  #deliver(delivery: Delivery<Message>, isOneOfMany = false): void {
    const { from, to } = delivery.connection
    if (to.presence !== 'up' || !delivery.connection.isPresent) return this.lost(delivery)
    const now = this.now()
    this.log.add(now)
    this.log.add(from.index * this.#endpoints.size + to.index)
    this.log.add(delivery.bytes)
    this.#options.observer?.message?.(from.name, to.name, delivery.bytes, delivery.sentAt, now)
    this.#notes.heard(to, from.name)
    if (!isOneOfMany && to.isTakenIn(delivery, this.kernel)) return
    const program = to.mailbox.deliver(delivery)
    if (program !== undefined) delivery.connection.taken(delivery)
    if (program !== undefined) this.kernel.wake(program, delivery)
  }

  #connect(from: Endpoint<Message>, to: Endpoint<Message>): Connection<Message> {
    const { wire, network = rawNetwork } = this.#options
    const { isLocal, path, random } = pathBetween(this.#options, from, to, 'link')
    const channel = isLocal ? undefined : this.#network.channel(from.machine, to.machine)
    const route = { channel, path, transport: network.transport, random }
    const connection = new Connection(from, to, this, route, wire.link?.(from.name, to.name) ?? wire)
    from.connections.set(to.name, connection)
    return connection
  }

  #join(endpoint: Endpoint<Message>): void {
    endpoint.begin()
    this.spawn(endpoint, this.#program)
  }

  leave(endpoint: Endpoint<Message>, reason: unknown = new StoppedError()): void {
    endpoint.stop(reason)
    for (const program of endpoint.programs) {
      if (program.waitingFor !== undefined) this.kernel.fail(program, reason)
    }
  }

  #crash(endpoint: Endpoint<Message>): void {
    endpoint.end('crashed')
    this.#notes.crashed(endpoint, this.#endpoints.values())
    for (const program of endpoint.programs) this.kernel.kill(program)
    endpoint.programs = []
    endpoint.gate.clear()
    endpoint.mailbox.clear()
    for (const connection of endpoint.connections.values()) connection.cut()
    endpoint.connections.clear()
    endpoint.noteLines = undefined
    for (const other of this.#endpoints.values()) other.connections.delete(endpoint.name)
    endpoint.timeUse.clear(this.now())
  }

  #thaw(endpoint: Endpoint<Message>): void {
    if (endpoint.frozenSince === undefined) return
    endpoint.frozenFor += this.now() - endpoint.frozenSince
    endpoint.frozenSince = undefined
    endpoint.gate.open()
  }

  /** After the first failure all peers are stopped, so that the simulation ends. */
  readonly #ended = (program: KernelProgram, error: unknown): void => {
    const endpoint = this.#endpoint(program.peer)
    endpoint.programs = endpoint.programs.filter((other) => other !== program)
    if (endpoint.programs.length === 0) endpoint.end('ended')
    if (error === undefined || error instanceof StoppedError || this.#failure !== undefined) return
    this.#failure = { error }
    this.stop()
  }

  #planFault(event: FaultEvent): void {
    const starts = event.kind === 'join' || event.kind === 'restart'
    if (starts) this.kernel.expectProgram()
    const happen = () => {
      if (this.isStopping) return
      if (starts) this.kernel.resolveExpectedProgram()
      this.#options.observer?.fault?.(event)
      this.#applyFault(event)
    }
    this.kernel.schedule(event.at, happen)
  }

  #applyFault(event: FaultEvent): void {
    if (!('peer' in event)) return this.#barriers.apply(event)
    const endpoint = this.#endpoint(event.peer)
    const { presence } = endpoint
    if (event.kind === 'skew') endpoint.skew(this.now(), event.factor)
    if (event.kind === 'crash' && presence === 'up') this.#crash(endpoint)
    if (event.kind === 'restart' && presence === 'crashed') this.#join(endpoint)
    if (event.kind === 'join' && presence === 'absent') this.#join(endpoint)
    if (event.kind === 'leave' && presence === 'up') this.leave(endpoint)
    if (event.kind === 'thaw') this.#thaw(endpoint)
    if (event.kind === 'freeze' && presence === 'up' && endpoint.frozenSince === undefined) {
      endpoint.frozenSince = this.now()
      endpoint.gate.shut()
    }
  }

  #endpoint(peer: PeerName): Endpoint<Message> {
    const endpoint = this.#endpoints.get(peer)
    invariant(endpoint !== undefined, () => `the simulation has no endpoint ${peer}`)
    return endpoint
  }
}
