import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Deferred, deferred, type PeerName, StoppedError } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import type { EvaluationEvent, RunEvent } from '../../base/events.js'
import type { PeerResult, UnfinishedModel } from '../one-peer/run-peer.js'
import type { Snapshot } from '../reporting/snapshots.js'
import { LostError } from '../../base/errors.js'
import type { ChildTask, FromChild, ToChild } from './swarm-messages.js'

/** How long a process may take to stop before it is killed: longer than its peer waits for acknowledgements. */
const graceful = 10_000

/** Less garbage before it is collected, in MiB. */
const smallHeap = '--max-semi-space-size=2'

/** Receives what a peer's process reports. */
export interface ChildListener {
  readonly event: (event: RunEvent) => void
  readonly snapshot: (peer: PeerName, snapshot: Snapshot) => void
}

/** One peer of a swarm, in a process of its own. */
export class Child {
  readonly name: PeerName
  /** Where the peer listens. */
  readonly listening: Promise<PeerListEntry>
  /** The peer's result. Rejects with its error, or a {@link LostError}. */
  readonly result: Promise<PeerResult>
  readonly #process: ChildProcess
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>
  #unfinished: UnfinishedModel | undefined
  #halting: Deferred<number | undefined> | undefined

  /** @param hasStage - whether the peer has a stage of a model, and little memory */
  constructor(task: ChildTask, listener: ChildListener, hasStage = false) {
    const name = task.self
    this.name = name
    // Output of the peer's libraries goes to standard error: standard output is only for the swarm's own report.
    this.#process = fork(fileURLToPath(new URL('./swarm-child.js', import.meta.url)), [], {
      serialization: 'advanced',
      ...(hasStage && { env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${smallHeap}` } }),
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
      if (message.kind === 'unfinished') this.#unfinished = message.model
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

  /** What the peer had learned when it had to end before the run was over. */
  get unfinished(): UnfinishedModel | undefined {
    return this.#unfinished
  }

  /** Sends the peer the addresses of the others. */
  meet(peerList: readonly PeerListEntry[]): void {
    this.#send({ kind: 'peerList', peerList })
  }

  /** Sends the peer an evaluation of the mean model, for the page that it serves. */
  show(event: EvaluationEvent): void {
    this.#send({ kind: 'evaluated', event })
  }

  /**
   * The first round before which the peer can stop; it begins no later one. Undefined if it does not train, or has
   * ended.
   */
  async halt(): Promise<number | undefined> {
    const answer = deferred<number | undefined>()
    this.#halting = answer
    this.#send({ kind: 'halt' })
    return Promise.race([answer.promise, this.ended.then(() => undefined)])
  }

  /** Lets the peer continue up to this round, and stop before it. */
  stopBefore(round: number): void {
    this.#send({ kind: 'stopBefore', round })
  }

  /**
   * Stops the peer in good order, and kills it when it takes too long. Resolves when its process has ended; with a
   * sentence if it was killed.
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

/** The error of another process, with its name, which determines the kind of failure. */
function errorOf(peer: PeerName, { name, message, stack }: Extract<FromChild, { kind: 'failed' }>): Error {
  if (name === 'StoppedError') return new StoppedError(message)
  return Object.assign(new Error(`peer ${peer}: ${message}`), { name, stack: `peer ${peer}: ${stack ?? message}` })
}
