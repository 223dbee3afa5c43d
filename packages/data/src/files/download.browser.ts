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
  return Object.keys(sha256).map((name) => {
    const path = [...places.files.keys()].find((each) => basename(each) === name)
    if (path !== undefined) return { name, path }
    throw new InputError(`the page needs the file ${name}; fetch it, and give it to the page`)
  })
}
