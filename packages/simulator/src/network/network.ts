/** How bytes move. */
export interface NetworkOptions {
  /** The fraction of a line's nominal bandwidth that messages get; the rest is packet headers. */
  readonly efficiency: number
  /** Bytes of acknowledgements per byte of a message, in the opposite direction. */
  readonly acknowledgements: number
  /** Bytes on the link that every message costs in addition to its own. */
  readonly messageOverhead: number
  /** Multiplies every latency: 1; SimGrid's calibrated model LV08 has 13.01. */
  readonly latencyFactor: number
  /**
   * 'stream': everything that is sent arrives, in order; loss caps the rate. 'datagram': a message with a lost packet
   * is lost as a whole; loss does not slow the others.
   */
  readonly transport: 'stream' | 'datagram'
}

/** Lines without headers: a message takes its bytes over the bandwidth, plus the latency. */
export const rawNetwork: NetworkOptions = {
  efficiency: 1,
  acknowledgements: 0,
  messageOverhead: 0,
  latencyFactor: 1,
  transport: 'stream'
}

/**
 * As measured between machines: one direction alone gets 0.99 of the nominal bandwidth, both at once get 0.99 / 1.02 =
 * 0.97, since the acknowledgements of one direction travel in the other.
 */
export const measuredNetwork: NetworkOptions = { ...rawNetwork, efficiency: 0.99, acknowledgements: 0.02 }

/** Bytes to be sent. */
export interface Transfer {
  readonly bytes: number
  /** Called when the last byte has been sent. */
  sent(): void
  /** Called when it is dropped before it began. */
  withdrawn(): void
}

/** A connection from one machine to another, which sends transfers one after the other. */
export interface NetworkChannel {
  send(transfer: Transfer): void
  /** Drops silently what has not been sent. */
  cut(): void
  /** Drops the transfers that have not begun. */
  withdraw(): void
}

/** Bytes per millisecond, from bits per second. */
export function bytesPerMillisecond(bitsPerSecond: number): number {
  return bitsPerSecond / 8000
}
