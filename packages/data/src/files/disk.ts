/** The disk, as readers of data use it. disk.browser.ts has the same for the files that a page was given. */
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'

export { basename, dirname, join } from 'node:path'

/** What is at a path. */
export interface PathState {
  /** 'special' for a named pipe, a socket or a device: reading it might never end. */
  readonly kind: 'file' | 'folder' | 'special'
  readonly bytes: number
  /** Other numbers after a change. */
  readonly version: readonly number[]
}

/** Rejects with the system's error where there is nothing. */
export async function stateOf(path: string): Promise<PathState> {
  const state = await stat(path)
  const kind = state.isFile() ? 'file' : state.isDirectory() ? 'folder' : 'special'
  return { kind, bytes: state.size, version: [state.size, state.mtimeMs, state.ino] }
}

/** The names in a folder, in no order. */
export function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder)
}

export function bytesOf(path: string): Promise<Uint8Array> {
  return readFile(path)
}

/** The content of a file, one block after the other. */
export function blocksOf(path: string, blockBytes: number = 2 ** 16): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: blockBytes })
}

/** The first bytes of a file, at most `count`. */
export async function headOf(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
