import { readFile } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'

/** The text of a file. Throws an InputError when it cannot be read. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new InputError(`${path}: the file cannot be read: ${messageOf(error)}`)
  }
}
