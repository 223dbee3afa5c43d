import { readFile } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'

/** The text of a file. Throws an InputError when it cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new InputError(`${path}: found a folder, expected a file`)
    throw new InputError(`${path}: cannot read the file: ${messageOf(error)}`)
  }
}
