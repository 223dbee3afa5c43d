import { InputError, messageOf, type Milliseconds, StoppedError, type TaskDescription } from '@murmuration/core'
import { providedFiles } from '@murmuration/data/peer'
import { startThread, type Thread } from '@murmuration/platform'
import { taskProgram } from './task-program.js'
import { movedWith } from './thread-vectors.js'
import { placeOf } from './user-code.js'
import { errorOf, failureOf, type WorkerMessage, type WorkerRequest, type WorkerStart } from './worker-protocol.js'

/** Options of `startTaskWorker`. */
export interface TaskWorkerOptions {
  /** How long the thread may take to build the task or to answer; 15 minutes by default. Then it is terminated. */
  readonly timeout?: Milliseconds
  /** Terminates the thread when aborted, even while it builds the task. */
  readonly signal?: AbortSignal
  /** How much of its heap is for new objects, in MiB, for a thread with little room; as V8 chooses when absent. */
  readonly youngMegabytes?: number
}

/** How long a thread that must answer before it ends may take to do so. */
const lastAnswerTimeout: Milliseconds = 10_000

/** How many requests may be pending at once. */
const queueLimit = 64

/** The pending wait for the thread's next message. */
interface PendingWait {
  readonly resolve: (message: WorkerMessage) => void
  readonly reject: (error: Error) => void
}

/** A worker thread with at most one pending wait for a message; its end is never missed. */
export class TaskThread {
  readonly #thread: Thread
  readonly #timeout: Milliseconds
  readonly #userModule: string | undefined
  #end: Error | undefined
  #mustAnswerBeforeEnd = false
  #closed: Promise<void> | undefined
  #waiting: PendingWait | undefined
  #lastExchange: Promise<unknown> = Promise.resolve()
  #queued = 0

  constructor(
    { module, options, userModule }: TaskDescription,
    { timeout = 900_000, signal, youngMegabytes }: TaskWorkerOptions
  ) {
    this.#userModule = userModule
    this.#timeout = timeout
    const start: WorkerStart = { module, options, userModule, files: providedFiles() }
    this.#thread = startThread(taskProgram(), start, { youngMegabytes })
    this.#listen(signal)
  }

  /** The thread's next message. Rejects when it is a failure, the thread ends, or the timeout expires. */
  async next(): Promise<WorkerMessage> {
    const timer = setTimeout(() => this.#expire(), this.#timeout)
    try {
      const message = await new Promise<WorkerMessage>((resolve, reject) => {
        if (this.#end !== undefined) reject(this.#end)
        else this.#waiting = { resolve, reject }
      })
      if (message.kind === 'failure') throw errorOf(message)
      return message
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs `exchange` when all earlier ones have ended. */
  inTurn<Result>(exchange: () => Promise<Result>): Promise<Result> {
    if (this.#queued >= queueLimit) {
      return Promise.reject(
        new Error(`${queueLimit} requests already wait for the task's thread: await some of them first`)
      )
    }
    this.#queued++
    const result = this.#lastExchange.then(exchange).finally(() => this.#queued--)
    this.#lastExchange = result.catch(() => undefined)
    return result
  }

  /** Sends a request and waits for the answer. To be called within `inTurn`. */
  ask(request: WorkerRequest): Promise<WorkerMessage> {
    if (this.#end === undefined) this.#thread.post(request, movedWith(request))
    return this.next()
  }

  /** Terminates the thread: whatever it does, unless its task must answer before. All requests reject at once. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const isBusy = this.#waiting !== undefined
    this.#stop(new StoppedError('the task was closed'))
    if (isBusy && this.#mustAnswerBeforeEnd) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const answered = new Promise<void>((resolve) => {
        this.#thread.listen(() => resolve())
        timer = setTimeout(resolve, lastAnswerTimeout)
      })
      await Promise.race([answered, this.#thread.ended])
      clearTimeout(timer)
    }
    await this.#thread.end()
  }

  #listen(signal: AbortSignal | undefined): void {
    this.#thread.listen((received) => {
      const message = received as WorkerMessage
      if (message.kind === 'ready') this.#mustAnswerBeforeEnd = message.mustAnswerBeforeEnd
      this.#settle((waiting) => waiting.resolve(message))
    })
    const abort = () => void this.close()
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    void this.#thread.ended.then(({ error, code }) => {
      signal?.removeEventListener('abort', abort)
      const reason = code === 13 ? ': it awaits something that can no longer happen' : ''
      const how = `ended${code === undefined ? '' : ` with code ${code}`}${reason}`
      // Node rebuilds an uncaught error as an object that only resembles one.
      this.#stop(error === undefined ? this.#failed(`the task's thread ${how}`) : this.#uncaught(error))
    })
  }

  /** An error in a user's module is for the user to fix. */
  #failed(text: string): Error {
    return this.#userModule === undefined
      ? new Error(text)
      : new InputError(`the model's module ${this.#userModule}: ${text}`)
  }

  /** An uncaught error; the stack tells whether the user's module threw it. */
  #uncaught(thrown: unknown): Error {
    const error = errorOf(failureOf(thrown))
    const path = this.#userModule
    const location = path === undefined ? undefined : placeOf(path, error)
    return location === path ? error : new InputError(`the model's module ${location} fails: ${messageOf(error)}`)
  }

  #expire(): void {
    this.#stop(this.#failed(`the task's thread did not answer within ${this.#timeout / 1000} s`))
    void this.#thread.end()
  }

  /** Stores the first reason for the end, and rejects the pending wait with it. */
  #stop(reason: Error): void {
    this.#end ??= reason
    this.#settle((waiting) => waiting.reject(this.#end ?? reason))
  }

  #settle(action: (waiting: PendingWait) => void): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) action(waiting)
  }
}
