import { InputError, type Milliseconds } from '@murmuration/core'

/**
 * The protocol of handshakes, acknowledgements, heartbeats and notes: small JSON messages, each behind its length. Its
 * name stays, and so do the versions in a hello and in a refusal, so that a peer of another wire is told which version
 * each has.
 */
export const controlProtocol = '/murmuration/control/5'

/** The protocol of vectors: binary frames, one after the other, on a stream of libp2p or on a data channel. */
export const exchangeProtocol = '/murmuration/exchange/3'

/** The wire: the version in a hello, of all messages that follow. */
export const protocolVersion = 12

/** The longest control message that is read. A hello carries the schema, which is the largest part. */
export const controlBytes = 1 << 20

/** The most unacknowledged messages of one neighbour, however short: each takes some memory. */
export const maxInFlight = 1 << 12

/** Bounds of queues and waits. All of them can be changed, and the defaults suit a local network. */
export interface Limits {
  /**
   * The most unacknowledged vectors of one neighbour, in whole vectors; ranges count by their length. With 1, each
   * vector would wait for the acknowledgement of the previous one, which costs a latency per round.
   */
  readonly window: number
  /** Whole vectors kept for one neighbour until it acknowledges them, sent or not. Beyond, `send` returns 'full'. */
  readonly sendQueue: number
  /** Whole vectors of one neighbour that are acknowledged while they are still in the mailbox. */
  readonly mailbox: number
  /**
   * The most bytes of a stream in flight: at least bandwidth times round trip. Links with a short round trip use less,
   * down to 1 MiB, so that control messages do not wait behind vectors.
   */
  readonly streamWindow: number
  /** Neighbours are offered a data channel when a whole vector has at least this many bytes. */
  readonly channelFrom: number
  /**
   * The interval at which the links are checked. A neighbour that sends nothing for this time is pinged; with more than
   * sixteen neighbours the time is longer, up to a third of `silentAfter`.
   */
  readonly heartbeat: Milliseconds
  /** A neighbour that sends nothing for this time is silent. */
  readonly silentAfter: Milliseconds
  /** The connection to a neighbour that sends nothing for this time is cut and built again. */
  readonly deadAfter: Milliseconds
  /** The timeout of one attempt to connect. */
  readonly dialTimeout: Milliseconds
  /**
   * How many neighbours are dialled at a time. Each handshake takes some milliseconds of computation at both ends: when
   * too many begin at once, all of them time out.
   */
  readonly dialsAtOnce: number
  /**
   * How long a peer waits for a neighbour with a smaller id to connect before it dials that neighbour, so that not both
   * dial at once.
   */
  readonly callWait: Milliseconds
  /** The timeout of a hello and of its answer, and of a data channel from the offer to the end of its handshake. */
  readonly handshakeTimeout: Milliseconds
  /** The timeout of a connection from an address that is not in the peer list to prove its peer id. */
  readonly unknownPeerTimeout: Milliseconds
  /** The wait before the first attempt to reconnect. It doubles from attempt to attempt. */
  readonly initialBackoff: Milliseconds
  /** The longest wait between attempts. */
  readonly maxBackoff: Milliseconds
  /**
   * The number of minor faults after which a neighbour's streams are ended; a grave fault ends them at once. See
   * `FaultAccount`.
   */
  readonly badFrames: number
  /**
   * How long a neighbour is shut out when its streams are ended for the second time, and the wait after a failed data
   * channel before the next offer. It doubles each time.
   */
  readonly initialShutOut: Milliseconds
  /** The longest of these times. */
  readonly maxShutOut: Milliseconds
  /** How long an idle link to a peer that is not a neighbour is kept. */
  readonly idleAfter: Milliseconds
  /** How long `close` waits for acknowledgements. */
  readonly closeTimeout: Milliseconds
}

/** The default limits. */
export const defaultLimits: Limits = {
  window: 2,
  sendQueue: 8,
  mailbox: 1,
  streamWindow: 16 << 20,
  channelFrom: 1 << 18,
  heartbeat: 2_000,
  silentAfter: 10_000,
  deadAfter: 60_000,
  dialTimeout: 10_000,
  dialsAtOnce: 4,
  callWait: 1_000,
  handshakeTimeout: 10_000,
  unknownPeerTimeout: 2_000,
  initialBackoff: 200,
  maxBackoff: 5_000,
  badFrames: 3,
  initialShutOut: 1_000,
  maxShutOut: 300_000,
  idleAfter: 60_000,
  closeTimeout: 5_000
}

/** The default limits with `changes`. Throws an InputError for a limit that is not a number above 0. */
export function limitsOf(changes: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...changes }
  for (const [name, value] of Object.entries(limits)) {
    if (!(value > 0)) throw new InputError(`the limit ${name} is ${value}; expected a number above 0`)
  }
  if (limits.streamWindow < 256 << 10) {
    throw new InputError(`the limit streamWindow is ${limits.streamWindow} bytes; expected at least ${256 << 10}`)
  }
  return limits
}
