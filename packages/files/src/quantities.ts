import * as z from 'zod'
import { byteUnits, expectedText, quantityPattern, readQuantity, timeUnits, type Units } from './quantity.js'

/** A length of time, such as `10 ms`: milliseconds. Units: us, ms, s, min, h. */
export const duration = () => quantity(timeUnits)

/** The longest time that timers of real peers can wait. */
const maxWait = 2 ** 31 - 1

/** How long something waits: above 0, and no longer than a timer can. */
export const waitingTime = () =>
  duration()
    .refine((time) => time > 0, 'more than 0 ms')
    .refine((time) => time <= maxWait, 'at most 596 h')

/** Text that {@link duration} reads: `86400000` is `24 h`, in the largest unit that gives a whole number. */
export function durationText(milliseconds: number): string {
  const whole = Object.entries(timeUnits.scale).filter(
    ([, scale]) => scale >= 1 && Number.isInteger(milliseconds / scale)
  )
  const [unit, scale] = whole.at(-1) ?? ['ms', 1]
  return milliseconds === 0 ? '0 s' : `${milliseconds / scale} ${unit}`
}

/** Bits per second for each unit of a rate in bits. */
const bits = { 'bit/s': 1, 'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9 }

/** A rate, such as `25 Mbit/s`: bits per second, 1 kbit = 1000 bit. */
export const bitRate = () =>
  quantity({
    what: 'a rate',
    example: '25 Mbit/s',
    positive: true,
    scale: { ...bits, 'B/s': 8, 'kB/s': 8e3, 'MB/s': 8e6, 'GB/s': 8e9 }
  })

/** Text that {@link bitRate} reads, with four significant digits: `25000000` is `25 Mbit/s`. */
export function bitRateText(bitsPerSecond: number): string {
  const [unit, scale] = Object.entries(bits).findLast(([, each]) => bitsPerSecond >= each) ?? ['bit/s', 1]
  return `${Number((bitsPerSecond / scale).toPrecision(4))} ${unit}`
}

/** An amount of data, such as `2 MB`: bytes. 1 kB = 1000 B, 1 KiB = 1024 B. */
export const byteSize = () => quantity(byteUnits)

/** A fraction, such as `1 %`: a number from 0 to 1. */
export const fraction = () => quantity({ what: 'a fraction', example: '1 %', scale: { '%': 0.01 }, max: 1 })

/** The fraction of packets that is lost. */
export const lossFraction = () => fraction().refine((loss) => loss < 1, 'less than 100 %, or nothing arrives')

/** Text of a number, an optional space, and a unit; read as the number in base units. */
function quantity(units: Units) {
  const error = expectedText(units)
  return z
    .string({ error })
    .regex(quantityPattern(units), { error })
    .transform((text, context) => {
      const read = readQuantity(text, units)
      if (typeof read === 'number') return read
      context.issues.push({ code: 'custom', input: text, message: read })
      return z.NEVER
    })
    .meta({ description: error })
}
