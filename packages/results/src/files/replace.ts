/** Replaces files atomically. */
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, OutputError } from '@murmuration/core'

/**
 * Writes a file next to `path` and renames it when all of it is on the disk. Until then an older file of that name is
 * unchanged. Its mode is kept, and so is a symbolic link to it. Throws an OutputError on failure, and then leaves no
 * temporary file.
 */
export async function replaceFile(path: string, chunks: Iterable<string | Uint8Array>): Promise<void> {
  await replace(path, chunks, 0o666)
}

/** As {@link replaceFile}. A file that is new is for its owner only, from the first byte on. */
export async function replacePrivateFile(path: string, chunks: Iterable<string | Uint8Array>): Promise<void> {
  await replace(path, chunks, 0o600)
}

/** @param newMode - the mode of a file that is new, from which the system takes what the user does not allow */
async function replace(path: string, chunks: Iterable<string | Uint8Array>, newMode: number): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path)
    const mode = (await stat(target).catch(() => undefined))?.mode
    await writeBeside(target, chunks, { newMode, mode })
  } catch (error) {
    throw new OutputError(`${path}: cannot be written: ${messageOf(error)}`)
  }
}

async function writeBeside(
  target: string,
  chunks: Iterable<string | Uint8Array>,
  { newMode, mode }: { readonly newMode: number; readonly mode: number | undefined }
): Promise<void> {
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  try {
    await using(await open(draft, 'w', newMode), async (file) => {
      if (mode !== undefined) await file.chmod(mode)
      for (const chunk of chunks) await file.writeFile(chunk)
      await file.sync()
    })
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(dirname(target))
}

/**
 * A rename survives a power loss once its folder is synced. Folders cannot be opened on Windows, where the rename is
 * durable anyway.
 */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using(await open(folder, 'r'), (file) => file.sync())
}

async function using(file: FileHandle, body: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await body(file)
  } finally {
    await file.close()
  }
}
