/** Replaces files atomically. */
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, OutputError } from '@murmuration/core'

/**
 * Writes a file next to `path` and renames it when all of it is on the disk. Until then an older file of that name is unchanged. Its mode
 * is kept, and so is a symbolic link to it. Throws an OutputError on failure, and then leaves no temporary file.
 */
export async function replaceFile(path: string, chunks: Iterable<string | Uint8Array>): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path)
    const mode = (await stat(target).catch(() => undefined))?.mode
    await writeBeside(target, chunks, mode)
  } catch (error) {
    throw new OutputError(`${path}: cannot be written: ${messageOf(error)}`)
  }
}

async function writeBeside(target: string, chunks: Iterable<string | Uint8Array>, mode?: number): Promise<void> {
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  try {
    await using(await open(draft, 'w'), async (file) => {
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

/** A rename survives a power loss once its folder is synced. Folders cannot be opened on Windows, where the rename is durable anyway. */
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
