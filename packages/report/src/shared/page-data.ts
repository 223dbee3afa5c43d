/** What is put into the report for its charts: every figure is ready, the page only picks and draws. */
import type { Mark, World } from '@murmuration/results'
import type { MeasureKey } from './measures.js'

/** Over the seeds of a setting. `null` in place of a number: never, since the target was not reached or the run failed. */
export interface Spread {
  readonly middle: number | null
  readonly low: number | null
  readonly high: number | null
}

/** A curve over the seeds: their median at each `x`, and the least and the greatest when there are several. */
export interface Band {
  readonly x: readonly number[]
  readonly middle: readonly (number | null)[]
  readonly low?: readonly (number | null)[]
  readonly high?: readonly (number | null)[]
}

/** How one method did in one setting. */
export interface Entry {
  readonly runs: number
  /** Runs that reached the target. */
  readonly reached: number
  /** A sentence for each run that failed, and for each that did not come to its end. */
  readonly failures: readonly string[]
  readonly unfinished: readonly string[]
  readonly measures: Readonly<Record<MeasureKey, Spread>>
  readonly bytesSent: Spread
  /** The busiest machine: its name in the first seed. Absent where it is not known. */
  readonly busiest?: { readonly name: string; readonly bytes: Spread }
  /** 0 … 1, the median; `null` also where it is not known. */
  readonly payloadFraction: number | null
  readonly finalLoss: Spread
  readonly finalWorstLoss?: Spread
  /** Means over the seeds; they sum to 1. Real runs do not tell apart what is not computing: it is `other`. Absent where nothing is known. */
  readonly time?: {
    readonly working: number
    readonly sending: number
    readonly waiting: number
    readonly other: number
  }
  readonly curves: Readonly<Record<CurveKey, Band>>
}

/** What is drawn against what. Accuracy and perplexity are there only where the task has one. */
export const curveKeys = [
  'lossBySeconds',
  'lossByBytes',
  'lossBySamples',
  'distanceByRounds',
  'accuracyBySeconds',
  'perplexityBySamples'
] as const
export type CurveKey = (typeof curveKeys)[number]

/** One setting: a place in every axis, and an entry for every method that was tried there. */
export interface Case {
  /** Which of the values of each axis. */
  readonly places: readonly number[]
  readonly entries: readonly (Entry | null)[]
}

/** Something that varies. */
export interface Axis {
  readonly name: string
  /** With their units. */
  readonly values: readonly string[]
  /** The places of the values that bound it. */
  readonly ends: readonly number[]
}

/** Two methods of one kind that differ only in whether they fuse, or only in whether they stream. */
export interface FormPair {
  readonly kind: string
  readonly change: 'fusing' | 'streaming'
  /** What both are of the other. */
  readonly where: 'streamed' | 'blocking' | 'fused' | 'per-tensor'
  /** The one that is per tensor, or blocking. */
  readonly before: number
  /** The one that is fused, or streamed. */
  readonly after: number
}

/** A timeline that is short enough to be drawn. */
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
  /** How the clocks of a real run are aligned, as a sentence; absent where time is virtual. */
  readonly clocks?: string
  /** What was left out to keep it short, as a sentence. */
  readonly leftOut?: string
}

export interface PageData {
  readonly axes: readonly Axis[]
  /** The places of those that the map shows at first: across, and down. */
  readonly mapAxes: readonly number[]
  readonly methods: readonly string[]
  /** Of which kind each method is: those of one kind differ in how they exchange alone. */
  readonly kinds: readonly string[]
  readonly pairs: readonly FormPair[]
  /** The label of each method in its own folder: a real run and its simulation have the same. */
  readonly originalLabels: readonly string[]
  /** Where each method ran. */
  readonly worlds: readonly World[]
  /** The single peers that figures are of. */
  readonly peers: readonly string[]
  /** Runs of a method in a setting, the most. */
  readonly seeds: number
  readonly targetLoss?: number
  /** Those that this sweep can answer; the first is the one that counts. */
  readonly measures: readonly MeasureKey[]
  readonly cases: readonly Case[]
  /** Which case is shown at first. */
  readonly telling: number
  /** The method that leads in most settings; others are compared with it at first. */
  readonly leader: number
  /** At most so many points are drawn of a curve. */
  readonly maxPoints: number
  readonly timelines: readonly PageTimeline[]
}
