/** What both implementations of the platform have in common: node.ts and browser.ts. */

/** A hash over parts that arrive one after the other. */
export interface Sha256 {
  /** Adds bytes, or a text in UTF-8. */
  update(part: Uint8Array | string): Sha256
  /** The hash of all parts, in hex. Nothing may be added after it. */
  hex(): string
}

/**
 * Files under plain names, such as those of one run. In Node a folder on the disk, whose files are for their owner
 * only; in a page a database of IndexedDB, which the browser may delete: never the only copy of a model.
 */
export interface Folder {
  /** The bytes of a file; `undefined` where there is none. */
  read(name: string): Promise<Uint8Array | undefined>
  /**
   * Writes a file as a whole, or not at all.
   *
   * @param how - 'new' to leave a file of this name as it is, of several writers one wins; otherwise it is replaced
   * @returns whether the file was written
   */
  write(name: string, bytes: Uint8Array, how?: 'new' | 'replace'): Promise<boolean>
  /** Adds bytes to the end of a file, which is created where there is none. */
  append(name: string, bytes: Uint8Array): Promise<void>
  /** The names of the files, sorted. */
  list(): Promise<readonly string[]>
  /** Removes a file, if there is one. */
  remove(name: string): Promise<void>
}

/** One end of the messages between a thread and the thread that started it. */
export interface ThreadPort {
  /**
   * Sends what structured cloning can copy.
   *
   * @param move - memory of the message that is handed over rather than copied
   */
  post(message: unknown, move?: readonly ArrayBuffer[]): void
  /** Calls `listener` with each message from now on. */
  listen(listener: (message: unknown) => void): void
}

/** A thread, for the thread that started it. */
export interface Thread extends ThreadPort {
  /** Resolves when the thread has ended, for any reason. */
  readonly ended: Promise<ThreadEnd>
  /** Ends the thread, whatever it does. */
  end(): Promise<void>
}

/** How a thread ended: with an uncaught error, or, in Node, with an exit code. Empty where it was told to end. */
export interface ThreadEnd {
  readonly error?: unknown
  readonly code?: number
}

/** A thread, for its own program. */
export interface OwnThread extends ThreadPort {
  /** What `startThread` was called with. */
  readonly start: Promise<unknown>
}

/**
 * The program of a thread: in Node the URL of its file; in a page a function that starts the worker, since bundlers
 * find `new Worker(new URL('./program.js', import.meta.url), { type: 'module' })` only where it is written so. Not
 * every program that uses this package knows the type `Worker`.
 */
export type ThreadProgram = URL | (() => object)

/** How a thread is started in Node; a page has no such options. */
export interface ThreadOptions {
  /** How much of its heap is for new objects, in MiB; as V8 chooses when absent. */
  readonly youngMegabytes?: number | undefined
}
