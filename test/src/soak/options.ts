import { parseArgs } from 'node:util'
import { InputError } from '@murmuration/core'

/** What a soak is to do. */
export interface SoakOptions {
  /** How long peers exchange, without starting and ending. */
  readonly minutes: number
  /** Of the faults and of the peers' random numbers. */
  readonly seed: number
  /** The size of a vector, in 10⁶ bytes. */
  readonly megabytes: number
  /** How many vectors pass through relays between two faults, on average. */
  readonly every: number
  /** How long a round may take at most, in seconds. */
  readonly timeout: number
  readonly codec?: string | undefined
}

const defaults = { minutes: '2', seed: '7', megabytes: '50', every: '4', timeout: '120' }

/** Reads the arguments of the program. Throws an InputError for those that make no sense. */
export function parseOptions(args: readonly string[]): SoakOptions {
  const names = Object.keys(defaults) as (keyof typeof defaults)[]
  const options = Object.fromEntries([...names, 'codec'].map((name) => [name, { type: 'string' as const }]))
  const { codec, ...texts } = parseArgs({ args: [...args], options }).values as Record<string, string | undefined>
  const numbers = Object.entries({ ...defaults, ...texts }).map(([name, text]) => {
    const value = Number(text)
    if (!(value > 0)) throw new InputError(`--${name} is "${text}"; give a number above 0`)
    return [name, value] as const
  })
  return { ...(Object.fromEntries(numbers) as Record<keyof typeof defaults, number>), codec }
}

/** The command that reproduces the run. */
export function commandOf({ codec, ...numbers }: SoakOptions): string {
  const given = Object.entries(numbers).map(([name, value]) => `--${name} ${value}`)
  return ['node test/dist/soak/main.js', ...given, ...(codec === undefined ? [] : [`--codec ${codec}`])].join(' ')
}
