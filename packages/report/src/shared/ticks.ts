/** The marks of a time axis: round numbers of the units in which people count time. */
import { secondsText, short } from './units.js'

/** A mark on an axis, and what is written there. */
export interface Tick {
  readonly seconds: number
  readonly text: string
}

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min']
]

const powers = [-9, -8, -7, -6, -5, -4, -3, -2, -1]

/** Steps from a nanosecond to years. */
const steps: readonly number[] = [
  ...powers.flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`))),
  ...[1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3600),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((days) => days * 86_400)
]

/** Marks for a logarithmic axis: about a factor of ten apart. */
const decades: readonly number[] = [
  ...powers.map((power) => Number(`1e${power}`)),
  ...[1, 10, 60, 600, 3600, 36_000, 345_600, 3_456_000, 34_560_000]
]

/** In the greatest unit that is not longer than `scale`. */
function textAt(seconds: number, scale: number): string {
  const unit = units.find(([length]) => length <= scale)
  return unit === undefined || seconds === 0 ? secondsText(seconds) : `${short(seconds / unit[0])} ${unit[1]}`
}

/** About `count` marks at most, evenly spaced, all in the unit of their distance. */
export function timeTicks(from: number, to: number, count: number): readonly Tick[] {
  const step = steps.find((candidate) => (to - from) / candidate <= count) ?? (to - from) / count
  if (step === 0) return [{ seconds: from, text: secondsText(from) }]
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => {
    const seconds = Number(((first + k) * step).toPrecision(12))
    return { seconds, text: textAt(seconds, step) }
  })
}

/** Marks for a logarithmic axis, at most `count`: every second or third if there would be more. */
export function timeDecades(from: number, to: number, count: number): readonly Tick[] {
  const within = decades.filter((tick) => tick >= from && tick <= to)
  const every = Math.max(1, Math.ceil(within.length / count))
  return within
    .filter((_, index) => index % every === 0)
    .map((seconds) => ({ seconds, text: textAt(seconds, seconds) }))
}
