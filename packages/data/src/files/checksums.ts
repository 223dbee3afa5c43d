/** The SHA-256 of the files of a data set: of each, by its name, or of all together. */
import { InputError, messageOf } from '@murmuration/core'
import { newSha256, sha256 as sha256Of } from '@murmuration/platform'
import { blocksOf, dirname } from '#data/files/disk.js'
import { checksum, type DataFile } from './data-file.js'
import { refuseSpecialFile } from './special-file.js'

/** SHA-256 in hex: one for all files, see {@link sumOf}; or that of each file by its name, of images `CLASS/FILE`. */
export type Checksums = string | Readonly<Record<string, string>>

/** The SHA-256 of files in hex, by their paths. */
export type FileSums = ReadonlyMap<string, string>

/** What the files of a data set must be. */
export interface Expected {
  readonly sha256?: Checksums | undefined
  /** Whether every file needs a SHA-256. */
  readonly mustMatch: boolean
}

/**
 * Reads the files, and returns their SHA-256.
 *
 * @throws InputError for a file that cannot be read
 */
export async function sumsOf(files: readonly DataFile[]): Promise<FileSums> {
  const sums = new Map<string, string>()
  for (const { path } of files) {
    await refuseSpecialFile(path)
    const hash = newSha256()
    try {
      for await (const block of blocksOf(path)) hash.update(block)
    } catch (error) {
      throw new InputError(`${path} cannot be read: ${messageOf(error)}`)
    }
    sums.set(path, hash.hex())
  }
  return sums
}

/**
 * The SHA-256 of all files together: of a single one its own, of several that of the lines `SHA-256  NAME`, each with a
 * line feed, in their order. That is what `sha256sum FILES | sha256sum` prints within a folder.
 */
export function sumOf(files: readonly DataFile[], sums: FileSums): string {
  const [first] = files
  if (files.length === 1) return sums.get(first.path) ?? ''
  return sha256Of(...files.map(({ name, path }) => `${sums.get(path)}  ${name}\n`))
}

/**
 * The SHA-256 that each file must have when it is used, by path. Throws an InputError for files that do not have the
 * expected ones, or lack one that is needed; it says what to write for all of them.
 */
export async function verifiedSums(files: readonly DataFile[], { sha256, mustMatch }: Expected): Promise<FileSums> {
  if (files.length === 0 || (sha256 === undefined && !mustMatch)) return new Map()
  const expected = checkedSums(files, sha256)
  const sums = await sumsOf(files)
  const all = sumOf(files, sums)
  const place = files.length === 1 ? files[0].path : `${folderOf(files[0])} (${files.length} files)`
  if (typeof expected === 'string') {
    if (all === expected) return sums
    throw new InputError(
      `${place} has the SHA-256 ${all}, expected ${expected}: it is another one, or damaged; if it is the right one, write sha256: ${all}`
    )
  }
  const missing = files.find(({ name }) => expected[name] === undefined)
  if (mustMatch && missing !== undefined)
    throw new InputError(
      `found no SHA-256 of ${missing.path}, expected one, which shows that all peers have the same data; for ${place} write sha256: ${all}`
    )
  const given = files.filter(({ name }) => expected[name] !== undefined)
  const wrong = given.filter(({ name, path }) => sums.get(path) !== expected[name])
  if (wrong.length === 0) return new Map(given.map(({ name, path }) => [path, expected[name]]))
  const [{ name, path }] = wrong
  const others = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more differ`
  throw new InputError(
    `${path} has the SHA-256 ${sums.get(path)}, expected ${expected[name]}${others}: it is another file, or damaged; if all are right, write sha256: ${all}`
  )
}

/** The expected sums in small letters. Throws an InputError for one that is none. */
function checkedSums(files: readonly DataFile[], sha256: Checksums = {}): Checksums {
  if (typeof sha256 === 'string') return checksum(folderOf(files[0]), sha256)
  return Object.fromEntries(
    files.flatMap(({ name, path }) => {
      const sum = Object.hasOwn(sha256, name) ? sha256[name] : undefined
      return sum === undefined ? [] : [[name, checksum(path, sum)]]
    })
  )
}

/** The folder of a data set that has the file: that above the class of an image. */
function folderOf({ name, path }: DataFile): string {
  return name.includes('/') ? dirname(dirname(path)) : dirname(path)
}
