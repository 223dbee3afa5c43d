import { readFile, stat } from 'node:fs/promises'
import { InputError, messageOf } from '@murmuration/core'
import { refuseSpecialFile } from './special-file.js'

/** The maximum bytes of a file that is held in memory as text: 256 MiB. */
const byteLimit = 2 ** 28

/**
 * A file of text, as UTF-8.
 *
 * @param expected - the expected content, for messages
 * @throws InputError when it cannot be read or is too long
 */
export async function readText(path: string, expected: string): Promise<string> {
  try {
    await refuseSpecialFile(path)
    const { size } = await stat(path)
    if (size > byteLimit) throw new InputError(`${path}: found ${size} bytes, expected at most ${byteLimit}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`${path} cannot be read (${messageOf(error)}); expected ${expected}`)
  }
}
