/** What a sweep of simulations comes to. Everything is JSON: a line per run, and one file about the sweep. */

/** A choice that the sweep varies, in base units: bits per second, milliseconds, peers. Text where it is a name. */
export type Setting = number | string

/** How a contender exchanges. Those of one kind are the same but for that. */
export interface Form {
  /** What they have in common, in words. */
  readonly kind: string
  readonly fusion: 'fused' | 'per-tensor'
  /** Whether each tensor or buffer is waited for before the next. */
  readonly calls: 'streamed' | 'blocking'
}

/** What the sweep is about; the same for all its runs. */
export interface Sweep {
  readonly title: string
  /** A paragraph or two for the reader: what is asked, and what to look for. */
  readonly about: string
  /** The scenario file, as it was read. */
  readonly scenario: string
  /** The command that makes the same results again. */
  readonly command: string
  readonly version: string
  /** What varies, in the order of the file, each with all its values: `bandwidth: [1e6, 1e7]`. */
  readonly axes: Readonly<Record<string, readonly Setting[]>>
  /** Labels of the contenders in the order of the file, with a sentence each of how it works here and its source. */
  readonly contenders: readonly { readonly label: string; readonly about: string; readonly form?: Form }[]
  readonly seeds: readonly number[]
  /** The loss that counts as arrived; absent when the sweep has no target. */
  readonly targetLoss?: number
  /** Facts of the task and the network that hold for all runs, for a table. */
  readonly facts: Readonly<Record<string, string>>
}

/** The state of a run at one moment. */
export interface CurvePoint {
  /** Virtual seconds since the start. */
  readonly seconds: number
  /** Of all peers together since the start. */
  readonly samples: number
  /** Sent by all endpoints together since the start, payload and overhead. */
  readonly bytes: number
  /** Steps per peer, the mean. */
  readonly round: number
  /** Of the mean of all peers' parameters, on the test set. */
  readonly loss: number
  readonly accuracy?: number
  /** Of the peer that does worst. */
  readonly worstLoss?: number
  /** Root mean square of the distances from the mean. */
  readonly consensusDistance: number
}

/** How one contender did once. */
export interface RunRecord {
  /** One value of each axis. */
  readonly settings: Readonly<Record<string, Setting>>
  /** One of `Sweep.contenders`. */
  readonly contender: string
  readonly seed: number
  /** 'target': the target loss was reached; 'limit': the rounds or the time were used up; 'failed': see `why`. */
  readonly outcome: 'target' | 'limit' | 'failed'
  readonly why?: string
  /** Peers that train; servers are not counted. */
  readonly peers: number
  /** Virtual seconds until the run ended. */
  readonly seconds: number
  /** Steps per peer, the mean. */
  readonly rounds: number
  readonly secondsPerRound: number
  readonly samples: number
  /** Up to the moment at which the target was reached; absent when it was not. */
  readonly toTarget?: { readonly seconds: number; readonly samples: number; readonly bytes: number }
  /** Sent by all endpoints. */
  readonly bytesSent: number
  /** The part of it that the algorithms wanted to send; the rest is headers. */
  readonly payloadSent: number
  readonly messages: number
  /** Sent and received by the machine with most. */
  readonly busiest: { readonly name: string; readonly bytes: number }
  /** Mean shares of the peers' time: computing; sending but not computing; waiting for others with neither. They sum to 1. */
  readonly time: { readonly working: number; readonly sending: number; readonly waiting: number }
  /** The last point is the end. */
  readonly curve: readonly CurvePoint[]
  /** A hash of the parameters of each peer at the end, as "murmur swarm" prints it; of runs with few peers. */
  readonly models?: Readonly<Record<string, string>>
  /** What the judges found wrong; empty when all promises were kept. */
  readonly findings: readonly string[]
  /** Of everything that happened, in order. The same file and seed give the same. */
  readonly logHash: string
  /** What simulating took on the machine that did it. */
  readonly realSeconds: number
}

/** A stretch of one run, event by event. */
export interface Timeline {
  readonly settings: Readonly<Record<string, Setting>>
  readonly contender: string
  readonly seed: number
  /** Virtual seconds. */
  readonly from: number
  readonly to: number
  readonly peers: readonly string[]
  /** What a peer was doing: 'gradient', 'waiting', 'crashed', … */
  readonly spans: readonly {
    readonly peer: string
    readonly kind: string
    readonly start: number
    readonly end: number
  }[]
  readonly messages: readonly {
    readonly from: string
    readonly to: string
    /** When sending began, and when the last byte arrived; virtual seconds. */
    readonly sent: number
    readonly arrived: number
    readonly bytes: number
    /** 'dropped' when it never arrived. */
    readonly fate: 'delivered' | 'dropped'
  }[]
}

/** All of it, for the report. */
export interface Results {
  readonly sweep: Sweep
  readonly runs: readonly RunRecord[]
  readonly timelines: readonly Timeline[]
}
