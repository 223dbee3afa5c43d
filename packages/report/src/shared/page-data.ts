/** The data for the report's charts. Every figure is ready; the page only selects and draws. */
import type { Mark, World } from '@murmuration/results'
import type { MeasureKey } from './measures.js'

/** Over the seeds of a setting. `null` means never: the target was not reached, or the run failed. */
export interface Spread {
  readonly middle: number | null
  readonly low: number | null
  readonly high: number | null
  /**
   * The mean, and the standard deviation of a sample (the root of the squares' sum over n − 1). Absent with one seed,
   * or where one is never.
   */
  readonly mean?: number
  readonly deviation?: number
}

/** A curve over the seeds: their median at each `x`; with several seeds also the minimum and the maximum. */
export interface Band {
  readonly x: readonly number[]
  readonly middle: readonly (number | null)[]
  readonly low?: readonly (number | null)[]
  readonly high?: readonly (number | null)[]
}

/** An epoch that began during runs: the median of its round and time over those that had one of this number. */
export interface PageEpoch {
  readonly epoch: number
  readonly round: number
  readonly seconds: number
}

/** The outcome of one method in one setting. */
export interface MethodOutcome {
  readonly runs: number
  /** Runs that reached the target. */
  readonly reached: number
  /** A sentence for each run that failed; and one for each that was not finished. */
  readonly failures: readonly string[]
  readonly unfinished: readonly string[]
  readonly measures: Readonly<Record<MeasureKey, Spread>>
  readonly bytesSent: Spread
  /** The busiest machine, named as in the first seed. Absent if it is not known. */
  readonly busiest?: { readonly name: string; readonly bytes: Spread }
  /** The median, from 0 to 1; `null` also if it is not known. */
  readonly payloadFraction: number | null
  readonly finalLoss: Spread
  readonly finalWorstLoss?: Spread
  /**
   * Means over the seeds; they sum to 1. In real runs everything but computing is `other`. Absent if nothing is known.
   */
  readonly time?: {
    readonly working: number
    readonly sending: number
    readonly waiting: number
    readonly other: number
  }
  /** The first ones, in their order; absent if none began. */
  readonly epochs?: readonly PageEpoch[]
  readonly curves: Readonly<Record<CurveKey, Band>>
}

/** The quantities of each kind of curve. Accuracy, perplexity and gap exist only if the task or method has them. */
export const curveKeys = [
  'lossBySeconds',
  'lossByBytes',
  'lossBySamples',
  'distanceByRounds',
  'accuracyBySeconds',
  'perplexityBySamples',
  'gapByRounds'
] as const
export type CurveKey = (typeof curveKeys)[number]

/** One setting: an index in every axis, and an entry for every method that was run there. */
export interface Case {
  /** The index of its value in each axis. */
  readonly places: readonly number[]
  readonly entries: readonly (MethodOutcome | null)[]
}

/** Something that varies. */
export interface PageAxis {
  readonly name: string
  /** With their units. */
  readonly values: readonly string[]
  /** The indices of the extreme values. */
  readonly ends: readonly number[]
}

/** Two methods of one kind that differ only in whether they fuse, or only in whether they stream. */
export interface FormPair {
  readonly kind: string
  readonly change: 'fusing' | 'streaming'
  /** The property that both have in common. */
  readonly where: 'streamed' | 'blocking' | 'fused' | 'per-tensor'
  /** The method that is per-tensor, or blocking. */
  readonly before: number
  /** The method that is fused, or streamed. */
  readonly after: number
}

/** A timeline that is short enough to draw. */
export interface PageTimeline {
  readonly title: string
  readonly from: number
  readonly to: number
  readonly peers: readonly string[]
  readonly spans: readonly {
    readonly peer: string
    readonly kind: string
    readonly start: number
    readonly end: number
  }[]
  readonly messages: readonly {
    readonly from: string
    readonly to: string
    readonly sent: number
    readonly arrived: number
    readonly bytes: number
    readonly dropped: boolean
  }[]
  readonly marks: readonly Mark[]
  /** How the clocks of a real run are aligned, as a sentence; absent in virtual time. */
  readonly clocks?: string
  /** What was left out to keep it short, as a sentence. */
  readonly leftOut?: string
}

export interface PageData {
  readonly axes: readonly PageAxis[]
  /** The indices of the axes that the map shows at first: across, and down. */
  readonly mapAxes: readonly number[]
  readonly methods: readonly string[]
  /** The kind of each method: methods of one kind differ only in how they exchange. */
  readonly kinds: readonly string[]
  readonly pairs: readonly FormPair[]
  /** The label of each method in its own folder: a real run and its simulation have the same. */
  readonly originalLabels: readonly string[]
  /** Where each method ran. */
  readonly worlds: readonly World[]
  /** The single peers that figures belong to. */
  readonly peers: readonly string[]
  /** The maximum number of runs of a method in a setting. */
  readonly seeds: number
  readonly targetLoss?: number
  /** The measures that this sweep can answer; the first is the main one. */
  readonly measures: readonly MeasureKey[]
  readonly cases: readonly Case[]
  /** The index of the case that is shown at first. */
  readonly telling: number
  /** The method that leads in most settings; others are compared with it at first. */
  readonly leader: number
  /** The maximum number of points per drawn curve. */
  readonly maxPoints: number
  readonly timelines: readonly PageTimeline[]
}
