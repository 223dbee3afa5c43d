/** What a peer needs of its platform, in a browser: there are no paths, and no code but the page's own. */
import { InputError } from '@murmuration/core'

/** No file has a path here. */
export const exists = (_path: string): boolean => false

/** A path as the run's files give it. */
export const resolvePath = (...paths: readonly string[]): string => paths.at(-1) ?? ''

/** All paths are in one place. */
export const folderOf = (_path: string): string => ''

/** Rejects with an InputError: a page runs no code that a file names. */
export async function importFile(path: string): Promise<never> {
  throw new InputError(`${path}: a module runs only where a user has named it, and in no browser`)
}

/** Rejects with an InputError, as {@link importFile} does. */
export const textIn = importFile

export const processId: number | undefined = undefined

/** Unknown in a bundle, which has no package.json. */
export const version: string = 'browser'

/** Rejects with an InputError: the clients of these programs need Node.js. */
export async function openStore({ url }: { readonly url: string }): Promise<never> {
  throw new InputError(`${new URL(url).protocol} a peer in a browser cannot be the service of a store`)
}
