/** The files that a page was given, under their paths, as disk.ts has them: a page has no disk. */
import type { PathState } from './disk.js'
import { places } from './provided-files.js'

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function dirname(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '.' : path.slice(0, end)
}

/** Without `.`, doubled slashes, and one at the end. */
export function join(...parts: readonly string[]): string {
  const names = parts.flatMap((part) => part.split('/')).filter((name) => name !== '' && name !== '.')
  return names.join('/') || '.'
}

function fileAt(path: string): Blob {
  const found = places.files.get(join(path))
  if (found === undefined) throw new Error('there is no such file on this page')
  return found
}

export async function stateOf(path: string): Promise<PathState> {
  if (places.folders.has(join(path))) return { kind: 'folder', bytes: 0, version: [] }
  const { size } = fileAt(path)
  return { kind: 'file', bytes: size, version: [size] }
}

export async function namesIn(folder: string): Promise<readonly string[]> {
  return [...(places.folders.get(join(folder)) ?? [])]
}

export async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await fileAt(path).arrayBuffer())
}

export async function* blocksOf(path: string, blockBytes: number = 2 ** 16): AsyncGenerator<Uint8Array> {
  const file = fileAt(path)
  for (let at = 0; at < file.size; at += blockBytes)
    yield new Uint8Array(await file.slice(at, at + blockBytes).arrayBuffer())
}

export async function headOf(path: string, count: number): Promise<Uint8Array> {
  return new Uint8Array(await fileAt(path).slice(0, count).arrayBuffer())
}
