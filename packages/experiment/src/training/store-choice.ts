/** The store that the services of a run share, in files. */
import type { AnyAlgorithm } from '@murmuration/algorithms'
import { InputError } from '@murmuration/core'
import * as z from 'zod'

/** The kind of a store, by the scheme of its URL. */
const programs: Readonly<Record<string, 'redis' | 'mysql'>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'mysql:': 'mysql',
  'mariadb:': 'mysql'
}

const expected = 'memory, redis://host:6379 or mysql://user@host:3306/database'

/** `memory`, or the URL of a store. The password must be in the environment: files are shown, compared and kept. */
export const storeSchema = z.string().superRefine((text, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  if (text === 'memory') return
  if (!URL.canParse(text)) return refuse(expected)
  const url = new URL(text)
  if (!Object.hasOwn(programs, url.protocol) || url.hostname === '') refuse(expected)
  // The URL is not repeated in the message: it contains a secret.
  else if (url.password !== '')
    refuse('a URL without a password; set the password in the environment variable MURMUR_STORE_PASSWORD')
})

/** The kind of a store. */
export function storeProgram(store: string): 'memory' | 'redis' | 'mysql' {
  return store === 'memory' ? 'memory' : programs[new URL(store).protocol]
}

/** Throws an InputError if real services cannot share the store, or the algorithm does not use one. */
export function checkStore(
  path: string,
  { needs, title }: AnyAlgorithm,
  { store, servers }: { readonly store: string | undefined; readonly servers: number }
): void {
  if (needs.store === undefined && store !== undefined)
    throw new InputError(`${path}: ${title} uses no store; omit "store"`)
  if (needs.store === undefined || servers <= 1 || storeProgram(store ?? 'memory') !== 'memory') return
  throw new InputError(
    `${path}: found ${servers} services and a store in memory, which processes cannot share; name one that they can, such as "store: redis://localhost:6379"`
  )
}
