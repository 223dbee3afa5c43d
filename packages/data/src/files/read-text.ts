import { InputError, messageOf } from '@murmuration/core'
import { blocksOf, stateOf } from '#data/files/disk.js'
import { refuseSpecialFile } from './special-file.js'
import { decodedBlocks } from './utf8.js'

/** The maximum bytes of a file: 256 MiB. */
const maxBytes = 2 ** 28

/** The maximum characters of a line. */
const maxLine = 2 ** 16

/** The bytes that are read at a time. */
const blockBytes = 2 ** 20

/**
 * The text of a file in UTF-8 without its byte order mark, in parts of about a megabyte: the whole may take twice the
 * bytes of the file, or be more than a string may have.
 *
 * @param expected - the expected content, for messages
 * @throws InputError when it cannot be read, is too long or is not UTF-8
 */
export async function* textBlocks(path: string, expected: string): AsyncGenerator<string> {
  try {
    await refuseSpecialFile(path)
    const { bytes } = await stateOf(path)
    if (bytes > maxBytes) throw new InputError(`${path}: found ${bytes} bytes, expected at most ${maxBytes}`)
    yield* decodedBlocks(path, blocksOf(path, blockBytes))
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`${path} cannot be read (${messageOf(error)}); expected ${expected}`)
  }
}

/**
 * Calls `use` with each line of a file, without its end, and its number from 1; after the last line break only if there
 * is something.
 *
 * @param expected - the expected content, for messages
 * @throws InputError as {@link textBlocks} does, and for a line that is too long
 */
export async function forEachLine(
  path: string,
  expected: string,
  use: (line: string, number: number) => void
): Promise<void> {
  let number = 0
  let rest = ''
  for await (const block of textBlocks(path, expected)) {
    const lines = `${rest}${block}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) use(line.endsWith('\r') ? line.slice(0, -1) : line, ++number)
    if (rest.length > maxLine) throw new InputError(`${path}: line ${number + 1} has more than ${maxLine} characters`)
  }
  if (rest !== '') use(rest, number + 1)
}
