/** What a peer needs of its platform, in Node.js. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OpenedStore, StoreOptions } from '@murmuration/stores'

/** Whether a file or a folder has this path. */
export const exists: (path: string) => boolean = existsSync

/** The absolute path; of several, each is relative to the one before. */
export const resolvePath: (...paths: readonly string[]) => string = resolve

/** The path of the folder that a path is in. */
export const folderOf: (path: string) => string = dirname

/** What the module at a path exports. */
export function importFile(path: string): Promise<object> {
  return import(pathToFileURL(path).href) as Promise<object>
}

/** The text of a file. */
export function textIn(path: string): Promise<string> {
  return readFile(path, 'utf8')
}

/** The id of the process that a peer is in; `undefined` in a page. */
export const processId: number | undefined = process.pid

/** The version of this package, which all packages share. */
export const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }

/** The environment variable with the password of a store, which is in no file and in no output. */
const passwordVariable = 'MURMUR_STORE_PASSWORD'

/** Opens a store that is a program of its own. Its packages are loaded only where there is one. */
export async function openStore(options: Omit<StoreOptions, 'password'>): Promise<OpenedStore> {
  const stores = await import('@murmuration/stores')
  return stores.openStore({ ...options, password: process.env[passwordVariable] })
}
