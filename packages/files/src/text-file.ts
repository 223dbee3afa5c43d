import { readFile } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'

/** The text of a file. Throws an InputError when it cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new InputError(`${path}: this is a folder, expected a file`)
    throw new InputError(`${path}: the file cannot be read: ${messageOf(error)}`)
  }
}
