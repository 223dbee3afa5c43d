/** What runs come to, real ones and simulated ones. Everything is JSON: a line per run, and one file about all of them. */
import type { KeyCounts } from '@murmuration/core'

/** Where a run took place: on real peers over libp2p, or in virtual time. */
export type World = 'libp2p' | 'simulator'

/** A choice that the sweep varies, in base units: bits per second, milliseconds, peers. Text where it is a name. */
export type Setting = number | string

/** How a method exchanges. Those of one kind are the same but for that. */
export interface Form {
  /** What they have in common, in words. */
  readonly kind: string
  readonly fusion: 'fused' | 'per-tensor'
  /** Whether each tensor or buffer is waited for before the next. */
  readonly calls: 'streamed' | 'blocking'
}

/** A method that was run, by the name that results have for it. */
export interface ResultsMethod {
  readonly label: string
  /** A sentence on how it works here, and its source. */
  readonly description: string
  readonly form?: Form
  /** The label that it had in its own folder; where several folders are put together. */
  readonly originalLabel?: string
}

/** One of several folders that were put together. */
export interface Source {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly version: string
  /** The files, as they were read. */
  readonly scenario: string
  /** How many runs it has when all are done, of the settings that all folders have. */
  readonly runs: number
}

/** One of several parts of a sweep, each of which is simulated by itself. */
export interface SweepPart {
  /** 1 … `of` */
  readonly number: number
  readonly of: number
}

/** What the sweep is about; the same for all its runs. */
export interface Sweep {
  readonly title: string
  /** A paragraph or two for the reader: what is asked, and what to look for. */
  readonly description: string
  /** The scenario file, or the topology and the training file, as they were read. */
  readonly scenario: string
  /** The command that makes the same results again. */
  readonly command: string
  readonly version: string
  /** What varies, in the order of the file, each with all its values: `bandwidth: [1e6, 1e7]`. */
  readonly axes: Readonly<Record<string, readonly Setting[]>>
  /** In the order of the file. */
  readonly methods: readonly ResultsMethod[]
  readonly seeds: readonly number[]
  /** The loss that counts as arrived; absent when the sweep has no target. */
  readonly targetLoss?: number
  /** Facts of the task and the network that hold for all runs, for a table. */
  readonly facts: Readonly<Record<string, string>>
  /** Which part of the sweep these runs are; all of it when absent. */
  readonly part?: SweepPart
  /** The folders that these results were put together from. */
  readonly sources?: readonly Source[]
}

/** The state of a run at one moment. */
export interface CurvePoint {
  /** Seconds since the start: virtual ones of a simulated run, real ones of a real run. */
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
  /** e to the loss, where texts are learned. */
  readonly perplexity?: number
  /** What else the task measures of it, by name, such as `mrr`. */
  readonly measures?: Readonly<Record<string, number>>
  /** Of the peer that does worst. */
  readonly worstLoss?: number
  /** Root mean square of the distances from the mean; absent where the models of the other peers are not known. */
  readonly consensusDistance?: number
}

