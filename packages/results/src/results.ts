/**
 * The types of results, of real and of simulated runs. Everything is JSON: a line per run, and one file about all of
 * them.
 */
import type { KeyCounts } from '@murmuration/core'

/** Where a run took place: on real peers over libp2p, or in virtual time. */
export type World = 'libp2p' | 'simulator'

/** A value of an axis, in base units: bits per second, milliseconds, peers. Text if it is a name. */
export type Setting = number | string

/** How a method exchanges. Methods of one kind differ only in their form. */
export interface Form {
  /** What methods of one kind have in common, in words. */
  readonly kind: string
  readonly fusion: 'fused' | 'per-tensor'
  /** 'streamed': all tensors or buffers are in flight at once; 'blocking': one at a time. */
  readonly calls: 'streamed' | 'blocking'
}

/** A method that was run, under its label in the results. */
export interface ResultsMethod {
  readonly label: string
  /** A sentence on how it works here, and its source. */
  readonly description: string
  readonly form?: Form
  /** The label in the method's own folder, if several folders were merged. */
  readonly originalLabel?: string
}

/** One of several folders that were merged. */
export interface MergedSource {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly version: string
  /** The files, as they were read. */
  readonly scenario: string
  /** How many runs it has when complete, in the settings that all folders have. */
  readonly runs: number
}

/** One of several parts of a sweep, each of which is simulated separately. */
export interface SweepPart {
  /** 1 … `of` */
  readonly number: number
  readonly of: number
}

/** The description of a sweep; the same for all its runs. */
export interface Sweep {
  readonly title: string
  /** A paragraph or two for the reader: the question, and what to look for. */
  readonly description: string
  /** The scenario file, or the topology and the training file, as they were read. */
  readonly scenario: string
  /** The command that reproduces the results. */
  readonly command: string
  readonly version: string
  /** What varies, in the order of the file, each with all its values: `bandwidth: [1e6, 1e7]`. */
  readonly axes: Readonly<Record<string, readonly Setting[]>>
  /** In the order of the file. */
  readonly methods: readonly ResultsMethod[]
  readonly seeds: readonly number[]
  /** The loss to reach; absent when the sweep has no target. */
  readonly targetLoss?: number
  /** Facts of the task and the network that hold for all runs, for a table. */
  readonly facts: Readonly<Record<string, string>>
  /** Which part of the sweep these runs are; absent for the whole sweep. */
  readonly part?: SweepPart
  /** The folders that these results were merged from. */
  readonly sources?: readonly MergedSource[]
}

/** The state of a run at one moment. */
export interface CurvePoint {
  /** Seconds since the start: virtual in a simulated run, real in a real run. */
  readonly seconds: number
  /** By all peers together, since the start. */
  readonly samples: number
  /** Sent by all endpoints together since the start, payload and overhead. */
  readonly bytes: number
  /** Steps per peer, the mean. */
  readonly round: number
  /** Of the mean model, on the test set. */
  readonly loss: number
  readonly accuracy?: number
  /** exp(loss), for tasks that learn texts. */
  readonly perplexity?: number
  /** Further measures of the task for the mean model, by name, such as `mrr`. */
  readonly measures?: Readonly<Record<string, number>>
  /** The highest loss of any peer. */
  readonly worstLoss?: number
  /** The consensus distance; absent if the models of the other peers are not known. */
  readonly consensusDistance?: number
  /** The duality gap of a recent round, of algorithms that ascend a dual. */
  readonly gap?: number
}

/** An epoch that began after the first: members were lost or taken in, and all continued from the mean of models. */
export interface EpochRecord {
  /** 1, 2, … */
  readonly epoch: number
  /** The first round of it: so many were over. */
  readonly round: number
  /** Since the start of training, as in the curve. */
  readonly seconds: number
  readonly members: readonly string[]
  /** The members of the epoch before that are in this one no more, and those that were not in it. */
  readonly lost: readonly string[]
  readonly joined: readonly string[]
}

