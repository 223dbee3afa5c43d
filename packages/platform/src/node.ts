/**
 * What a program asks of its machine, in Node. browser.ts has the same for a web page: the export condition `browser`
 * chooses.
 *
 * @packageDocumentation
 */
import { createHash, randomUUID } from 'node:crypto'
import { appendFile, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { checkName } from './file-name.js'
import type { Folder, OwnThread, Sha256, Thread, ThreadOptions, ThreadProgram } from './types.js'

export type * from './types.js'

/** Whether this is a web page, or a worker of one. */
export const isBrowser: boolean = false

/** Whether threads can share memory. In a page: where it is cross-origin isolated. */
export const hasSharedMemory: boolean = true

/** Memory that threads share, where they can. */
export function newBuffer(bytes: number): SharedArrayBuffer | ArrayBuffer {
  return new SharedArrayBuffer(bytes)
}

/**
 * Calls back when messages from the network have been let in.
 *
 * @returns a function that cancels the call
 */
export function afterTurn(callback: () => void): () => void {
  const immediate = setImmediate(callback)
  return () => clearImmediate(immediate)
}

/** SHA-256 of parts that arrive one after the other. */
export function newSha256(): Sha256 {
  const hash = createHash('sha256')
  const own: Sha256 = {
    update(part) {
      hash.update(part)
      return own
    },
    hex: () => hash.digest('hex')
  }
  return own
}

/** SHA-256 in hex of all parts, one after the other; texts in UTF-8. */
export function sha256(...parts: readonly (Uint8Array | string)[]): string {
  return parts.reduce((hash: Sha256, part) => hash.update(part), newSha256()).hex()
}

/** Starts a program in a thread of its own. Its output goes to the standard error of this process. */
export function startThread(program: ThreadProgram, start: unknown, { youngMegabytes }: ThreadOptions = {}): Thread {
  if (typeof program === 'function') throw new Error('the program of a thread is a function, expected a URL')
  const worker = new Worker(program, {
    workerData: start,
    // Node sets this flag for programs given as text, and refuses it for a thread's file.
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--input-type')),
    ...(youngMegabytes !== undefined && { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
    stdout: true,
    stderr: true
  })
  // This process's standard output carries lines for machines: nothing else may go there.
  worker.stdout.on('data', (chunk: Uint8Array) => process.stderr.write(chunk))
  worker.stderr.on('data', (chunk: Uint8Array) => process.stderr.write(chunk))
  return {
    post: (message, move = []) => worker.postMessage(message, [...move]),
    listen: (listener) => void worker.on('message', listener),
    ended: new Promise((resolve) => {
      worker.on('error', (error) => resolve({ error }))
      worker.on('messageerror', (error) => resolve({ error }))
      worker.on('exit', (code) => resolve({ code }))
    }),
    end: async () => void (await worker.terminate())
  }
}

/** The thread in which this program runs. To be called before the program awaits anything. */
export function ownThread(): OwnThread {
  const port = parentPort
  if (port === null) throw new Error('this program was not started as a thread')
  return {
    start: Promise.resolve(workerData),
    post: (message, move = []) => port.postMessage(message, [...move]),
    listen: (listener) => void port.on('message', listener)
  }
}

/** What a module exports. A page loads none but those that it was built with: there it rejects. */
export function importModule(specifier: string): Promise<unknown> {
  return import(specifier)
}

/** The URL of the file at a path. A page, which has no paths, returns the path. */
export function fileUrl(path: string): string {
  return pathToFileURL(path).href
}

/** Opens a folder, which is created where there is none. Its methods reject with the errors of the system. */
export async function openFolder(path: string): Promise<Folder> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const fileOf = (name: string) => {
    checkName(name)
    return join(path, name)
  }
  return {
    async read(name) {
      return readFile(fileOf(name)).catch(unlessIs('ENOENT', undefined))
    },
    async write(name, bytes, how = 'replace') {
      const file = fileOf(name)
      const draft = join(path, `.${name}.${randomUUID()}.part`)
      try {
        await writeDraft(draft, bytes)
        // A link, unlike a rename, fails where there is a file of that name.
        if (how === 'replace') await rename(draft, file)
        else await link(draft, file)
      } catch (error) {
        return unlessIs('EEXIST', false)(error)
      } finally {
        await rm(draft, { force: true })
      }
      await syncFolder(path)
      return true
    },
    async append(name, bytes) {
      await appendFile(fileOf(name), bytes, { mode: 0o600 })
    },
    async list() {
      const entries = await readdir(path, { withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      return files.map(({ name }) => name).sort()
    },
    async remove(name) {
      await rm(fileOf(name), { force: true })
    }
  }
}

async function writeDraft(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new name survives a power loss once its folder is synced. Windows does not open folders, and needs no sync. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** Handles errors: `value` for one with this code; others are thrown again. */
function unlessIs<Value>(code: string, value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return value
    throw error
  }
}
