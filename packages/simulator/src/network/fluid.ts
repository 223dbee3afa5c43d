import { invariant, type Links, type PathLink, type PeerName } from '@murmuration/core'
import type { Event } from '../event-queue.js'
import type { Kernel } from '../kernel.js'
import { Flow, Line, MaxMin, Use } from './max-min.js'
import { bytesPerMillisecond, type Channel, capOf, type NetworkOptions, type Transfer } from './network.js'

/**
 * Bytes as a fluid: every connection with something to send is a flow with a max-min fair rate, which changes only when a
 * flow begins or ends somewhere near.
 */
export class FluidNetwork {
  readonly #kernel: Kernel
  readonly #links: Links
  readonly #options: NetworkOptions
  readonly #lines = new Map<string, Line>()
  readonly #maxMin = new MaxMin()
  #isSettled = true

  constructor(kernel: Kernel, links: Links, options: NetworkOptions) {
    this.#kernel = kernel
    this.#links = links
    this.#options = options
  }

  channel(from: PeerName, to: PeerName): Channel {
    const there = this.#links.path(from, to)
    const back = this.#links.path(to, from)
    const uses = this.#uses(from, to, there, back)
    const cap = capOf(there, back, this.#options)
    return uses.length === 0 && cap === Infinity ? unlimited : new FluidChannel(this, new Flow(uses, cap))
  }

  /** What the way between two machines carries when nothing else is on it, in bytes per millisecond. */
  rate(from: PeerName, to: PeerName): number {
    const [there, back] = [this.#links.path(from, to), this.#links.path(to, from)]
    const uses = this.#uses(from, to, there, back)
    return Math.min(capOf(there, back, this.#options), ...uses.map(({ line, fraction }) => line.capacity / fraction))
  }

  now(): number {
    return this.#kernel.now()
  }

  /** A flow begins or ends; the rates are found when all that happens at this moment has happened. */
  change(channel: FluidChannel, isActive: boolean): void {
    if (isActive) this.#maxMin.add(channel.flow)
    else this.#maxMin.remove(channel.flow)
    if (!this.#isSettled) return
    this.#isSettled = false
    this.#kernel.atEndOfTimeStep(() => this.#settle())
  }

  schedule(time: number, fire: () => void): Event {
    return this.#kernel.schedule(time, fire)
  }

  #settle(): void {
    this.#isSettled = true
    this.#maxMin.solve((flow, rate) => (flow as ChannelFlow).owner?.setRate(rate))
  }

  /** The lines that limit the way there; and of the way back, what the acknowledgements take of them. */
  #uses(from: PeerName, to: PeerName, there: PathLink, back: PathLink): Use[] {
    const fractions = new Map<Line, number>()
    const take = (line: Line | undefined, fraction: number) => {
      if (line !== undefined && fraction > 0) fractions.set(line, (fractions.get(line) ?? 0) + fraction)
    }
    const { acknowledgements } = this.#options
    for (const line of this.#linesOf(from, to, there)) take(line, 1)
    for (const line of this.#linesOf(to, from, back)) take(line, acknowledgements)
    return [...fractions].map(([line, fraction]) => new Use(line, fraction))
  }

  #linesOf(from: PeerName, to: PeerName, path: PathLink): (Line | undefined)[] {
    return [
      this.#line(`${from} up`, this.#links.access(from).up),
      ...path.pipes.map(({ name, bandwidth }) => this.#line(`pipe ${name}`, bandwidth)),
      this.#line(`${to} down`, this.#links.access(to).down)
    ]
  }

  #line(name: string, bandwidth: number): Line | undefined {
    if (bandwidth === Infinity) return undefined
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    const line = new Line(name, bytesPerMillisecond(bandwidth) * this.#options.efficiency)
    this.#lines.set(name, line)
    return line
  }
}

interface ChannelFlow extends Flow {
  owner?: FluidChannel
}

/** Nothing limits it: everything is sent at once. */
const unlimited: Channel = { send: (transfer) => transfer.sent(), cut: () => {} }

class FluidChannel implements Channel {
  readonly flow: ChannelFlow
  readonly #network: FluidNetwork
  readonly #queue: Transfer[] = []
  /** Bytes of the first transfer that were left at the time `#since`. */
  #left = 0
  #since = 0
  #end: Event | undefined
  readonly #finish = () => this.#finishFirst()

  constructor(network: FluidNetwork, flow: ChannelFlow) {
    this.#network = network
    this.flow = flow
    flow.owner = this
  }

  send(transfer: Transfer): void {
    this.#queue.push(transfer)
    if (this.#queue.length > 1) return
    this.#left = transfer.bytes
    this.#since = this.#network.now()
    this.#network.change(this, true)
  }

  cut(): void {
    if (this.#queue.length === 0) return
    this.#queue.length = 0
    this.#stop()
  }

  setRate(rate: number): void {
    const now = this.#network.now()
    this.#left -= this.flow.rate * (now - this.#since)
    this.#since = now
    this.flow.rate = rate
    this.#plan()
  }

  #plan(): void {
    if (this.#end !== undefined) this.#end.cancelled = true
    this.#end = this.#network.schedule(this.#since + Math.max(0, this.#left) / this.flow.rate, this.#finish)
  }

  #finishFirst(): void {
    const [transfer] = this.#queue
    const now = this.#network.now()
    const lost = this.#left - this.flow.rate * (now - this.#since)
    // The clock has 53 bits, so at its resolution a fast line carries a little more or less.
    const rounding = 1e-6 * transfer.bytes + 1e-14 * now * this.flow.rate
    invariant(Math.abs(lost) <= rounding, () => `${lost} of ${transfer.bytes} bytes were not carried`)
    this.#queue.shift()
    this.#end = undefined
    if (this.#queue.length > 0) {
      this.#left = this.#queue[0].bytes
      this.#since = now
      this.#plan()
    } else this.#stop()
    transfer.sent()
  }

  #stop(): void {
    if (this.#end !== undefined) this.#end.cancelled = true
    this.#end = undefined
    this.#network.change(this, false)
  }
}
