import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, messageOf, wrongUtf8 } from '@murmuration/core'

/** The maximum bytes of a file that people write: 16 MiB. */
const maxBytes = 2 ** 24

/** The text of a file in UTF-8. Throws an InputError when it cannot be read, is too long or is not UTF-8. */
export async function readText(path: string): Promise<string> {
  try {
    const status = await stat(path)
    // Reading a named pipe ends when its writer does, perhaps never.
    if (!status.isFile() && !status.isDirectory())
      throw new InputError(`${path}: found a named pipe, a socket or a device, expected a file`)
    if (status.isFile() && status.size > maxBytes)
      throw new InputError(`${path}: found ${status.size} bytes, expected at most ${maxBytes}`)
    return decoded(path, await readFile(path))
  } catch (error) {
    if (error instanceof InputError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new InputError(`${path}: found a folder, expected a file`)
    throw new InputError(`${path}: cannot read the file: ${messageOf(error)}`)
  }
}

/** Without the byte order mark, which `TextDecoder` omits. */
function decoded(path: string, bytes: Uint8Array): string {
  const wrong = wrongUtf8(bytes)
  if (wrong !== undefined) throw new InputError(`${path}: ${wrong} is not UTF-8; save the file as UTF-8`)
  return new TextDecoder().decode(bytes)
}

/** The links files at a path: itself, or those in the folder. Throws an InputError where there are none. */
export async function linksFilesAt(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') return undefined
    throw new InputError(`${path}: cannot read a file or folder: ${error.message}`)
  })
  if (names === undefined) return [path]
  const files = names.filter((name) => name.endsWith('.yaml')).sort()
  if (files.length > 0) return files.map((name) => join(path, name))
  throw new InputError(`${path}: found no *.yaml files in the folder, expected files from "murmur measure"`)
}
