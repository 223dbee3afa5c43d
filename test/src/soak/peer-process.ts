import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import { deferred, type PeerName } from '@murmuration/core'
import type { ChildReport, SoakTask, FromSoakPeer, ToSoakPeer } from './messages.js'
import type { MemorySample } from './memory.js'

/** How long a process may take to end by itself after its peer has closed, in milliseconds. */
const endTimeout = timeLimit(20_000)

/** A process with one peer, as the soak sees it. */
export class PeerProcess {
  readonly name: PeerName
  /** The peer's address. */
  readonly listening = deferred<Extract<FromSoakPeer, { kind: 'listening' }>>()
  readonly closed = deferred<ChildReport>()
  readonly samples: MemorySample[] = []
  /** The number of completed rounds. */
  completed = 0
  /** When it last sent a message, by `performance.now()`. */
  heard = performance.now()
  readonly #process: ChildProcess
  readonly #ended = deferred<string>()
  readonly #standing = deferred<string>()
  #failed = false

  /**
   * @param onRound - called after each completed round
   * @param onFailure - called with the reason when it cannot continue
   */
  constructor(task: SoakTask, onRound: () => void, onFailure: (reason: string) => void) {
    this.name = task.self
    // Any output is an error. Garbage is collected before memory is measured.
    this.#process = fork(fileURLToPath(new URL('./child.js', import.meta.url)), [JSON.stringify(task)], {
      stdio: ['ignore', 2, 2, 'ipc'],
      execArgv: ['--expose-gc']
    })
    this.#process.on('message', (message: FromSoakPeer) => {
      this.heard = performance.now()
      if (message.kind === 'failed') this.#fail(message.reason, onFailure)
      else if (message.kind === 'completed') this.#complete(message, onRound, onFailure)
      else if (message.kind === 'listening') this.listening.resolve(message)
      else if (message.kind === 'standing') this.#standing.resolve(message.text)
      else this.closed.resolve(message.report)
    })
    this.#process.on('exit', (code, signal) => {
      const ending = signal === null ? `with code ${code}` : `by ${signal}`
      this.#ended.resolve(ending)
      if (ending !== 'with code 0') this.#fail(`its process ended ${ending}`, onFailure)
    })
  }

  tell(message: ToSoakPeer): void {
    if (this.#process.connected) this.#process.send(message, () => {})
  }

  /** The status of the peer, in words; or that it does not answer within 5 s. */
  standing(): Promise<string> {
    this.tell({ kind: 'tell' })
    const silence = after(5_000, 'it does not answer')
    return Promise.race([this.#standing.promise, silence, this.#ended.promise.then((ending) => `ended ${ending}`)])
  }

  /** Resolves when the process has ended well by itself; rejects otherwise. */
  async ended(): Promise<void> {
    const ending = await Promise.race([this.#ended.promise, after(endTimeout, undefined)])
    if (ending === undefined) throw new Error(`the process of ${this.name} does not end though its peer has closed`)
    if (ending !== 'with code 0') throw new Error(`the process of ${this.name} ended ${ending}`)
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #complete(
    { round, memory }: Extract<FromSoakPeer, { kind: 'completed' }>,
    onRound: () => void,
    onFailure: (reason: string) => void
  ): void {
    if (round !== this.completed) this.#fail(`it completed round ${round} after ${this.completed} rounds`, onFailure)
    this.completed = round + 1
    if (memory !== undefined) this.samples.push(memory)
    onRound()
  }

  #fail(reason: string, onFailure: (reason: string) => void): void {
    if (this.#failed) return
    this.#failed = true
    onFailure(`peer ${this.name}: ${reason}`)
  }
}

function after<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, value).unref())
}
