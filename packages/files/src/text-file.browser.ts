import { InputError } from '@murmuration/core'

/** Rejects with an InputError: a page has no disk. */
export async function readText(path: string): Promise<string> {
  throw new InputError(`${path}: a page reads no files by their paths`)
}

/** Rejects with an InputError, as {@link readText} does. */
export async function linksFilesAt(path: string): Promise<readonly string[]> {
  return [await readText(path)]
}
