/** Numbers with their units: the same in sentences, tables and charts. */

/** With a capital first letter. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** Three significant digits, without trailing zeros; thousands are grouped. */
export function short(value: number): string {
  if (value === 0) return '0'
  const rounded = Number(value.toPrecision(3))
  const size = Math.abs(rounded)
  if (size < 1e-3 || size >= 1e12) return rounded.toExponential()
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 8 })
}

/** `value` in the greatest unit in which it is at least 1. */
function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const size = Number(Math.abs(value).toPrecision(3))
  const [scale, unit] = units.find(([least]) => size >= least) ?? units[units.length - 1]
  return `${short(value / scale)} ${unit}`
}

const thousandfold = (units: readonly string[]) =>
  units.map((unit, power): readonly [number, string] => [1000 ** power, unit]).reverse()

const byteUnits = thousandfold(['B', 'kB', 'MB', 'GB', 'TB', 'PB'])
const bitUnits = thousandfold(['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'])
const sampleUnits = thousandfold(['', 'thousand', 'million', 'billion'])

/** 1.2 GB */
export const bytesText = (bytes: number): string => scaled(bytes, byteUnits)

/** 10 Mbit/s */
export const bandwidthText = (bits: number): string => (bits === Infinity ? 'unlimited' : scaled(bits, bitUnits))

/** 2.1 million */
export const countText = (count: number): string => (Math.abs(count) < 1e6 ? short(count) : scaled(count, sampleUnits))

/** 13.9 s; in minutes from ten minutes on, so that figures next to each other mostly share a unit. */
export function secondsText(seconds: number): string {
  const size = Math.abs(seconds)
  if (size === 0) return '0 s'
  if (size < 1)
    return scaled(seconds, [
      [1, 's'],
      [1e-3, 'ms'],
      [1e-6, 'µs'],
      [1e-9, 'ns']
    ])
  if (size < 600) return `${short(seconds)} s`
  if (size < 7200) return `${short(seconds / 60)} min`
  return size < 172_800 ? `${short(seconds / 3600)} h` : `${short(seconds / 86_400)} days`
}

/** 3.4x; two digits after the point near 1, where they matter. */
export function factorText(factor: number): string {
  const size = Math.abs(factor)
  if (size === 0 || !Number.isFinite(size)) return size === 0 ? '0x' : '∞'
  if (size < 0.095) return `${short(Number(factor.toPrecision(2)))}x`
  if (size < 1.995) return `${factor.toFixed(2)}x`
  return `${size < 9.95 ? factor.toFixed(1) : short(Math.round(factor))}x`
}

/** “4.64 – 4.82 GB”: the unit only once, if both have the same. */
export function rangeText(low: string, high: string): string {
  const [, number, unit] = /^(\S+) (.+)$/.exec(low) ?? []
  return unit !== undefined && high.endsWith(` ${unit}`) ? `${number} – ${high}` : `${low} – ${high}`
}

/** 62 % */
export const percentText = (fraction: number): string => `${short(100 * fraction)} %`

/** A value of an axis. Its name implies the base unit: bits per second, milliseconds, bytes, fractions of 1. */
export function settingText(axis: string, value: number | string): string {
  if (typeof value === 'string') return value
  if (/^(bandwidth|up|down)$/i.test(axis)) return bandwidthText(value)
  if (/^window$/i.test(axis)) return bytesText(value)
  if (/^loss$/i.test(axis)) return percentText(value)
  if (/latency|jitter|delay/i.test(axis)) return value < 1000 ? `${short(value)} ms` : secondsText(value / 1000)
  return short(value)
}
