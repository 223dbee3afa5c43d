/** An algorithm in files: from the registry, or a module of the user's own; with its options. */
import { allAlgorithms, type AnyAlgorithm } from '@murmuration/algorithms'
import { InputError } from '@murmuration/core'
import { nearest, type Result, validate } from '@murmuration/files'
import * as z from 'zod'
import { resolvePath } from '#platform'
import { removedFields } from './removed-fields.js'
import { importAlgorithm } from './user-algorithm.js'

/** Plain data. For a module, its path with the options next to it. */
export interface AlgorithmChoice {
  /** The record's name; for a module, known once it is loaded. */
  readonly name?: string | undefined
  readonly module?: string | undefined
  readonly [option: string]: unknown
}

/** Old places of fields that all algorithms share, and an option's old name. */
const moved = removedFields({
  pieces: 'chunks in place of pieces',
  batch: 'batch: 32 at the top level',
  momentum: 'optimiser: { name: sgd, momentum: 0.9 }, next to batch and rate',
  nesterov: 'optimiser: { name: sgd, nesterov: true }, next to batch and rate',
  weightDecay: 'weightDecay: 0.0001 at the top level'
})

const names = allAlgorithms.map(({ name }) => name) as [string, ...string[]]

const byName = allAlgorithms.map(({ name, title, source, options }) =>
  z.strictObject({ name: z.literal(name), ...moved, ...options.shape }).meta({ description: `${title} (${source})` })
)

/** A module's options are checked when it is loaded. */
const byModule = z
  .looseObject({
    name: z.undefined({ error: `one of ${names.join(', ')}` }).optional(),
    module: z.string({ error: `name: ${names[0]} or another, or module: ./mine.js` }).min(1),
    ...moved
  })
  .meta({ description: 'An algorithm of your own: a module that exports one, and its options' })

/** `algorithm:` in a training file: a name, or a mapping with a name or module and options. */
export const algorithmSchema = z
  .union([z.enum(names).transform((name) => ({ name })), z.looseObject({})])
  .pipe(z.discriminatedUnion('name', [...byName, byModule] as unknown as [typeof byModule]))
  .transform((choice) => choice as AlgorithmChoice)
  .meta(inputJson(() => z.union([z.enum(names), ...byName, byModule]), 'algorithm'))

/**
 * The JSON Schema of the input, for a schema that transforms a union. It is made when it is read: few processes write
 * schemas.
 */
export function inputJson(union: () => z.ZodUnion, id?: string): z.core.GlobalMeta {
  let made: z.core.JSONSchema.BaseSchema | undefined
  const json = () => (made ??= z.toJSONSchema(union(), { io: 'input', unrepresentable: 'any' }))
  return {
    ...(id === undefined ? {} : { id }),
    get anyOf() {
      return json().anyOf
    },
    get $defs() {
      return json().$defs
    }
  }
}

const loaded = new Map<string, Promise<AnyAlgorithm>>()
const ready = new Map<string, AnyAlgorithm>()

/**
 * Loads the algorithm of a choice, once. Throws an InputError when a module cannot be loaded, or exports no algorithm.
 */
export async function loadAlgorithm({ name, module }: AlgorithmChoice): Promise<AnyAlgorithm> {
  if (module === undefined) return recordNamed(name ?? '')
  const path = resolvePath(module)
  if (!loaded.has(path)) loaded.set(path, importAlgorithm(path))
  const record = await (loaded.get(path) as Promise<AnyAlgorithm>)
  ready.set(path, record)
  return record
}

/** The record of a choice that was loaded before. */
export function recordOf({ name, module }: AlgorithmChoice): AnyAlgorithm {
  const record = module === undefined ? recordNamed(name ?? '') : ready.get(resolvePath(module))
  if (record === undefined) throw new Error(`the algorithm ${module} is not loaded`)
  return record
}

/** An algorithm of the registry; throws an InputError for another name. */
export function recordNamed(name: string): AnyAlgorithm {
  const record = allAlgorithms.find((each) => each.name === name)
  if (record !== undefined) return record
  throw new InputError(`found the algorithm "${name}", expected one of ${names.join(', ')}${nearest(name, names)}`)
}

/** The options of a choice with their defaults, or what is wrong with them. */
export function optionsOf(choice: AlgorithmChoice): Result<Readonly<Record<string, unknown>>> {
  return validate(recordOf(choice).options, givenOptions(choice))
}

/** The options of a choice as they were given. */
export function givenOptions(choice: AlgorithmChoice): Readonly<Record<string, unknown>> {
  return without(choice, ['name', 'module'])
}

/** A copy without some keys. */
export function without(from: object, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)))
}

/** A choice on the command line: the name of an algorithm, or the path of a module. */
export function choiceOf(text: string): AlgorithmChoice {
  return /[/\\]|\.[cm]?js$/.test(text) ? { module: resolvePath(text) } : { name: recordNamed(text).name }
}

/** Options that are not defaults, in words: the word of a list, `no overlap`, `period 8`. */
export function optionTexts({ options }: AnyAlgorithm, chosen: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(options.shape).flatMap(([name, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(undefined)
    const value = chosen[name]
    if (value === undefined || (parsed.success && JSON.stringify(parsed.data) === JSON.stringify(value))) return []
    return [optionText(name, value)]
  })
}

/** `D-PSGD (adapt-then-combine)`: the title, and the options that are not defaults. */
export function algorithmLabel(record: AnyAlgorithm, chosen: Readonly<Record<string, unknown>>): string {
  const options = optionTexts(record, chosen)
  return options.length > 0 ? `${record.title} (${options.join(', ')})` : record.title
}

function optionText(name: string, value: unknown): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  if (typeof value === 'boolean') return value ? words : `no ${words}`
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return `${words} ${String(value)}`
  const inner = Object.entries(value).map(([key, each]) => (key === 'name' ? String(each) : `${key} ${String(each)}`))
  return `${words} ${inner.join(' ')}`
}
