import { printable } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { beginning } from './foreign-text.js'

/**
 * The settings that all peers of a run must share, in their canonical form: names such as `rate.initial` or `peers[2]`,
 * and values as JSON text. Two runs have the same settings exactly when their canonical forms are equal.
 */
export type Settings = Readonly<Record<string, string>>

/** One setting that differs; a missing value is `undefined`. */
export interface SettingDifference {
  readonly name: string
  readonly ours: string | undefined
  readonly theirs: string | undefined
}

/** The longest name and value in characters; longer ones are cut and end in the SHA-256 of the whole. */
export const maxSettingName = 256
export const maxSettingValue = 1024

/**
 * From depth `deep` on, a mapping or list with JSON longer than `maxMembers` is one setting, compared by SHA-256; else
 * each member is one.
 */
const deep = 3
const maxMembers = 16_384

/** How many differences a message names, and how many characters of each value it shows. */
const maxListed = 16
const maxShown = 72

/** The canonical form of any JSON value; keys with the value `undefined` are left out. */
export function settingsOf(value: Readonly<Record<string, unknown>>): Settings {
  const plain = JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(plain).flatMap(([key, each]) => leaves(nameWithin('', key), each, 1)))
}

/** The settings that differ, in the order of their names. */
export function differencesBetween(ours: Settings, theirs: Settings): readonly SettingDifference[] {
  const [here, there] = [ours, theirs].map((settings) => new Map(Object.entries(settings)))
  const names = [...new Set([...here.keys(), ...there.keys()])].sort()
  return names
    .map((name) => ({ name, ours: here.get(name), theirs: there.get(name) }))
    .filter((each) => each.ours !== each.theirs)
}

/** A sentence that names the differing settings with both values. */
export function tellDifferences(differences: readonly SettingDifference[]): string {
  const listed = differences.slice(0, maxListed).map(({ name, ours, theirs }) => {
    const from = commonStart(ours ?? '', theirs ?? '')
    return `${name} is ${shown(ours, from)} here and ${shown(theirs, from)} there`
  })
  const more = differences.length - listed.length
  return `the settings differ: ${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function leaves(name: string, value: unknown, depth: number): readonly (readonly [string, string])[] {
  const text = printable(JSON.stringify(sorted(value)))
  const members = membersOf(name, value)
  if (members.length === 0 || (depth >= deep && text.length > maxMembers)) {
    return [[bounded(name, maxSettingName), bounded(text, maxSettingValue)]]
  }
  return members.flatMap(([member, each]) => leaves(member, each, depth + 1))
}

function membersOf(name: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((each: unknown, index) => [`${name}[${index}]`, each])
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([key, each]) => [nameWithin(name, key), each])
}

/**
 * Quotes keys that look like a path or a list index, so that no two settings have one name; and `__proto__`, which a
 * record cannot have as key.
 */
function nameWithin(name: string, key: string): string {
  if (!/^[\w-]+$/.test(key) || key === '__proto__') return `${name}[${printable(JSON.stringify(key))}]`
  return name === '' ? key : `${name}.${key}`
}

/** The same value with the keys of all mappings sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]))
}

function bounded(text: string, max: number): string {
  if (text.length <= max) return text
  return `${beginning(text, max - 100)}… (${text.length} characters, SHA-256 ${hashText(text)})`
}

/** The value; of a long one the part around the first difference. */
function shown(text: string | undefined, from: number): string {
  if (text === undefined) return 'missing'
  if (text.length <= maxShown) return text
  const start = Math.max(0, Math.min(from - maxShown / 3, text.length - maxShown))
  const end = Math.min(text.length, start + maxShown)
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

function commonStart(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}
