import { InputError, type Milliseconds } from '@murmuration/core'

/** The protocol of handshakes, acknowledgements and heartbeats: small JSON messages, each behind its length. */
export const controlProtocol = '/murmuration/control/1'

/** The protocol of vectors: binary frames, one after the other. */
export const exchangeProtocol = '/murmuration/exchange/1'

/** The version that a hello names. */
export const protocolVersion = 1

/** The longest control message that is read. A hello carries the schema, which is the largest part. */
export const controlBytes = 1 << 20

/** A body is handed to libp2p in pieces of so many bytes, and one piece at most waits in libp2p's write buffer. */
export const pieceBytes = 1 << 20

/** Bounds of queues and waits. All of them can be changed, and the defaults suit a local network. */
export interface Limits {
  /** Frames that one neighbour may have on their way here, unacknowledged. */
  readonly window: number
  /** Frames kept for one neighbour until it acknowledges them, sent or not. `send` says 'full' beyond. */
  readonly sendQueue: number
  /** Frames of one neighbour in the mailbox that are acknowledged before the algorithm takes them. */
  readonly mailbox: number
  /** Bytes that a stream has on its way at most: at least bandwidth times round trip. 4 MiB on a local network. */
  readonly streamWindow: number
  /** How often a neighbour hears from this peer when there is nothing else to say. */
  readonly heartbeat: Milliseconds
  /** A neighbour that was not heard for so long is silent. */
  readonly silentAfter: Milliseconds
  /** The connection to a neighbour that was not heard for so long is cut and built anew. */
  readonly deadAfter: Milliseconds
  /** How long one attempt to connect may take. */
  readonly dialTimeout: Milliseconds
  /** How long a neighbour may take to answer a hello, or to say it. */
  readonly handshakeTimeout: Milliseconds
  /** The wait before the first attempt to connect again; it doubles from there. */
  readonly backoffFirst: Milliseconds
  /** The longest wait between attempts. */
  readonly backoffMost: Milliseconds
  /** Damaged bodies in a row after which a stream is reset. A damaged header resets it at once. */
  readonly badFrames: number
  /** How long `close` waits for acknowledgements. */
  readonly closePatience: Milliseconds
}

/** What holds unless other limits are given. */
export const defaultLimits: Limits = {
  window: 4,
  sendQueue: 8,
  mailbox: 4,
  streamWindow: 4 << 20,
  heartbeat: 2_000,
  silentAfter: 10_000,
  deadAfter: 60_000,
  dialTimeout: 10_000,
  handshakeTimeout: 10_000,
  backoffFirst: 200,
  backoffMost: 5_000,
  badFrames: 3,
  closePatience: 5_000
}

/** The defaults with some of them replaced. Throws an InputError for a limit that is no number above 0. */
export function limitsOf(changes: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...changes }
  for (const [name, value] of Object.entries(limits)) {
    if (!(value > 0)) throw new InputError(`the limit ${name} is ${value}; give a number above 0`)
  }
  if (limits.streamWindow < 256 << 10) {
    throw new InputError(`the limit streamWindow is ${limits.streamWindow} bytes; the least is ${256 << 10}`)
  }
  return limits
}
