/** What download.ts has, for a page: data come from the files that it was given, never from elsewhere. */
import { InputError } from '@murmuration/core'
import type { DataFile } from './data-file.js'
import { basename } from './disk.browser.js'
import { places } from './provided-files.js'

export const defaultLimits = (): undefined => undefined

/** Rejects with an InputError. */
export async function downloadAll(url: string): Promise<readonly DataFile[]> {
  throw new InputError(`${url}: a page fetches no data; fetch the files, and give them to the page`)
}

/** Those of the page's files that have the names. Rejects with an InputError where one is missing. */
export async function downloadFromMirrors(
  _mirrors: readonly string[],
  sha256: Readonly<Record<string, string>>
): Promise<readonly DataFile[]> {
  const paths = new Map([...places.files.keys()].map((path) => [basename(path), path]))
  const missing = Object.keys(sha256).filter((name) => !paths.has(name))
  if (missing.length > 0)
    throw new InputError(`the page needs ${missing.join(', ')}; fetch what is missing, and give it to the page`)
  return Object.keys(sha256).map((name) => ({ name, path: paths.get(name) ?? name }))
}
