/** What a program asks of its machine, in a web page or in a worker of one. node.ts documents what it exports. */
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { checkName } from './file-name.js'
import type { Folder, OwnThread, Sha256, Thread, ThreadEnd, ThreadOptions, ThreadProgram } from './types.js'

export type * from './types.js'

export const isBrowser: boolean = true

// Browsers have the name only where the page is cross-origin isolated.
export const hasSharedMemory: boolean = typeof SharedArrayBuffer !== 'undefined'

export function newBuffer(bytes: number): SharedArrayBuffer | ArrayBuffer {
  return hasSharedMemory ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
}

/** What {@link afterTurn} calls, in this order. Timers would not do: in a hidden page they fire once a second. */
const turns: (() => void)[] = []
let channel: MessageChannel | undefined

export function afterTurn(callback: () => void): () => void {
  channel ??= newChannel()
  let call: (() => void) | undefined = callback
  turns.push(() => call?.())
  channel.port2.postMessage(undefined)
  return () => (call = undefined)
}

function newChannel(): MessageChannel {
  const made = new MessageChannel()
  made.port1.onmessage = () => turns.shift()?.()
  return made
}

export function newSha256(): Sha256 {
  const hash = nobleSha256.create()
  const own: Sha256 = {
    update(part) {
      hash.update(typeof part === 'string' ? utf8ToBytes(part) : part)
      return own
    },
    hex: () => bytesToHex(hash.digest())
  }
  return own
}

export function sha256(...parts: readonly (Uint8Array | string)[]): string {
  return parts.reduce((hash: Sha256, part) => hash.update(part), newSha256()).hex()
}

/** A thread's first message, to which the answer is its start: a message that comes before it listens would be lost. */
const listening = 'murmuration: the thread listens'

export function startThread(program: ThreadProgram, start: unknown, _options?: ThreadOptions): Thread {
  if (typeof program !== 'function') throw new Error('the program of a thread is a URL, expected a function')
  const worker = program() as Worker
  let resolveEnded: (how: ThreadEnd) => void = () => {}
  const ended = new Promise<ThreadEnd>((resolve) => (resolveEnded = resolve))
  const end = (how: ThreadEnd) => {
    worker.terminate()
    resolveEnded(how)
  }
  const listen = (listener: (message: unknown) => void) =>
    worker.addEventListener('message', ({ data }) => {
      if (data !== listening) listener(data)
    })
  worker.addEventListener('message', ({ data }) => {
    if (data === listening) worker.postMessage(start)
  })
  worker.addEventListener('error', (event) => end({ error: errorOf(event) }))
  worker.addEventListener('messageerror', () => end({ error: new Error('a message of the thread cannot be read') }))
  return {
    post: (message, move = []) => worker.postMessage(message, [...move]),
    listen,
    ended,
    end: async () => end({})
  }
}

/** A browser gives the text of an uncaught error, and none where the program could not be loaded. */
function errorOf({ message, filename, lineno }: ErrorEvent): Error {
  return new Error(message ? `${message} (${filename}:${lineno})` : "the thread's program cannot be loaded")
}

/** The part of a worker's global scope that is used: TypeScript has its type only without that of pages. */
interface WorkerScope {
  postMessage(message: unknown, move?: readonly ArrayBuffer[]): void
  addEventListener(kind: 'message', listener: (event: MessageEvent) => void): void
}

export function ownThread(): OwnThread {
  const scope = globalThis as unknown as WorkerScope
  const listeners: ((message: unknown) => void)[] = []
  const start = new Promise<unknown>((resolve) => {
    let take = (first: unknown) => {
      resolve(first)
      take = (message) => listeners.forEach((listener) => listener(message))
    }
    scope.addEventListener('message', ({ data }) => take(data))
  })
  scope.postMessage(listening)
  return {
    start,
    post: (message, move) => scope.postMessage(message, move),
    listen: (listener) => void listeners.push(listener)
  }
}

export async function importModule(_specifier: string): Promise<unknown> {
  throw new Error('a page runs no code but its own')
}

export function fileUrl(path: string): string {
  return path
}

/** The store of a folder's database: parts of files by name and number. A file is its parts, one after the other. */
const store = 'files'

export async function openFolder(path: string): Promise<Folder> {
  const database = await openDatabase(`murmuration ${path}`)
  /** Runs `body` in a transaction, and waits until that is over. */
  const run = <Result>(mode: IDBTransactionMode, body: (files: IDBObjectStore) => Promise<Result>): Promise<Result> => {
    const transaction = database.transaction(store, mode, { durability: 'strict' })
    const over = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser did not store a file'))
    })
    return Promise.all([body(transaction.objectStore(store)), over]).then(([result]) => result)
  }
  return {
    async read(name) {
      checkName(name)
      const parts = await run('readonly', (files) => answer<Uint8Array[]>(files.getAll(partsOf(name))))
      return parts.length === 0 ? undefined : joined(parts)
    },
    async write(name, bytes, how = 'replace') {
      checkName(name)
      return run('readwrite', async (files) => {
        if (how === 'new' && (await answer(files.count(partsOf(name)))) > 0) return false
        files.delete(partsOf(name))
        await answer(files.put(bytes.slice(), [name, 0]))
        return true
      })
    },
    async append(name, bytes) {
      checkName(name)
      await run('readwrite', async (files) => {
        const last = await answer(files.openKeyCursor(partsOf(name), 'prev'))
        const [, number] = (last?.key ?? [name, -1]) as [string, number]
        await answer(files.put(bytes.slice(), [name, number + 1]))
      })
    },
    async list() {
      const keys = await run('readonly', (files) => answer(files.getAllKeys()))
      return [...new Set(keys.map((key) => (key as [string, number])[0]))].sort()
    },
    async remove(name) {
      checkName(name)
      await run('readwrite', (files) => answer(files.delete(partsOf(name))))
    }
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(store)
  return answer(request)
}

function answer<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser did not open its storage'))
  })
}

/** All keys of a file: an array comes after every number. */
function partsOf(name: string): IDBKeyRange {
  return IDBKeyRange.bound([name], [name, []])
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
