/** What went one way, in bytes and vectors, before encryption (which adds about 0.1 %) and without TCP's own headers. */
export interface DirectionTraffic {
  /** Bytes of vectors as their codecs write them, each vector counted once. */
  readonly payload: number
  /** All other bytes: headers, control messages, vectors that were sent again or were unusable. */
  readonly overhead: number
  /** Vectors, each counted once. */
  readonly frames: number
  /** Bytes that these vectors have in memory, 4 to a number: more than `payload` where a codec saves some. */
  readonly raw: number
}

/** What one peer, or one neighbour, has sent and received. */
export interface Traffic {
  readonly sent: DirectionTraffic
  readonly received: DirectionTraffic
  /** Vectors written once more after a reconnection. */
  readonly retransmissions: number
  /** Vectors that came once more. They are dropped. */
  readonly duplicates: number
  /** Vectors that were damaged, out of order or not finite. They are dropped. */
  readonly badFrames: number
  /** Bytes that were copied from one place in memory to another on their way from libp2p to where they stay. */
  readonly copied: number
}

/** Counts as it goes. */
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

  /** The counts as they stand. */
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
