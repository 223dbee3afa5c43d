import type { Milliseconds, PathLink } from '@murmuration/core'

/** How bytes move. */
export interface NetworkOptions {
  /** The fraction of a line's nominal bandwidth that messages get; the rest is packet headers. */
  readonly efficiency: number
  /** Bytes of acknowledgements per byte of a message, in the opposite direction. */
  readonly acknowledgements: number
  /** Bytes on the link that every message costs beside its own. */
  readonly messageOverhead: number
  /** Multiplies every latency: 1; SimGrid's calibrated model LV08 has 13.01. */
  readonly latencyFactor: number
  /**
   * 'stream': all that is sent arrives, in order; loss caps the rate. 'datagram': a message of which a packet is lost is lost
   * as a whole; loss does not slow the others.
   */
  readonly transport: 'stream' | 'datagram'
}

/** Lines without headers: what is sent takes bytes over bandwidth, plus the latency. */
export const rawNetwork: NetworkOptions = {
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

/** Bytes per millisecond, from bits per second. */
export function bytesPerMillisecond(bitsPerSecond: number): number {
  return bitsPerSecond / 8000
}

/** A full packet's payload: Ethernet's 1500 bytes without the headers of IP and TCP, timestamps included. */
export const segmentBytes = 1448

/**
 * The most that one flow gets on its way, in bytes per millisecond: the path's own bandwidth; a window per round trip; and on
 * a stream what loss leaves to TCP, segment / round trip · √(3/2) / √loss (Mathis, Semke, Mahdavi, Ott: The Macroscopic
 * Behavior of the TCP Congestion Avoidance Algorithm, 1997, equation 3). That rate holds the time in which what was lost is
 * sent again, so nothing more is charged for it.
 */
export function capOf(there: PathLink, back: PathLink, { latencyFactor, transport }: NetworkOptions): number {
  const roundTrip: Milliseconds = (there.latency + back.latency) * latencyFactor
  const byLoss =
    there.loss > 0 && transport === 'stream'
      ? (segmentBytes * Math.sqrt(1.5)) / (roundTrip * Math.sqrt(there.loss))
      : Infinity
  const byWindow = roundTrip > 0 ? there.window / roundTrip : Infinity
  return Math.min(bytesPerMillisecond(there.bandwidth), byWindow, byLoss)
}