/** How one method did once. What a real run cannot know is absent. */
export interface RunRecord {
  readonly world: World
  /** The only peer that all figures are of: its own model, samples and bytes. Absent where they are of all peers. */
  readonly peer?: string
  /** One value of each axis. */
  readonly settings: Readonly<Record<string, Setting>>
  /** One of `Sweep.methods`. */
  readonly method: string
  readonly seed: number
  /**
   * 'target': the target loss was reached; 'limit': the rounds or the time were used up; 'failed': see `reason`; 'unfinished': the run was
   * stopped, or still goes on, and all figures are those of its last evaluation.
   */
  readonly outcome: 'target' | 'limit' | 'failed' | 'unfinished'
  readonly reason?: string
  /** Peers that train; servers are not counted. */
  readonly peers: number
  /** Seconds until the run ended, virtual or real. */
  readonly seconds: number
  /** Steps per peer, the mean. */
  readonly rounds: number
  /** The first round of a real run that went on from a checkpoint or joined: seconds and bytes are since. 0 when absent. */
  readonly begun?: number
  readonly secondsPerRound: number
  readonly samples: number
  /** Up to the moment at which the target was reached; absent when it was not. */
  readonly toTarget?: { readonly seconds: number; readonly samples: number; readonly bytes: number }
  /** Sent by all endpoints. */
  readonly bytesSent: number
  /** The part of it that the algorithms wanted to send; the rest is headers. */
  readonly payloadSent?: number
  readonly messages?: number
  /** Sent and received by the machine with most. */
  readonly busiest?: { readonly name: string; readonly bytes: number }
  readonly time?: TimeFractions
  /** The last point is the end. */
  readonly curve: readonly CurvePoint[]
  /** SHA-256 of the parameters of each peer at the end, as "murmur swarm" prints it; of runs with few peers. */
  readonly models?: Readonly<Record<string, string>>
  /** Peers that gave up or whose process ended before the others, in that order, each with the reason. */
  readonly lost?: readonly string[]
  /** What parameter services asked of the store that they share; of simulated runs that have one. */
  readonly store?: StoreTotals
  /** What else went wrong: broken promises, faults. Empty when nothing did. */
  readonly findings: readonly string[]
  /** Of everything that happened, in order. The same file and seed give the same; of simulated runs. */
  readonly logHash?: string
  /** How keyed rows were reached, by all peers together; of algorithms that have some. */
  readonly keys?: KeyCounts
  /** What simulating took on the machine that did it; of simulated runs. */
  readonly realSeconds?: number
}

/** What all services of a run together have asked of their store. */
export interface StoreTotals {
  readonly gets: number
  readonly sets: number
  readonly adds: number
  /** The mean, as a service waits; 0 where there was none. */
  readonly secondsPerGet: number
  readonly secondsPerSet: number
  readonly secondsPerAdd: number
  /** Of numbers, to and fro. */
  readonly bytes: number
  /** Updates that one service wrote over that another had written, counted by each that did. */
  readonly overwritten: number
}

/**
 * Mean fractions of the peers' time: computing; sending but not computing; waiting for others with neither. In a simulated run they sum to 1.
 * A real run knows when gradients are computed, and does not tell sending, waiting and averaging apart.
 */
export interface TimeFractions {
  readonly working: number
  readonly sending?: number
  readonly waiting?: number
}

/** How one method did once in the simulator, which knows everything. */
export interface SimulatedRecord extends RunRecord {
  readonly world: 'simulator'
  readonly payloadSent: number
  readonly messages: number
  readonly busiest: { readonly name: string; readonly bytes: number }
  readonly time: Required<TimeFractions>
  readonly logHash: string
  readonly realSeconds: number
}

/** Something that happened to a peer. */
export interface Mark {
  readonly peer: string
  /** Seconds, as in the timeline. */
  readonly at: number
  readonly text: string
  readonly isFailure: boolean
}

/** An interval of one run, event by event. */
export interface Timeline {
  /** What the interval is, in place of the method's name. */
  readonly title?: string
  /** How the clocks of a real run's machines are aligned, as a sentence; absent where time is virtual. */
  readonly clocks?: string
  readonly settings: Readonly<Record<string, Setting>>
  readonly method: string
  readonly seed: number
  /** Seconds, virtual ones of a simulated run. */
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
    /** When sending began, and when the last byte arrived, in seconds; of a real run, when it was handed over, and when it was taken. */
    readonly sent: number
    readonly arrived: number
    readonly bytes: number
    /** 'dropped' when it never arrived. */
    readonly fate: 'delivered' | 'dropped'
  }[]
  readonly marks?: readonly Mark[]
}

/** All of it, for the report. */
export interface Results<Run extends RunRecord = RunRecord> {
  readonly sweep: Sweep
  readonly runs: readonly Run[]
  readonly timelines: readonly Timeline[]
}
