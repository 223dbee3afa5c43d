import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Deferred, deferred, type PeerName, StoppedError } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { EvaluationEvent, RunEvent } from '../events.js'
import type { PeerResult } from './run-peer.js'
import type { Snapshot } from './snapshots.js'
import { LostError } from '../errors.js'
import type { ChildTask, FromChild, ToChild } from './swarm-messages.js'

/** How long a process that was told to stop may take before it is killed: longer than its peer waits for acknowledgements. */
const graceful = 10_000

/** What the swarm wants to hear from a peer's process. */
export interface ChildListener {
  readonly event: (event: RunEvent) => void
  readonly snapshot: (peer: PeerName, snapshot: Snapshot) => void
}

/** One peer of a swarm, in a process of its own. */
export class Child {
  readonly name: PeerName
  /** Where the peer listens. */
  readonly listening: Promise<PeerListEntry>
  /** What the peer ended with. Rejects with its error, or a {@link LostError}. */
  readonly result: Promise<PeerResult>
  readonly #process: ChildProcess
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>
  #halting: Deferred<number | undefined> | undefined

  constructor(task: ChildTask, listener: ChildListener) {
    const name = task.self
    this.name = name
    // What a peer's libraries print goes to standard error: standard output belongs to the swarm's own report.
    this.#process = fork(fileURLToPath(new URL('./swarm-child.js', import.meta.url)), [], {
      serialization: 'advanced',
      stdio: ['ignore', 2, 2, 'ipc']
    })
    const listening = deferred<PeerListEntry>()
    const result = deferred<PeerResult>()
    const ended = deferred<void>()
    for (const { promise } of [listening, result]) promise.catch(() => {})
    const fail = (error: Error) => {
      listening.reject(error)
      result.reject(error)
    }
    this.#process.on('message', (message: FromChild) => {
      if (message.kind === 'listening') listening.resolve(message.entry)
      if (message.kind === 'event') listener.event(message.event)
      if (message.kind === 'snapshot') listener.snapshot(name, message.snapshot)
      if (message.kind === 'halting') this.#halting?.resolve(message.round)
      if (message.kind === 'result') result.resolve(message.result)
      if (message.kind === 'failed') fail(errorOf(name, message))
    })
    this.#process.on('error', (error) => fail(new LostError(`the process of peer ${name} failed: ${error.message}`)))
    this.#process.on('exit', (code, signal) => {
      fail(new LostError(`the process of peer ${name} ended ${signal === null ? `with code ${code}` : `by ${signal}`}`))
      ended.resolve()
    })
    this.listening = listening.promise
    this.result = result.promise
    this.ended = ended.promise
    this.#send({ kind: 'run', ...task })
  }

  /** Tells the peer where the others are. */
  meet(peerList: readonly PeerListEntry[]): void {
    this.#send({ kind: 'peerList', peerList })
  }

  /** Tells the peer how good the mean of all models is, for the page that it serves. */
  show(event: EvaluationEvent): void {
    this.#send({ kind: 'evaluated', event })
  }

  /**
   * The first round before which the peer can stop; it begins no later one. Undefined where it does not train, or has ended.
   */
  async halt(): Promise<number | undefined> {
    const answer = deferred<number | undefined>()
    this.#halting = answer
    this.#send({ kind: 'halt' })
    return Promise.race([answer.promise, this.ended.then(() => undefined)])
  }

  /** Has it go on to this round, and stop. */
  stopBefore(round: number): void {
    this.#send({ kind: 'stopBefore', round })
  }

  /**
   * Has the peer stop in good order, and kills it when it takes too long. Resolves when its process has ended: with what
   * had to be done, in words, if it was killed.
   */
  async stop(): Promise<string | undefined> {
    this.#send({ kind: 'stop' })
    let killed = false
    const kill = setTimeout(() => (killed = this.#process.kill('SIGKILL')), graceful)
    await this.ended
    clearTimeout(kill)
    return killed ? `peer ${this.name} did not stop within ${graceful / 1000} s and was killed` : undefined
  }

  #send(message: ToChild): void {
    if (this.#process.connected) this.#process.send(message, () => {})
  }
}

/** The error of another process, with the name that tells its kind. */
function errorOf(peer: PeerName, { name, message, stack }: Extract<FromChild, { kind: 'failed' }>): Error {
  if (name === 'StoppedError') return new StoppedError(message)
  return Object.assign(new Error(`peer ${peer}: ${message}`), { name, stack: `peer ${peer}: ${stack ?? message}` })
}
