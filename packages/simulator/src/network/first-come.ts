import type { Links, PathLink, PeerName } from '@murmuration/core'
import type { Kernel } from '../kernel.js'
import {
  bytesPerMillisecond,
  type Channel,
  capOf,
  type Network,
  type NetworkOptions,
  type Transfer
} from './network.js'

/** A line that carries one message after the other. */
interface Line {
  /** Milliseconds per byte. */
  readonly pace: number
  /** When all that it was given will be over. */
  freeAt: number
}

/**
 * Each line carries messages in the order in which they were handed over, each at full speed, so that a message costs a few
 * additions however many others there are. A message that waits for one line holds no other up. What this gets wrong is
 * the order of messages that share lines for a while; the bytes per second of a busy line are right.
 */
export class FirstComeNetwork implements Network {
  readonly #kernel: Kernel
  readonly #links: Links
  readonly #options: NetworkOptions
  readonly #lines = new Map<string, Line>()

  constructor(kernel: Kernel, links: Links, options: NetworkOptions) {
    this.#kernel = kernel
    this.#links = links
    this.#options = options
  }

  channel(from: PeerName, to: PeerName): Channel {
    const there = this.#links.path(from, to)
    const cap = capOf(there, this.#links.path(to, from), this.#options.latencyFactor)
    return new QueuedChannel(this.#kernel, [...this.#linesOf(from, to, there), { pace: 1 / cap, freeAt: 0 }])
  }

  #linesOf(from: PeerName, to: PeerName, path: PathLink): Line[] {
    const limits = [
      [`${from} up`, this.#links.access(from).up] as const,
      ...path.pipes.map(({ name, bandwidth }) => [`pipe ${name}`, bandwidth] as const),
      [`${to} down`, this.#links.access(to).down] as const
    ]
    return limits
      .filter(([, bandwidth]) => bandwidth < Infinity)
      .map(([name, bandwidth]) => this.#line(name, bandwidth))
  }

  #line(name: string, bandwidth: number): Line {
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    const line = { pace: 1 / (bytesPerMillisecond(bandwidth) * this.#options.efficiency), freeAt: 0 }
    this.#lines.set(name, line)
    return line
  }
}

class QueuedChannel implements Channel {
  readonly #kernel: Kernel
  readonly #lines: readonly Line[]
  #generation = 0

  constructor(kernel: Kernel, lines: readonly Line[]) {
    this.#kernel = kernel
    this.#lines = lines
  }

  /** On each line it begins when the line is free and the lines before have begun; it ends when the last of them has ended. */
  send(transfer: Transfer): void {
    const generation = this.#generation
    let begin = this.#kernel.now()
    let end = begin
    for (const line of this.#lines) {
      begin = Math.max(begin, line.freeAt)
      line.freeAt = begin + transfer.bytes * line.pace
      end = Math.max(end, line.freeAt)
    }
    const finish = () => {
      if (generation === this.#generation) transfer.sent()
    }
    this.#kernel.schedule(end, finish)
  }

  cut(): void {
    this.#generation++
  }
}
