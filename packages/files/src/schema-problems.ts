import * as z from 'zod'
import { nearest } from './nearest.js'
import { type Path, type Problem, within } from '@murmuration/core'

/** A value, or the problems of the input. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Validates `input`. The problems are worded for people who write files, not for those who wrote the schema. */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): Result<z.output<Schema>> {
  const result = schema.safeParse(input, { error: expectation, reportInput: true })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, problems: result.error.issues.flatMap(problemsOf) }
}

/** How files call the types of schemas. */
const typeWords: Readonly<Record<string, string>> = {
  string: 'text (in quotes where it looks like a number)',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing'
}

/**
 * What the schema expects. A schema with a message of its own states it there. For unknown keys: the known ones,
 * without removed ones.
 */
function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected] ?? issue.expected
    case 'invalid_value':
      return oneOf(issue.values.map(String))
    case 'too_small':
      return sizeText('at least', issue.origin, Number(issue.minimum), issue.inclusive !== false)
    case 'too_big':
      return sizeText('at most', issue.origin, Number(issue.maximum), issue.inclusive !== false)
    case 'unrecognized_keys':
      return knownKeys(issue.inst).join(' ')
    case 'invalid_union':
      return oneOf(Array.isArray(issue.options) ? issue.options.filter((each) => each !== undefined).map(String) : [])
    case 'invalid_format':
      return `text of the form ${issue.pattern ?? issue.format}`
    default:
      return 'something else'
  }
}

function sizeText(bound: 'at least' | 'at most', origin: string, limit: number, inclusive: boolean): string {
  const words = inclusive ? bound : bound === 'at least' ? 'more than' : 'less than'
  return origin === 'array' || origin === 'string'
    ? `${words} ${limit} ${origin === 'array' ? (limit === 1 ? 'item' : 'items') : 'characters'}`
    : `${words} ${limit}`
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? words[0] : `one of ${words.join(', ')}`
}

function knownKeys(schema: unknown): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.keys(schema.shape).filter((key) => !isRemoved(schema.shape[key]))
}

/** A removed key, which stays in the schema to say what replaced it. */
function isRemoved(schema: unknown): boolean {
  return schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodNever
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(issue.path, key, issue.message))
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return within(issue.path, unionProblems(issue.errors, issue.input))
  }
  return [{ path: issue.path, message: sentence(foundAt(issue), issue.message, wordsOf(issue)) }]
}

function unknownKey(path: Path, key: string, known: string): Problem {
  const keys = known.split(' ')
  const expected = known === '' ? 'no such key' : oneOf(keys)
  return {
    path: [...path, key],
    at: 'key',
    message: `found the key "${key}", expected ${expected}${nearest(key, keys)}`
  }
}

/**
 * The problems of the form that was meant: one that fits except for its parts, preferably one that knows most of the
 * keys, then one with a misspelt key. Otherwise: all forms at once.
 */
function unionProblems(branches: readonly (readonly z.core.$ZodIssue[])[], input: unknown): Problem[] {
  const meant = branches
    .filter((issues) => issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'))
    .sort(
      (left, right) =>
        unknownKeys(left) - unknownKeys(right) ||
        Number(hasTypo(right)) - Number(hasTypo(left)) ||
        left.length - right.length
    )
  if (meant.length > 0) return meant[0].flatMap(problemsOf)
  const ends = branches.flat().filter((issue) => issue.path.length === 0 && !isInternal(issue))
  const expected = [...new Set(ends.flatMap(expectations))]
  return [{ path: [], message: sentence(input, expected.join(', or '), ends.flatMap(wordsOf)) }]
}

/** A form that programs fill in and files do not have: a custom schema with `params: { isInternal: true }`. */
function isInternal(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.isInternal === true
}

function unknownKeys(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
}

/** Whether an unknown key is nearly one of the known keys. */
function hasTypo(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some(
    (issue) =>
      issue.code === 'unrecognized_keys' && issue.keys.some((key) => nearest(key, issue.message.split(' ')) !== '')
  )
}

function expectations(issue: z.core.$ZodIssue): string[] {
  return issue.code === 'invalid_union' && issue.errors.length > 0
    ? issue.errors.flat().flatMap(expectations)
    : [issue.message]
}

/** The value at the issue's path. An issue about a discriminator reports the mapping around it. */
function foundAt(issue: z.core.$ZodIssue): unknown {
  const { input } = issue
  return issue.code === 'invalid_union' && issue.discriminator !== undefined && isMapping(input)
    ? input[issue.discriminator]
    : input
}

function wordsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  return issue.code === 'invalid_union' && 'options' in issue ? (issue.options ?? []).map(String) : []
}

function sentence(found: unknown, expected: string, words: readonly string[]): string {
  const typo = typeof found === 'string' ? nearest(found, words) : ''
  return found === undefined ? `missing, expected ${expected}` : `found ${shown(found)}, expected ${expected}${typo}`
}

function shown(found: unknown): string {
  if (typeof found === 'string') {
    // A URL may contain a password.
    const text = found.replace(/[^\s/]*:\S*@/, '…@')
    return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
  }
  if (Array.isArray(found)) return `a list of ${found.length}`
  if (found === null) return 'nothing'
  return isMapping(found) ? 'a mapping' : String(found)
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
