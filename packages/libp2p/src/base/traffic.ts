/**
 * The traffic in one direction, in bytes and vectors, before encryption (which adds about 0.1 %) and without TCP's
 * headers.
 */
export interface DirectionTraffic {
  /** Bytes of encoded vectors, each vector counted once. */
  readonly payload: number
  /** All other bytes: headers, control messages, retransmitted and unusable vectors. */
  readonly overhead: number
  /** Vectors, each counted once. */
  readonly frames: number
  /** Bytes of these vectors in memory, 4 per number: more than `payload` when a codec compresses. */
  readonly raw: number
}

/** The traffic of one peer or one neighbour. */
export interface Traffic {
  readonly sent: DirectionTraffic
  readonly received: DirectionTraffic
  /** Vectors written again after a reconnection. */
  readonly retransmissions: number
  /** Duplicate vectors. They are dropped. */
  readonly duplicates: number
  /** Vectors that were damaged, out of order or not finite. They are dropped. */
  readonly badFrames: number
  /** Bytes copied in memory between libp2p and their final place. */
  readonly copied: number
}

/** Counts traffic. */
export class TrafficMeter {
  sentBytes = 0
  sentPayload = 0
  sentFrames = 0
  sentRaw = 0
  receivedBytes = 0
  receivedPayload = 0
  receivedFrames = 0
  receivedRaw = 0
  retransmissions = 0
  duplicates = 0
  badFrames = 0
  copied = 0

  /** The counts so far. */
  read(): Traffic {
    return {
      sent: direction(this.sentBytes, this.sentPayload, this.sentFrames, this.sentRaw),
      received: direction(this.receivedBytes, this.receivedPayload, this.receivedFrames, this.receivedRaw),
      retransmissions: this.retransmissions,
      duplicates: this.duplicates,
      badFrames: this.badFrames,
      copied: this.copied
    }
  }
}

/** The sum over several neighbours. */
export function sumTraffic(parts: readonly Traffic[]): Traffic {
  const sum = (pick: (traffic: Traffic) => number) => parts.reduce((total, part) => total + pick(part), 0)
  const both = (pick: (traffic: Traffic) => DirectionTraffic) => ({
    payload: sum((part) => pick(part).payload),
    overhead: sum((part) => pick(part).overhead),
    frames: sum((part) => pick(part).frames),
    raw: sum((part) => pick(part).raw)
  })
  return {
    sent: both((part) => part.sent),
    received: both((part) => part.received),
    retransmissions: sum((part) => part.retransmissions),
    duplicates: sum((part) => part.duplicates),
    badFrames: sum((part) => part.badFrames),
    copied: sum((part) => part.copied)
  }
}

function direction(bytes: number, payload: number, frames: number, raw: number): DirectionTraffic {
  return { payload, overhead: bytes - payload, frames, raw }
}
