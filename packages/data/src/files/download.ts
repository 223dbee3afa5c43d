import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError, messageOf } from '@murmuration/core'
import { homeDirectory } from '#data/home.js'
import { checksum, type DataFile } from './data-file.js'
import { fetchFollowing } from './redirects.js'

/** The limits of a download, and where files are cached. */
export interface DownloadLimits {
  readonly bytes: number
  readonly milliseconds: number
  readonly folder: string
}

/** 1 GiB and 10 minutes per file; cached in `data` of {@link homeDirectory}. */
export function defaultLimits(): DownloadLimits {
  return { bytes: 2 ** 30, milliseconds: 600_000, folder: join(homeDirectory(), 'data') }
}

/**
 * Fetches the files listed in `sha256` from the folder or, if the URL is a file's, from the folder of that file. A
 * cached file is used after its checksum is verified again.
 *
 * Throws an {@link InputError} when a checksum is missing, or a file cannot be fetched or does not match.
 */
export async function downloadAll(
  url: string,
  sha256: Readonly<Record<string, string>>,
  limits = defaultLimits()
): Promise<readonly DataFile[]> {
  const location = parseUrl(url)
  const names = Object.keys(sha256).sort()
  if (names.length === 0) {
    throw new InputError(
      `${url} has no checksum: give sha256 with each file's name and SHA-256, since fetched files are checked`
    )
  }
  const files: DataFile[] = []
  for (const name of names) {
    files.push(await download([fileBeside(location, name, names)], checksum(name, sha256[name]), name, limits))
  }
  return files
}

/**
 * Fetches the files listed in `sha256` from the first of the mirrors that has them. A mirror is the URL of a folder,
 * with a slash at its end. The cache is that of {@link downloadAll}.
 *
 * Throws an {@link InputError} with the reason of each mirror when none has a file.
 */
export async function downloadFromMirrors(
  mirrors: readonly string[],
  sha256: Readonly<Record<string, string>>,
  limits = defaultLimits()
): Promise<readonly DataFile[]> {
  const files: DataFile[] = []
  for (const [name, expected] of Object.entries(sha256)) {
    const urls = mirrors.map((mirror) => new URL(name, mirror))
    files.push(await download(urls, expected, name, limits))
  }
  return files
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed
  throw new InputError(`${url} cannot be fetched; expected a URL with http:// or https://`)
}

/**
 * The URL of `name`: in the folder of the file `location` when that is one of `names`, else in the folder `location`.
 */
function fileBeside(location: URL, name: string, names: readonly string[]): URL {
  if (!/^[\w-][\w.-]*$/.test(name)) {
    throw new InputError(`sha256 names "${name}", expected a plain file name of letters, digits, ".", "_" and "-"`)
  }
  const isFile = names.includes(posix.basename(location.pathname))
  const folder = isFile ? posix.dirname(location.pathname) : location.pathname
  const url = new URL(location)
  url.pathname = posix.join(folder, name)
  return url
}

/** The file in the cache, fetched if necessary. Its path contains its checksum. */
async function download(
  urls: readonly URL[],
  expected: string,
  name: string,
  limits: DownloadLimits
): Promise<DataFile> {
  const path = join(limits.folder, expected, name)
  if ((await hashOf(path)) !== expected) await fetchFromFirst(path, urls, expected, limits)
  return { name, path }
}

/** Tries one URL after the other. */
async function fetchFromFirst(path: string, urls: readonly URL[], expected: string, limits: DownloadLimits) {
  const reasons: string[] = []
  for (const url of urls) {
    try {
      return await fetchInto(path, url, expected, limits)
    } catch (error) {
      reasons.push(`${url} cannot be used: ${reason(error, limits)}`)
    }
  }
  throw new InputError(reasons.join('; '))
}

/** The SHA-256 of a file in hex, or `undefined` when there is no such file. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  return pipeline(createReadStream(path), hash).then(
    () => hash.digest('hex'),
    () => undefined
  )
}

/** Writes next to the final path and renames at the end, so that no reader finds half a file under the final name. */
async function fetchInto(path: string, url: URL, expected: string, limits: DownloadLimits): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const scratch = await mkdtemp(join(dirname(path), 'part-'))
  try {
    const partial = join(scratch, 'file')
    const found = await save(url, partial, limits)
    if (found !== expected) throw new Error(`its SHA-256 is ${found}, expected ${expected}`)
    await rename(partial, path)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Streams the response into a file and returns its SHA-256. */
async function save(url: URL, path: string, limits: DownloadLimits): Promise<string> {
  const response = await fetchFollowing(url, AbortSignal.timeout(limits.milliseconds))
  if (!response.ok || response.body === null)
    throw new Error(`the server answered ${response.status} ${response.statusText}`)
  const hash = createHash('sha256')
  const file = await open(path, 'w')
  try {
    let total = 0
    for await (const chunk of chunksOf(response.body)) {
      total += chunk.byteLength
      if (total > limits.bytes) throw new Error(`it is larger than ${limits.bytes} bytes`)
      hash.update(chunk)
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

function reason(error: unknown, { milliseconds }: DownloadLimits): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not arrive within ${milliseconds / 1000} s`
  return error instanceof Error && error.cause !== undefined
    ? `${error.message} (${messageOf(error.cause)})`
    : messageOf(error)
}

/** The chunks of a response. Streams are iterable, but their type does not say so. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}
