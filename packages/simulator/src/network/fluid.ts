import { invariant, type Links, pathCap, type PathLink, type PeerName } from '@murmuration/core'
import type { Event } from '../event-queue.js'
import type { Kernel } from '../kernel.js'
import { NetworkFlow, Line, MaxMin, Use } from './max-min.js'
import { bytesPerMillisecond, type NetworkChannel, type NetworkOptions, type Transfer } from './network.js'

/**
 * Bytes as a fluid: every connection with something to send is a flow with a max-min fair rate, which changes only when
 * a related flow begins or ends.
 */
export class FluidNetwork {
  readonly #kernel: Kernel
  readonly #links: Links
  readonly #options: NetworkOptions
  readonly #up = new Map<PeerName, Line>()
  readonly #down = new Map<PeerName, Line>()
  readonly #pipes = new Map<string, Line>()
  readonly #maxMin = new MaxMin()
  #isSettled = true

  constructor(kernel: Kernel, links: Links, options: NetworkOptions) {
    this.#kernel = kernel
    this.#links = links
    this.#options = options
  }

  channel(from: PeerName, to: PeerName): NetworkChannel {
    const path = this.#links.path(from, to)
    const returnPath = this.#links.path(to, from)
    const uses = this.#uses(from, to, path, returnPath)
    const cap = pathCap(path, returnPath, this.#options)
    return uses.length === 0 && cap === Infinity ? unlimited : new FluidChannel(this, uses, cap)
  }

  /** The rate between two machines when nothing else is sent, in bytes per millisecond. */
  rate(from: PeerName, to: PeerName): number {
    const path = this.#links.path(from, to)
    const returnPath = this.#links.path(to, from)
    const uses = this.#uses(from, to, path, returnPath)
    return Math.min(
      pathCap(path, returnPath, this.#options),
      ...uses.map(({ line, fraction }) => line.capacity / fraction)
    )
  }

  now(): number {
    return this.#kernel.now()
  }

  /** A flow begins or ends; the rates are computed after all events of this moment. */
  change(channel: FluidChannel, isActive: boolean): void {
    if (isActive) this.#maxMin.add(channel)
    else this.#maxMin.remove(channel)
    if (!this.#isSettled) return
    this.#isSettled = false
    this.#kernel.atEndOfTimeStep(() => this.#settle())
  }

  add(event: Event): void {
    this.#kernel.add(event)
  }

  #settle(): void {
    this.#isSettled = true
    this.#maxMin.solve((flow, rate) => (flow as FluidChannel).setRate(rate))
  }

  /** The lines that limit `path`, and the fraction that acknowledgements take of the lines of `returnPath`. */
  #uses(from: PeerName, to: PeerName, path: PathLink, returnPath: PathLink): Use[] {
    const fractions = new Map<Line, number>()
    const take = (line: Line | undefined, fraction: number) => {
      if (line !== undefined && fraction > 0) fractions.set(line, (fractions.get(line) ?? 0) + fraction)
    }
    const { acknowledgements } = this.#options
    for (const line of this.#linesOf(from, to, path)) take(line, 1)
    for (const line of this.#linesOf(to, from, returnPath)) take(line, acknowledgements)
    return Array.from(fractions, ([line, fraction]) => new Use(line, fraction))
  }

  #linesOf(from: PeerName, to: PeerName, path: PathLink): (Line | undefined)[] {
    return [
      this.#line(this.#up, from, this.#links.access(from).up, 'up'),
      ...path.pipes.map(({ name, bandwidth }) => this.#line(this.#pipes, name, bandwidth, 'pipe')),
      this.#line(this.#down, to, this.#links.access(to).down, 'down')
    ]
  }

  #line<Name extends string>(
    lines: Map<Name, Line>,
    name: Name,
    bandwidth: number,
    kind: 'up' | 'down' | 'pipe'
  ): Line | undefined {
    if (bandwidth === Infinity) return undefined
    const existing = lines.get(name)
    if (existing !== undefined) return existing
    const line = new Line(name, bytesPerMillisecond(bandwidth) * this.#options.efficiency, lineKinds[kind])
    lines.set(name, line)
    return line
  }
}

const lineKinds = { up: 'line up', down: 'line down', pipe: 'pipe' } as const

/** No limit: everything is sent at once. */
const unlimited: NetworkChannel = {
  send: (transfer) => transfer.sent(),
  cut: () => {},
  withdraw: () => {}
}

/** The end of a channel's current transfer, unless its rate changes before. */
class EndOfTransfer implements Event {
  cancelled = false

  constructor(
    readonly channel: FluidChannel,
    public time: number
  ) {}

  fire(): void {
    this.channel.finishFirst()
  }
}

class FluidChannel extends NetworkFlow implements NetworkChannel {
  readonly #network: FluidNetwork
  #transfer: Transfer | undefined
  /** The transfers after `#transfer`. */
  #next: Transfer[] | undefined
  /** Bytes of the transfer that were left at the time `#since`. */
  #left = 0
  #since = 0
  #end: EndOfTransfer | undefined
  /** Whether `#end` is scheduled: one that has fired is used again. */
  #isPlanned = false

  constructor(network: FluidNetwork, uses: readonly Use[], cap: number) {
    super(uses, cap)
    this.#network = network
  }

  send(transfer: Transfer): void {
    if (this.#transfer !== undefined) {
      if (this.#next === undefined) this.#next = [transfer]
      else this.#next.push(transfer)
      return
    }
    this.#transfer = transfer
    this.#left = transfer.bytes
    this.#since = this.#network.now()
    this.#network.change(this, true)
  }

  cut(): void {
    if (this.#transfer === undefined) return
    this.#transfer = undefined
    this.#next = undefined
    this.#stop()
  }

  withdraw(): void {
    const withdrawn = this.#next ?? []
    this.#next = undefined
    for (const transfer of withdrawn) transfer.withdrawn()
  }

  setRate(rate: number): void {
    const now = this.#network.now()
    this.#left -= this.rate * (now - this.#since)
    this.#since = now
    this.rate = rate
    this.#plan()
  }

  #plan(): void {
    this.#cancelEnd()
    const now = this.#network.now()
    const time = Math.max(now, this.#since + Math.max(0, this.#left) / this.rate)
    if (this.#end === undefined) this.#end = new EndOfTransfer(this, time)
    else this.#end.time = time
    this.#isPlanned = true
    this.#network.add(this.#end)
  }

  #cancelEnd(): void {
    if (!this.#isPlanned || this.#end === undefined) return
    this.#end.cancelled = true
    this.#end = undefined
    this.#isPlanned = false
  }

  /** The last byte of the transfer was sent. */
  finishFirst(): void {
    const transfer = this.#transfer as Transfer
    const now = this.#network.now()
    const lost = this.#left - this.rate * (now - this.#since)
    // The clock has 53 bits, so at its resolution a fast line carries a little more or less.
    const rounding = 1e-6 * transfer.bytes + 1e-14 * now * this.rate
    invariant(Math.abs(lost) <= rounding, () => `${lost} of ${transfer.bytes} bytes were not carried`)
    this.#isPlanned = false
    this.#transfer = this.#next?.shift()
    if (this.#transfer !== undefined) {
      this.#left = this.#transfer.bytes
      this.#since = now
      this.#plan()
    } else this.#stop()
    transfer.sent()
  }

  #stop(): void {
    this.#cancelEnd()
    this.#network.change(this, false)
  }
}
