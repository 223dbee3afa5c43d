import type { Links, Milliseconds, PathLink, PeerName } from '@murmuration/core'
import type { Kernel } from '../kernel.js'
import { FirstComeNetwork } from './first-come.js'
import { FluidNetwork } from './fluid.js'

/** How bytes move. */
export interface NetworkOptions {
  /**
   * 'max-min': everything under way shares the lines max-min fairly, exact at any moment. 'first-come': each line carries one
   * message after the other; cheaper, for very large runs.
   */
  readonly model: 'max-min' | 'first-come'
  /** The share of a line's nominal bandwidth that messages get; the rest is packet headers. */
  readonly efficiency: number
  /** Bytes of acknowledgements per byte of a message, in the opposite direction. With 'max-min' only. */
  readonly acknowledgements: number
  /** Bytes on the link that every message costs beside its own. */
  readonly messageOverhead: number
  /** Multiplies every latency: 1; SimGrid's calibrated model LV08 has 13.01. */
  readonly latencyFactor: number
  /** 'stream': all that is sent arrives, in order; loss delays it. 'datagram': what is lost stays lost. */
  readonly transport: 'stream' | 'datagram'
}

/** Lines without headers: what is sent takes bytes over bandwidth, plus the latency. */
export const rawNetwork: NetworkOptions = {
  model: 'max-min',
  efficiency: 1,
  acknowledgements: 0,
  messageOverhead: 0,
  latencyFactor: 1,
  transport: 'stream'
}

/**
 * As measured between machines: one way at a time gets 0.99 of the nominal bandwidth, both at once 0.99 / 1.02 = 0.97, as
 * the acknowledgements of one direction travel in the other.
 */
export const measuredNetwork: NetworkOptions = { ...rawNetwork, efficiency: 0.99, acknowledgements: 0.02 }

/** Something to be carried. */
export interface Transfer {
  readonly bytes: number
  /** Called when the last byte has been sent. */
  sent(): void
}

/** A connection from one machine to another: what is given to it goes one after the other. */
export interface Channel {
  send(transfer: Transfer): void
  /** Forgets what has not been sent; nobody is told. */
  cut(): void
}

/** What carries bytes between machines. */
export interface Network {
  channel(from: PeerName, to: PeerName): Channel
}

export function createNetwork(kernel: Kernel, links: Links, options: NetworkOptions): Network {
  return options.model === 'max-min'
    ? new FluidNetwork(kernel, links, options)
    : new FirstComeNetwork(kernel, links, options)
}

/** Bytes per millisecond, from bits per second. */
export function bytesPerMillisecond(bitsPerSecond: number): number {
  return bitsPerSecond / 8000
}

/** A full packet's payload: Ethernet's 1500 bytes without the headers of IP and TCP, timestamps included. */
export const segmentBytes = 1448

/**
 * The most that one flow gets on its way, in bytes per millisecond: the path's own bandwidth; a window per round trip; and
 * what loss leaves to TCP, segment / round trip · √(3/2) / √loss (Mathis et al. 1997, equation 3).
 */
export function capOf(there: PathLink, back: PathLink, latencyFactor: number): number {
  const roundTrip: Milliseconds = (there.latency + back.latency) * latencyFactor
  const byLoss = there.loss > 0 ? (segmentBytes * Math.sqrt(1.5)) / (roundTrip * Math.sqrt(there.loss)) : Infinity
  const byWindow = roundTrip > 0 ? there.window / roundTrip : Infinity
  return Math.min(bytesPerMillisecond(there.bandwidth), byWindow, byLoss)
}
