import { InputError, messageOf } from '@murmuration/core'
import { sha256 as sha256Of } from '@murmuration/platform'
import { bytesOf, stateOf } from '#data/files/disk.js'
import { unpacked } from '#data/files/packed.js'
import { refuseSpecialFile } from './special-file.js'
import { TooLongError } from './too-long.js'

/** A file of a data set: its name, and its location on this machine. */
export interface DataFile {
  readonly name: string
  readonly path: string
}

/**
 * The maximum bytes of one file, also after unpacking, unless its kind has a lower limit: 1 GiB. A small gzip file
 * could otherwise fill the memory.
 */
const defaultLimit = 2 ** 30

/** What is asked of a file. */
export interface DataRequest {
  /** The SHA-256 in hex. */
  readonly sha256?: string | undefined
  /** The maximum bytes of the file, and of what it unpacks to; 1 GiB by default. */
  readonly limit?: number | undefined
}

/** Reads a file of a data set, of at most `limit` bytes. */
export type ReadFile = (file: DataFile, limit?: number) => Promise<Uint8Array>

/**
 * The bytes of a file, unpacked when it is gzip. Throws an {@link InputError} when the file cannot be read or unpacked,
 * is too long, or does not match
 * its checksum.
 */
export async function readData(
  file: DataFile,
  { sha256, limit = defaultLimit }: DataRequest = {}
): Promise<Uint8Array> {
  await refuseSpecialFile(file.path)
  const bytes = await readFileUpTo(file.path, limit)
  if (sha256 !== undefined) verify(file, bytes, sha256)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await unpacked(bytes, limit)
  } catch (error) {
    if (error instanceof TooLongError)
      throw new InputError(`${file.path} unpacks to more than ${limit} bytes, the most that is read; use a part of it`)
    throw new InputError(`${file.path} cannot be unpacked: ${messageOf(error)}; it may be truncated, fetch it again`)
  }
}

/**
 * The bytes of a file, whose length is looked at before memory is used. Throws an {@link InputError} when it is too
 * long, or cannot be read.
 */
export async function readFileUpTo(path: string, limit: number): Promise<Uint8Array> {
  try {
    const { kind, bytes } = await stateOf(path)
    if (kind === 'folder') throw new InputError(`${path}: found a folder, expected a file; name the files in it`)
    if (bytes > limit) throw new InputError(`${path}: ${bytes} bytes, expected at most ${limit}; use a part of it`)
    return await bytesOf(path)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

function verify({ path }: DataFile, bytes: Uint8Array, expected: string): void {
  const found = sha256Of(bytes)
  if (found === checksum(path, expected)) return
  throw new InputError(`${path} has the SHA-256 ${found}, expected ${expected}: it is another file, or damaged`)
}

/** `text` as the hex digits of a SHA-256 in small letters. Throws an {@link InputError} when it is none. */
export function checksum(name: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new InputError(`the SHA-256 of ${name} is "${text}", expected 64 hex digits`)
}
