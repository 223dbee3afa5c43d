/** What a peer needs of its platform, in Node.js. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
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

/** Opens a store that is a program of its own. Its packages are loaded only where there is one. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const stores = await import('@murmuration/stores')
  return stores.openStore(options)
}
