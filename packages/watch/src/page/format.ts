/** Figures as text. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** Shown for an unknown value. */
export const dash = '–'

/** A value as the page receives it. */
type Optional = number | undefined | null

const isUnknown = (value: Optional): value is undefined | null => value === undefined || value === null

export const countText = (value: Optional): string => (isUnknown(value) ? dash : whole.format(value))

/** Names, or of many how many. */
export const namesText = (names: readonly string[]): string =>
  names.length <= 8 ? names.join(', ') : `${countText(names.length)} peers`

/** Three significant digits. */
export function shortText(value: Optional): string {
  if (isUnknown(value)) return dash
  return Math.abs(value) >= 0.001 || value === 0 ? Number(value.toPrecision(3)).toString() : value.toExponential(1)
}

export const percentText = (fraction: Optional): string =>
  isUnknown(fraction) ? dash : `${(100 * fraction).toFixed(1)} %`

export function bytesText(value: Optional): string {
  if (isUnknown(value)) return dash
  const index = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)))
  return `${Number((value / 1000 ** index).toPrecision(3))} ${units[index]}`
}

export const rateText = (value: Optional): string => (isUnknown(value) ? dash : `${bytesText(value)}/s`)

export function timeText(seconds: number): string {
  const all = Math.max(0, Math.round(seconds))
  const hours = Math.floor(all / 3600)
  const minutes = Math.floor(all / 60) % 60
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`
}