/** The outcome of one run of a method. What a real run cannot know is absent. */
export interface RunRecord {
  readonly world: World
  /** The only peer that all figures are of: its own model, samples and bytes. Absent if they are of all peers. */
  readonly peer?: string
  /** One value of each axis. */
  readonly settings: Readonly<Record<string, Setting>>
  /** One of `Sweep.methods`. */
  readonly method: string
  readonly seed: number
  /**
   * 'target': the target loss was reached; 'limit': the rounds or the time were used up; 'failed': see `reason`;
   * 'unfinished': the run was stopped or is still running, and all figures are those of its last evaluation.
   */
  readonly outcome: 'target' | 'limit' | 'failed' | 'unfinished'
  readonly reason?: string
  /** Peers that train; servers are not counted. */
  readonly peers: number
  /** Seconds until the run ended, virtual or real. */
  readonly seconds: number
  /** Steps per peer, the mean. */
  readonly rounds: number
  /**
   * The first round of a real run that resumed from a checkpoint or joined later: seconds and bytes count from it. 0
   * when absent.
   */
  readonly begun?: number
  readonly secondsPerRound: number
  readonly samples: number
  /** Up to the moment at which the target was reached; absent when it was not. */
  readonly toTarget?: { readonly seconds: number; readonly samples: number; readonly bytes: number }
  /** Sent by all endpoints. */
  readonly bytesSent: number
  /** The part of it that is payload of the algorithms; the rest is headers. */
  readonly payloadSent?: number
  readonly messages?: number
  /** Sent and received by the machine with the most bytes. */
  readonly busiest?: { readonly name: string; readonly bytes: number }
  readonly time?: TimeFractions
  /** The last point is the end. */
  readonly curve: readonly CurvePoint[]
  /**
   * Why the model has learned nothing, and what to do, as a sentence; absent if it is better than a constant answer.
   */
  readonly learnedNothing?: string
  /** Why training ended before all its rounds were over; absent where it did not. */
  readonly ended?: string
  /** SHA-256 of each peer's parameters at the end, as "murmur swarm" prints it; only of runs with few peers. */
  readonly models?: Readonly<Record<string, string>>
  /** Peers that gave up or lost their process, in that order, each with the reason. */
  readonly lost?: readonly string[]
  /** The epochs after the first, in that order; absent without. */
  readonly epochs?: readonly EpochRecord[]
  /** Accesses of the parameter services to their shared store; of simulated runs that have one. */
  readonly store?: StoreTotals
  /** What else went wrong: violated invariants, faults. Empty if nothing did. */
  readonly findings: readonly string[]
  /** Of all events, in order. The same file and seed give the same hash; of simulated runs. */
  readonly logHash?: string
  /** How keyed rows were accessed, by all peers together; of algorithms with keyed rows. */
  readonly keys?: KeyCounts
  /** How long the simulation took on its machine; of simulated runs. */
  readonly realSeconds?: number
}

/** The accesses of all services of a run to their store. */
export interface StoreTotals {
  readonly gets: number
  readonly sets: number
  readonly adds: number
  /** The mean time that a service waits; 0 without gets. */
  readonly secondsPerGet: number
  readonly secondsPerSet: number
  readonly secondsPerAdd: number
  /** Bytes of numbers, in both directions. */
  readonly bytes: number
  /** Updates by one service that another service overwrote, counted by the latter. */
  readonly overwritten: number
}

/**
 * Mean fractions of the peers' time: computing; sending but not computing; waiting without either. In a simulated run
 * they sum to 1. A real run knows when gradients are computed, but cannot distinguish sending, waiting and averaging.
 */
export interface TimeFractions {
  readonly working: number
  readonly sending?: number
  readonly waiting?: number
}

/** The outcome of one simulated run of a method: the simulator knows everything. */
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

/** What a peer was doing for some time; in seconds, as in the timeline. */
export interface Span {
  readonly peer: string
  /** 'gradient', 'waiting', 'crashed', … */
  readonly kind: string
  readonly start: number
  readonly end: number
}

/** A message of a timeline. */
export interface TimelineMessage {
  readonly from: string
  readonly to: string
  /**
   * In seconds: when sending began and when the last byte arrived; in a real run, when the vector was handed over and
   * when it was taken.
   */
  readonly sent: number
  readonly arrived: number
  readonly bytes: number
  /** 'dropped' if it never arrived. */
  readonly fate: 'delivered' | 'dropped'
}

/** An interval of one run, event by event. */
export interface Timeline {
  /** The title of the interval, in place of the method's name. */
  readonly title?: string
  /** How the clocks of a real run's machines are aligned, as a sentence; absent in virtual time. */
  readonly clocks?: string
  readonly settings: Readonly<Record<string, Setting>>
  readonly method: string
  readonly seed: number
  /** Seconds, virtual in a simulated run. */
  readonly from: number
  readonly to: number
  readonly peers: readonly string[]
  readonly spans: readonly Span[]
  readonly messages: readonly TimelineMessage[]
  readonly marks?: readonly Mark[]
}

/** All results, for the report. */
export interface Results<Run extends RunRecord = RunRecord> {
  readonly sweep: Sweep
  readonly runs: readonly Run[]
  readonly timelines: readonly Timeline[]
}
