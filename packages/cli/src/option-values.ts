/** Parsers for the values of options. */
import { InputError, messageOf, type PeerName, peerName } from '@murmuration/core/base'
import type { MinFinished } from '@murmuration/experiment/peers'
import { addressProblem, type AddressUse } from '@murmuration/files/addresses'
import { byteUnits, readQuantity, timeUnits } from '@murmuration/files/quantity'
import type { SweepPart } from '@murmuration/results'
import type { WatchAddress } from '@murmuration/watch'
import { InvalidArgumentError, Option } from 'commander'

/** Milliseconds. */
export function durationOf(text: string): number {
  const time = readQuantity(text, timeUnits)
  if (typeof time === 'number') return time
  throw new InvalidArgumentError(`expected ${time}`)
}

/** Bytes. */
export function bytesOf(text: string): number {
  const bytes = readQuantity(text, { ...byteUnits, positive: true })
  if (typeof bytes === 'number') return bytes
  throw new InvalidArgumentError(`expected ${bytes}`)
}

/** A number above 0. */
export function positiveOf(text: string): number {
  const number = Number(text)
  if (number > 0 && number < Number.POSITIVE_INFINITY) return number
  throw new InvalidArgumentError('expected a number above 0')
}

/** A number of threads. */
export function countOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 1024) return count
  throw new InvalidArgumentError('expected a whole number from 1 to 1024')
}

/** A number of characters. */
export function lengthOf(text: string): number {
  const length = Number(text)
  if (Number.isInteger(length) && length >= 1 && length <= 1e6) return length
  throw new InvalidArgumentError('expected a whole number from 1 to 1000000')
}

/** A temperature. */
export function temperatureOf(text: string): number {
  const temperature = Number(text)
  if (text.trim() !== '' && temperature >= 0 && temperature <= 100) return temperature
  throw new InvalidArgumentError('expected a number from 0 to 100, such as 0.8')
}

/** A seed. */
export function wholeOf(text: string): number {
  const seed = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(seed) && seed >= 0) return seed
  throw new InvalidArgumentError('expected a whole number, 0 or more')
}

/** Reads `3/10`. */
export function partOf(text: string): SweepPart {
  const [, number, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
  if (number >= 1 && number <= of) return { number, of }
  throw new InvalidArgumentError('expected a part and the number of parts, such as 3/10')
}

/**
 * An option that may be given several times, each time with another value. An option with an optional value is `true`
 * without one.
 *
 * @param shownDefault - the default, as help shows it
 * @param problemOf - what is expected in place of a value that cannot be used
 */
export function repeatable(
  flags: string,
  description: string,
  shownDefault: string,
  problemOf: (text: string) => string | undefined = () => undefined
): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((text: string, previous: true | readonly string[]) => {
      const expected = problemOf(text)
      if (expected !== undefined) throw new InvalidArgumentError(`expected ${expected}`)
      return [...(previous === true ? [] : previous), text]
    })
    .default([], shownDefault)
}

/** As {@link repeatable}, for addresses that this machine dials, or at which it listens. */
export function addresses(use: AddressUse, flags: string, description: string, shownDefault: string): Option {
  return repeatable(flags, description, shownDefault, (text) => addressProblem(text, use))
}

/** The name of a peer. */
export function nameOf(text: string): PeerName {
  try {
    return peerName(text)
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error))
  }
}

/** The URL of a page, without what follows a `#`. */
export function pageOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href.replace(/#.*$/, '')
  throw new InvalidArgumentError('expected the URL of a page, such as http://192.168.1.5:4280/')
}

/** Reads `3` or `75%`. Throws an InputError for anything else. */
export function minFinishedOf(text: string): MinFinished {
  const [, digits, unit] = /^(\d+(?:\.\d+)?) *(%?)$/.exec(text) ?? []
  const amount = Number(digits)
  if (unit === '%' && amount > 0 && amount <= 100) return { amount, unit }
  if (unit === '' && Number.isInteger(amount) && amount > 0) return { amount, unit: 'peers' }
  throw new InputError(
    `--min-finished: found "${text}", expected a number of peers such as 3, or a percentage such as 75%`
  )
}

/**
 * The address where the page is served; any free port if the option has no value. Throws an InputError for anything but
 * an address.
 */
export async function watched(option: string | true | undefined): Promise<WatchAddress | undefined> {
  if (option === undefined) return undefined
  const { watchAddress } = await import('@murmuration/watch')
  return watchAddress(option === true ? '0' : option, process.env.MURMURATION_WATCH_TOKEN)
}
