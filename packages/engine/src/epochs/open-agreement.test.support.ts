/** The compiled agreement with its fields open, so that a state can be copied; and with mistakes put into it. */
import { readFileSync } from 'node:fs'
import type { EpochAgreement, AgreementOptions } from './agreement.js'
import type { Epoch } from './epoch.js'

/** A piece of a compiled file, and what stands there instead. */
export interface Change {
  readonly file: 'agreement' | 'epoch' | 'next-epoch'
  readonly before: string
  readonly after: string
}

/** What an agreement holds between two calls. */
export interface Fields {
  _epoch: Epoch
  _promised: readonly [number, string]
  _begun: number
  _accepted: { readonly ballot: readonly [number, string] } | undefined
  _proposal:
    | {
        readonly value: Epoch | undefined
        readonly promises: ReadonlyMap<string, { standing: Epoch; accepted?: object }>
      }
    | undefined
  [name: string]: unknown
}

export type OpenAgreement = EpochAgreement & Fields
export type AgreementClass = new (options: AgreementOptions) => OpenAgreement

const sourceOf = (file: string) =>
  readFileSync(new URL(`${file}.js`, import.meta.url), 'utf8').replace(/\n\/\/# sourceMappingURL.*/, '')
const moduleOf = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

/** Time plays no part: every wait may be over at once. */
const timeless = [
  'resendAfter = 250',
  'turn = 1000',
  'grace = 250',
  'unfoundedEvery = 60_000',
  'proposesAgain = 4000'
].map((text): Change => {
  return { file: 'agreement', before: text, after: `${text.split(' ')[0]} = 0` }
})

/** The class with these changes. Throws an Error where the text before a change is not there exactly once. */
export async function agreementWith(changes: readonly Change[] = []): Promise<AgreementClass> {
  const changed = (file: Change['file']) => {
    let source = sourceOf(file)
    for (const { before, after } of [...timeless, ...changes].filter((change) => change.file === file)) {
      if (source.split(before).length !== 2) throw new Error(`${file}.js has not exactly one "${before}"`)
      source = source.replace(before, () => after)
    }
    return source
  }
  const withImports = (source: string, own: Readonly<Record<string, string>>) =>
    source.replace(/ from '([^']+)'/g, (_, name: string) => {
      return ` from ${JSON.stringify(own[name] ?? import.meta.resolve(name))}`
    })
  const epoch = moduleOf(withImports(changed('epoch'), {}))
  const nextEpoch = moduleOf(withImports(changed('next-epoch'), { './epoch.js': epoch }))
  const open = changed('agreement').replace(/#(?=[a-z])/g, '_')
  const source = withImports(open, { './epoch.js': epoch, './next-epoch.js': nextEpoch })
  const { EpochAgreement: Opened } = (await import(moduleOf(source))) as { EpochAgreement: AgreementClass }
  return Opened
}

const isKept = (name: string) => name !== '_options' && name !== '_peers'

/** A copy that does not change with the agreement. */
export function fieldsOf(agreement: OpenAgreement): Fields {
  const kept = Object.entries(agreement).filter(([name]) => isKept(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, copyOf(value)])) as Fields
}

/** The agreement with these fields. */
export function withFields(agreement: OpenAgreement, fields: Fields): OpenAgreement {
  for (const [name, value] of Object.entries(fields)) Object.assign(agreement, { [name]: copyOf(value) })
  return agreement
}

function copyOf(value: unknown): unknown {
  if (value instanceof Map) return new Map(value)
  if (value instanceof Set) return new Set(value)
  if (Array.isArray(value)) return [...(value as readonly unknown[])]
  // Epochs never change; a proposal does, and its parts.
  if (typeof value !== 'object' || value === null || !('promises' in value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]))
}

/** One text for equal fields. */
export function fieldsText(fields: Fields): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value instanceof Map) return [...value].sort()
    return value instanceof Set ? [...value].sort() : value
  })
}
