/** Quantities with units, as text. No schemas, so that code that reads only these loads none. */

/** The units of one kind of quantity, each with its size in base units. */
export interface Units {
  readonly what: string
  readonly example: string
  readonly scale: Readonly<Record<string, number>>
  readonly max?: number
  /** Whether 0 is refused. */
  readonly positive?: boolean
}

/** A length of time: milliseconds. */
export const timeUnits: Units = {
  what: 'a time',
  example: '10 ms',
  scale: { us: 1e-3, ms: 1, s: 1e3, min: 60e3, h: 3600e3 }
}

/** An amount of data: bytes. */
export const byteUnits: Units = {
  what: 'an amount of data',
  example: '2 MB',
  scale: { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
}

/** What text must be, in words. */
export function expectedText({ what, example, scale }: Units): string {
  return `${what} such as "${example}" (${Object.keys(scale).join(', ')})`
}

/** A number, an optional space, and a unit. */
export function quantityPattern({ scale }: Units): RegExp {
  return new RegExp(`^(\\d+(?:\\.\\d+)?) ?(${Object.keys(scale).join('|')})$`)
}

/** The number in base units; or a text with what was expected. */
export function readQuantity(text: string, units: Units): number | string {
  const { scale, max = Number.MAX_VALUE, positive = false } = units
  const match = quantityPattern(units).exec(text)
  if (match === null) return expectedText(units)
  const value = scaled(Number(match[1]), scale[match[2]])
  if (value <= max && (value > 0 || !positive)) return value
  return `${expectedText(units)}, ${positive ? 'above 0' : 'up to 100 %'}`
}

/**
 * Divides by a whole number instead of multiplying by its inexact inverse, so that `1 %` is exactly the literal 0.01.
 */
function scaled(value: number, scale: number): number {
  return scale < 1 ? value / Math.round(1 / scale) : value * scale
}
