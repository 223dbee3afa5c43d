/** Figures as text. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** Shown for an unknown value. */
export const dash = '–'

/** A value as the page receives it. */
type Given = number | undefined | null

const isUnknown = (value: Given): value is undefined | null => value === undefined || value === null

export const countText = (value: Given): string => (isUnknown(value) ? dash : whole.format(value))

/** Three significant digits. */
export function shortText(value: Given): string {
  if (isUnknown(value)) return dash
  return Math.abs(value) >= 0.001 || value === 0 ? Number(value.toPrecision(3)).toString() : value.toExponential(1)
}

export const percentText = (fraction: Given): string =>
  isUnknown(fraction) ? dash : `${(100 * fraction).toFixed(1)} %`

export function bytesText(value: Given): string {
  if (isUnknown(value)) return dash
  const place = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)))
  return `${Number((value / 1000 ** place).toPrecision(3))} ${units[place]}`
}

export const rateText = (value: Given): string => (isUnknown(value) ? dash : `${bytesText(value)}/s`)

export function timeText(seconds: number): string {
  const all = Math.max(0, Math.round(seconds))
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`
}
