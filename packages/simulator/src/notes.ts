import {
  pow,
  type Milliseconds,
  noteBytes,
  type NoteListener,
  noteRoom,
  noteWeight,
  type PeerName,
  type Random
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { Barriers } from './barriers.js'
import { packetsOf, type EndpointState } from './connection.js'
import { applyRules } from './faults.js'
import type { Kernel } from './kernel.js'
import type { LogHash } from './log-hash.js'
import type { FluidNetwork } from './network/fluid.js'
import { rawNetwork } from './network/network.js'
import type { Gate } from './program.js'
import type { SimulationOptions } from './simulation-options.js'
import type { SimulatedTraffic } from './traffic.js'
import { type EndpointPath, pathBetween } from './endpoint-path.js'

/** An endpoint that sends and receives notes: a peer or server of a simulation. */
export interface NoteEndpoint {
  readonly name: PeerName
  readonly index: number
  readonly machine: PeerName
  readonly random: Random
  readonly presence: EndpointState
  readonly incarnation: number
  readonly gate: Gate
  readonly connections: ReadonlyMap<PeerName, unknown>
  noteLines: Map<PeerName, NoteLine> | undefined
  carried: number
  listener: NoteListener | undefined
}

/** An endpoint that may listen. */
type ListeningEndpoint = Pick<Readonly<NoteEndpoint>, 'gate' | 'listener'>

/** The connection for notes from one endpoint to another, from when both began until either begins anew. */
export interface NoteLine {
  readonly incarnations: readonly [number, number]
  readonly path: EndpointPath['path']
  /** Bytes per millisecond. */
  readonly rate: number
  readonly random: Random
  /** The weight of the notes in flight. */
  pending: number
  /** Until when earlier notes occupy the line. */
  busyUntil: Milliseconds
  lastArrival: Milliseconds
  /** When the sender crashed: what was not sent by then is lost. */
  cutAt: Milliseconds
}

/** What notes need of their simulation. */
export interface NotesOptions {
  readonly simulation: Pick<SimulationOptions<never>, 'links' | 'network' | 'seed' | 'faults'>
  readonly kernel: Kernel
  readonly network: FluidNetwork
  readonly barriers: Barriers
  readonly traffic: SimulatedTraffic
  readonly log: LogHash
}

/**
 * Carries notes: the bytes of each take the time that the path between the two machines needs for them, one note after
 * the other, and then the latency. Notes go ahead of vectors and take no bandwidth from them: they count as traffic,
 * but a line carries vectors as fast as without them. This is realistic as long as notes are few and short.
 */
export class Notes {
  readonly #options: NotesOptions
  readonly #random: Random

  constructor(options: NotesOptions) {
    this.#options = options
    this.#random = createRandom(options.simulation.seed, 'rules of notes')
  }

  /** See `Fabric.tell`. */
  tell(from: NoteEndpoint, to: NoteEndpoint | undefined, note: string): void {
    const length = noteBytes(note)
    if (to === undefined || to === from || to.presence === 'ended') return
    const { simulation, kernel, traffic } = this.#options
    const line = this.#lineOf(from, to)
    const weight = noteWeight(length)
    if (line.pending + weight > noteRoom) return
    const bytes = length + (simulation.network ?? rawNetwork).messageOverhead
    if (from.machine !== to.machine) traffic.countNote(from, to, bytes)
    const verdict = applyRules(simulation.faults?.rules ?? [], from.name, to.name, kernel.now(), this.#random)
    if (verdict === 'drop' || isLost(line, bytes)) return
    line.pending += weight
    const sentAt = Math.max(kernel.now(), line.busyUntil) + bytes / line.rate
    line.busyUntil = sentAt
    const { latency, jitter } = line.path
    const delay = (jitter > 0 ? line.random.uniform() * jitter : 0) + (verdict === 'pass' ? 0 : verdict.delay)
    line.lastArrival = Math.max(line.lastArrival, sentAt + latency + delay)
    const end = () => {
      line.pending -= weight
      if (sentAt <= line.cutAt) this.#arrive(from, to, line, note, bytes)
    }
    kernel.schedule(line.lastArrival, () => this.#pass(from, to, end))
  }

  /** Notifies `to` that something has arrived from `from`. */
  heard(to: ListeningEndpoint, from: PeerName): void {
    if (to.listener !== undefined) this.#notify(to, (listener) => listener.heard(from))
  }

  /** The peers connected to `peer` try to reconnect after its crash. Call it before the connections are removed. */
  crashed(peer: NoteEndpoint, others: Iterable<NoteEndpoint>): void {
    const { kernel } = this.#options
    for (const line of peer.noteLines?.values() ?? []) line.cutAt = kernel.now()
    for (const other of others) {
      if (other.listener === undefined || !(isConnected(peer, other) || isConnected(other, peer))) continue
      const latencyTo = this.#latency(other, peer)
      const latencyFrom = this.#latency(peer, other)
      kernel.schedule(kernel.now() + latencyFrom + latencyTo, () => this.#refuse(other, peer, latencyFrom))
    }
  }

  /** Continues once nothing separates the two, if anything can. */
  #pass(from: NoteEndpoint, to: NoteEndpoint, proceed: () => void): void {
    const { barriers, simulation } = this.#options
    if (!barriers.isBetween(from.name, to.name)) proceed()
    else if (simulation.network?.transport !== 'datagram') barriers.hold(from.name, to.name, proceed)
  }

  #arrive(from: NoteEndpoint, to: NoteEndpoint, line: NoteLine, note: string, bytes: number): void {
    if (!isPresent(line, from, to)) return
    if (to.presence !== 'up') return this.#refuse(from, to, this.#latency(to, from))
    const { log, kernel, traffic } = this.#options
    log.add(kernel.now())
    log.add(from.index)
    log.add(to.index)
    log.add(bytes)
    this.heard(to, from.name)
    this.#notify(to, (listener) => {
      if (typeof listener.note(from.name, note) === 'string') traffic.reject(from.name)
    })
  }

  /** A connection attempt of `caller` has reached the machine of `absent`; the refusal takes `back` to return. */
  #refuse(caller: NoteEndpoint, absent: NoteEndpoint, back: Milliseconds): void {
    const { kernel, barriers } = this.#options
    const isRefused = () =>
      (absent.presence === 'crashed' || absent.presence === 'absent') &&
      !barriers.isBetween(caller.name, absent.name) &&
      !barriers.isBetween(absent.name, caller.name)
    if (!isRefused()) return
    kernel.schedule(kernel.now() + back, () => {
      if (isRefused()) this.#notify(caller, (listener) => listener.refused(absent.name))
    })
  }

  /** A frozen machine receives what it missed when it thaws. */
  #notify(to: ListeningEndpoint, act: (listener: NoteListener) => void): void {
    if (to.listener === undefined) return
    const notifyNow = () => {
      if (to.listener !== undefined) act(to.listener)
    }
    if (to.gate.isShut) to.gate.hold(notifyNow)
    else notifyNow()
  }

  #lineOf(from: NoteEndpoint, to: NoteEndpoint): NoteLine {
    const lines = (from.noteLines ??= new Map<PeerName, NoteLine>())
    const existing = lines.get(to.name)
    if (existing !== undefined && isPresent(existing, from, to)) return existing
    const { simulation, network } = this.#options
    const { isLocal, path, random } = pathBetween(simulation, from, to, 'notes')
    const line: NoteLine = {
      incarnations: [from.incarnation, to.incarnation],
      path,
      rate: isLocal ? Number.POSITIVE_INFINITY : network.rate(from.machine, to.machine),
      random,
      pending: 0,
      busyUntil: 0,
      lastArrival: 0,
      cutAt: Number.POSITIVE_INFINITY
    }
    lines.set(to.name, line)
    return line
  }

  #latency(from: NoteEndpoint, to: NoteEndpoint): Milliseconds {
    return pathBetween(this.#options.simulation, from, to, 'notes').path.latency
  }
}

function isLost({ path, random }: NoteLine, bytes: number): boolean {
  return path.loss > 0 && random.uniform() >= pow(1 - path.loss, packetsOf({ bytes }))
}

/** Whether neither end has begun anew since the line was made. */
function isPresent({ incarnations: [from, to] }: NoteLine, sender: NoteEndpoint, receiver: NoteEndpoint): boolean {
  return sender.incarnation === from && receiver.incarnation === to
}

function isConnected(from: NoteEndpoint, to: NoteEndpoint): boolean {
  const line = from.noteLines?.get(to.name)
  return from.connections.has(to.name) || (line !== undefined && isPresent(line, from, to))
}
