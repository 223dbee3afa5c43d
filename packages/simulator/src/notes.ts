import {
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
import { packetsOf, type Presence } from './connection.js'
import { applyRules } from './faults.js'
import type { Kernel } from './kernel.js'
import type { LogHash } from './log-hash.js'
import type { FluidNetwork } from './network/fluid.js'
import { rawNetwork } from './network/network.js'
import type { Gate } from './program.js'
import type { SimulationOptions } from './simulation-options.js'
import type { Traffic } from './traffic.js'
import { type Way, wayBetween } from './way.js'

/** An endpoint that sends and receives notes: a peer or server of a simulation. */
export interface Teller {
  readonly name: PeerName
  readonly index: number
  readonly machine: PeerName
  readonly random: Random
  readonly presence: Presence
  readonly incarnation: number
  readonly gate: Gate
  readonly connections: ReadonlyMap<PeerName, unknown>
  noteLines: Map<PeerName, NoteLine> | undefined
  carried: number
  listener: NoteListener | undefined
}

/** An endpoint that may listen. */
type Listening = Pick<Readonly<Teller>, 'gate' | 'listener'>

/** The connection for notes from one endpoint to another, from when both began until either begins anew. */
export interface NoteLine {
  readonly incarnations: readonly [number, number]
  readonly path: Way['path']
  /** Bytes per millisecond. */
  readonly rate: number
  readonly random: Random
  /** The weight of the notes in flight. */
  pending: number
  /** Until when earlier notes occupy the line. */
  takenUntil: Milliseconds
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
  readonly traffic: Traffic
  readonly log: LogHash
}

/**
 * Carries notes: the bytes of each take the time that the path between the two machines needs for them, one note after the other, and then the
 * latency. Notes go ahead of vectors and take no bandwidth from them: they count as traffic, but a line carries vectors as fast as without them. This
 * is realistic as long as notes are few and short.
 */
export class Notes {
  readonly #options: NotesOptions
  readonly #random: Random

  constructor(options: NotesOptions) {
    this.#options = options
    this.#random = createRandom(options.simulation.seed, 'rules of notes')
  }

  /** See `Fabric.tell`. */
  tell(from: Teller, to: Teller | undefined, note: string): void {
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
    const left = Math.max(kernel.now(), line.takenUntil) + bytes / line.rate
    line.takenUntil = left
    const { latency, jitter } = line.path
    const late = (jitter > 0 ? line.random.uniform() * jitter : 0) + (verdict === 'pass' ? 0 : verdict.delay)
    line.lastArrival = Math.max(line.lastArrival, left + latency + late)
    const end = () => {
      line.pending -= weight
      if (left <= line.cutAt) this.#arrive(from, to, line, note, bytes)
    }
    kernel.schedule(line.lastArrival, () => this.#pass(from, to, end))
  }

  /** Notifies `to` that something has arrived from `from`. */
  heard(to: Listening, from: PeerName): void {
    if (to.listener !== undefined) this.#say(to, (listener) => listener.heard(from))
  }

  /** The peers connected to `peer` try to reconnect after its crash. Call it before the connections are removed. */
  crashed(peer: Teller, others: Iterable<Teller>): void {
    const { kernel } = this.#options
    for (const line of peer.noteLines?.values() ?? []) line.cutAt = kernel.now()
    for (const other of others) {
      if (other.listener === undefined || !(isConnected(peer, other) || isConnected(other, peer))) continue
      const [there, back] = [this.#latency(other, peer), this.#latency(peer, other)]
      kernel.schedule(kernel.now() + back + there, () => this.#refuse(other, peer, back))
    }
  }

  /** Continues once nothing separates the two, if anything can. */
  #pass(from: Teller, to: Teller, goOn: () => void): void {
    const { barriers, simulation } = this.#options
    if (!barriers.isBetween(from.name, to.name)) goOn()
    else if (simulation.network?.transport !== 'datagram') barriers.hold(from.name, to.name, goOn)
  }

  #arrive(from: Teller, to: Teller, line: NoteLine, note: string, bytes: number): void {
    if (!isPresent(line, from, to)) return
    if (to.presence !== 'up') return this.#refuse(from, to, this.#latency(to, from))
    const { log, kernel, traffic } = this.#options
    log.add(kernel.now())
    log.add(from.index)
    log.add(to.index)
    log.add(bytes)
    this.heard(to, from.name)
    this.#say(to, (listener) => {
      if (typeof listener.note(from.name, note) === 'string') traffic.reject(from.name)
    })
  }

  /** A connection attempt of `caller` has reached the machine of `absent`; the refusal takes `back` to return. */
  #refuse(caller: Teller, absent: Teller, back: Milliseconds): void {
    const { kernel, barriers } = this.#options
    const isRefused = () =>
      (absent.presence === 'crashed' || absent.presence === 'absent') &&
      !barriers.isBetween(caller.name, absent.name) &&
      !barriers.isBetween(absent.name, caller.name)
    if (!isRefused()) return
    kernel.schedule(kernel.now() + back, () => {
      if (isRefused()) this.#say(caller, (listener) => listener.refused(absent.name))
    })
  }

  /** A frozen machine receives what it missed when it thaws. */
  #say(to: Listening, say: (listener: NoteListener) => void): void {
    if (to.listener === undefined) return
    const sayNow = () => {
      if (to.listener !== undefined) say(to.listener)
    }
    if (to.gate.isShut) to.gate.held.push(sayNow)
    else sayNow()
  }

  #lineOf(from: Teller, to: Teller): NoteLine {
    const lines = (from.noteLines ??= new Map<PeerName, NoteLine>())
    const known = lines.get(to.name)
    if (known !== undefined && isPresent(known, from, to)) return known
    const { simulation, network } = this.#options
    const { isLocal, path, random } = wayBetween(simulation, from, to, 'notes')
    const line: NoteLine = {
      incarnations: [from.incarnation, to.incarnation],
      path,
      rate: isLocal ? Number.POSITIVE_INFINITY : network.rate(from.machine, to.machine),
      random,
      pending: 0,
      takenUntil: 0,
      lastArrival: 0,
      cutAt: Number.POSITIVE_INFINITY
    }
    lines.set(to.name, line)
    return line
  }

  #latency(from: Teller, to: Teller): Milliseconds {
    return wayBetween(this.#options.simulation, from, to, 'notes').path.latency
  }
}

function isLost({ path, random }: NoteLine, bytes: number): boolean {
  return path.loss > 0 && random.uniform() >= (1 - path.loss) ** packetsOf({ bytes })
}

/** Whether neither end has begun anew since the line was made. */
function isPresent({ incarnations: [from, to] }: NoteLine, teller: Teller, target: Teller): boolean {
  return teller.incarnation === from && target.incarnation === to
}

function isConnected(from: Teller, to: Teller): boolean {
  const line = from.noteLines?.get(to.name)
  return from.connections.has(to.name) || (line !== undefined && isPresent(line, from, to))
}
