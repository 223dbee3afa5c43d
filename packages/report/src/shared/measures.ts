/** The measures by which methods are compared. Less is better in all of them. */
import { bytesText, countText, secondsText } from './units.js'

export interface Measure {
  readonly title: string
  readonly text: (value: number) => string
  /** “X is …” of the best. */
  readonly best: string
  /** “X … 2x …”: the words for a factor between two methods, before and after the factor. */
  readonly relation: readonly [string, string]
}

const asLong = ['takes', 'as long as'] as const
const asManyBytes = ['sends', 'as many bytes as'] as const

export const measures = {
  secondsToTarget: { title: 'time to the target', text: secondsText, best: 'fastest to the target', relation: asLong },
  bytesToTarget: {
    title: 'bytes to the target',
    text: bytesText,
    best: 'the one that sends least to the target',
    relation: asManyBytes
  },
  samplesToTarget: {
    title: 'samples to the target',
    text: countText,
    best: 'the one that needs fewest samples to the target',
    relation: ['needs', 'as many samples as']
  },
  secondsPerRound: { title: 'time per round', text: secondsText, best: 'fastest per round', relation: asLong },
  bytesPerRound: {
    title: 'bytes per round',
    text: bytesText,
    best: 'the one that sends least per round',
    relation: asManyBytes
  }
} as const satisfies Readonly<Record<string, Measure>>

export type MeasureKey = keyof typeof measures

/** All measures, first those that need a target. */
export const measureKeys = Object.keys(measures) as MeasureKey[]

export const needsTarget = (key: MeasureKey): boolean => key.endsWith('ToTarget')

/** A value of a measure as text; null if the target was never reached, or the runs failed. */
export function valueText(key: MeasureKey, value: number | null): string {
  if (value !== null) return measures[key].text(value)
  return needsTarget(key) ? 'never' : 'failed'
}
