/** What went one way, in bytes and frames, before encryption (which adds about 0.1 %) and without TCP's own headers. */
export interface DirectionTraffic {
  /** Bytes of vectors, each counted once. */
  readonly payload: number
  /** All other bytes: headers, control messages, bodies that were sent again or were unusable. */
  readonly overhead: number
  /** Frames, each counted once. */
  readonly frames: number
}

/** What one peer, or one neighbour, has sent and received. */
export interface Traffic {
  readonly sent: DirectionTraffic
  readonly received: DirectionTraffic
  /** Frames written once more after a reconnection. */
  readonly retransmissions: number
  /** Frames that came once more. They are dropped. */
  readonly duplicates: number
  /** Frames that were damaged, out of order or not finite. They are dropped. */
  readonly badFrames: number
}

/** Counts as it goes. */
export class TrafficMeter {
  sentBytes = 0
  sentPayload = 0
  sentFrames = 0
  receivedBytes = 0
  receivedPayload = 0
  receivedFrames = 0
  retransmissions = 0
  duplicates = 0
  badFrames = 0

  /** The counts as they stand. */
  read(): Traffic {
    return {
      sent: direction(this.sentBytes, this.sentPayload, this.sentFrames),
      received: direction(this.receivedBytes, this.receivedPayload, this.receivedFrames),
      retransmissions: this.retransmissions,
      duplicates: this.duplicates,
      badFrames: this.badFrames
    }
  }
}

/** The sum over several neighbours. */
export function sumTraffic(parts: readonly Traffic[]): Traffic {
  const sum = (pick: (traffic: Traffic) => number) => parts.reduce((total, part) => total + pick(part), 0)
  const both = (pick: (traffic: Traffic) => DirectionTraffic) => ({
    payload: sum((part) => pick(part).payload),
    overhead: sum((part) => pick(part).overhead),
    frames: sum((part) => pick(part).frames)
  })
  return {
    sent: both((part) => part.sent),
    received: both((part) => part.received),
    retransmissions: sum((part) => part.retransmissions),
    duplicates: sum((part) => part.duplicates),
    badFrames: sum((part) => part.badFrames)
  }
}

function direction(bytes: number, payload: number, frames: number): DirectionTraffic {
  return { payload, overhead: bytes - payload, frames }
}
