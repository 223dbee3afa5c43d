import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { InputError, messageOf } from '@murmuration/core'
import { refuseSpecialFile } from './special-file.js'

/** A file of a data set: its name, and its location on this machine. */
export interface DataFile {
  readonly name: string
  readonly path: string
}

/** The maximum bytes of one file after unpacking: 1 GiB. A small gzip file could otherwise fill the memory. */
const unpackedLimit = 2 ** 30

const unpack = promisify(gunzip)

/**
 * The bytes of a file, unpacked when it is gzip. Throws an {@link InputError} when the file cannot be read or unpacked, or does not match `sha256`.
 * 'missing' stands for a checksum that is needed and was not given.
 */
export async function readData(file: DataFile, sha256?: string | 'missing'): Promise<Buffer> {
  await refuseSpecialFile(file.path)
  const bytes = await readFile(file.path).catch((error: unknown) => {
    throw new InputError(`${file.path} cannot be read: ${messageOf(error)}`)
  })
  if (sha256 !== undefined) verify(file, bytes, sha256)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  return unpack(bytes, { maxOutputLength: unpackedLimit }).catch((error: unknown) => {
    throw new InputError(`${file.path} cannot be unpacked: ${messageOf(error)}; it may be truncated, fetch it again`)
  })
}

function verify({ name, path }: DataFile, bytes: Uint8Array, expected: string): void {
  const found = createHash('sha256').update(bytes).digest('hex')
  if (expected === 'missing') {
    throw new InputError(
      `${path} has no SHA-256, which shows that all peers have the same file; add sha256: { ${name}: ${found} }`
    )
  }
  if (found === checksum(path, expected)) return
  throw new InputError(`${path} has the SHA-256 ${found}, expected ${expected}: it is another file, or damaged`)
}

/** `text` as the hex digits of a SHA-256 in small letters. Throws an {@link InputError} when it is none. */
export function checksum(name: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new InputError(`the SHA-256 of ${name} is "${text}", expected 64 hex digits`)
}
