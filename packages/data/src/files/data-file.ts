import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { InputError, messageOf } from '@murmuration/core'
import { refuseSpecialFile } from './special-file.js'

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

/** How much is unpacked at a time. */
const chunkBytes = 2 ** 16

/** What is asked of a file. */
export interface DataRequest {
  /** The SHA-256 in hex. */
  readonly sha256?: string | undefined
  /** The maximum bytes of the file, and of what it unpacks to; 1 GiB by default. */
  readonly limit?: number | undefined
}

/** Reads a file of a data set, of at most `limit` bytes. */
export type ReadFile = (file: DataFile, limit?: number) => Promise<Buffer>

/**
 * The bytes of a file, unpacked when it is gzip. Throws an {@link InputError} when the file cannot be read or unpacked,
 * is too long, or does not match
 * its checksum.
 */
export async function readData(file: DataFile, { sha256, limit = defaultLimit }: DataRequest = {}): Promise<Buffer> {
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
export async function readFileUpTo(path: string, limit: number): Promise<Buffer> {
  try {
    const status = await stat(path)
    const { size } = status
    if (status.isDirectory()) throw new InputError(`${path}: found a folder, expected a file; name the files in it`)
    if (size > limit) throw new InputError(`${path}: ${size} bytes, expected at most ${limit}; use a part of it`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

class TooLongError extends Error {}

/**
 * Unpacks gzip into one piece of memory. The last four bytes say how long it is, modulo 2^32, if it was packed at once.
 */
async function unpacked(packed: Buffer, limit: number): Promise<Buffer> {
  let content: Buffer = Buffer.allocUnsafeSlow(Math.min(limit, packed.readUInt32LE(Math.max(0, packed.length - 4))))
  let length = 0
  const chunks = createGunzip({ chunkSize: chunkBytes })
  chunks.end(packed)
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    if (length + chunk.length > limit) throw new TooLongError()
    if (length + chunk.length > content.length)
      content = lengthened(content, Math.min(limit, 2 * (length + chunk.length)))
    length += chunk.copy(content, length)
  }
  return content.subarray(0, length)
}

function lengthened(content: Buffer, length: number): Buffer {
  const longer = Buffer.allocUnsafeSlow(length)
  content.copy(longer)
  return longer
}

function verify({ path }: DataFile, bytes: Uint8Array, expected: string): void {
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found === checksum(path, expected)) return
  throw new InputError(`${path} has the SHA-256 ${found}, expected ${expected}: it is another file, or damaged`)
}

/** `text` as the hex digits of a SHA-256 in small letters. Throws an {@link InputError} when it is none. */
export function checksum(name: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new InputError(`the SHA-256 of ${name} is "${text}", expected 64 hex digits`)
}
