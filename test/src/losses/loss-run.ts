/** The processes of one run on this machine, and when each has said what. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Milliseconds } from '@murmuration/core'
import { freePorts, type JsonLine, murmur, murmurInTurn } from '../processes/command.js'
import { type LossMethod, RunFiles, type RunShape } from './run-files.js'

/** After this time a run is over, whatever hangs. */
const limit: Milliseconds = 240_000

/** A line of a process, and when it came. */
export interface Said {
  readonly at: Milliseconds
  readonly line: JsonLine
}

/** A process whose lines are kept. */
export interface WatchedProcess {
  readonly said: Said[]
  readonly startedAt: Milliseconds
  /** The exit code or signal, once it has ended. */
  end: number | string | undefined
  stderr: string
  kill(signal: NodeJS.Signals): void
}

export class LossRun {
  readonly files: RunFiles
  readonly #processes = new Map<string, WatchedProcess>()
  readonly #waiting = new Set<() => void>()
  readonly #overAt = performance.now() + limit
  readonly #timer = setTimeout(() => this.#notify(), limit)

  private constructor(files: RunFiles) {
    this.files = files
  }

  static async prepare(method: LossMethod, shape: RunShape): Promise<LossRun> {
    return new LossRun(await RunFiles.write(method, shape))
  }

  /** The newest process of a peer. */
  of(name: string): WatchedProcess {
    const found = this.#processes.get(name)
    if (found === undefined) throw new Error(`${name} was not started`)
    return found
  }

  /** Starts a peer, for the first time or again. */
  start(name: string): void {
    this.#start(name, ['peer', this.files.topology(name), '--as', name, '--train', this.files.train])
  }

  /** A friend starts with an invitation. */
  async join(name: string): Promise<void> {
    const { files } = this
    const invite = ['invite', files.topology(name), '--train', files.train, '--name', name]
    const [invited] = await murmurInTurn([invite], files.folder)
    if (invited.code !== 0) throw new Error(invited.stderr)
    const [port] = await freePorts(1)
    const args = ['join', invited.stdout.trim(), '--listen', `/ip4/127.0.0.1/tcp/${port}`]
    this.#start(name, args, join(files.folder, 'friend'))
  }

  /** Sends a signal to a peer's process. Returns the time. */
  signal(name: string, signal: NodeJS.Signals): Milliseconds {
    this.of(name).kill(signal)
    return performance.now()
  }

  /** Resolves once each of these has reported so many rounds after this time, or has ended. */
  trains(names: readonly string[], after: Milliseconds, rounds: number): Promise<void> {
    const steps = ({ said }: WatchedProcess) => said.filter(({ at, line }) => at > after && line.kind === 'step')
    return this.until((peer) => steps(peer).length >= rounds, names)
  }

  /** Resolves once each of these has ended. */
  ends(names: readonly string[]): Promise<void> {
    return this.until(() => false, names)
  }

  /** Resolves once this holds for each of these, or it has ended; at the latest when the run is over. */
  async until(holds: (peer: WatchedProcess) => boolean, names: readonly string[]): Promise<void> {
    const isDone = (name: string) => this.of(name).end !== undefined || holds(this.of(name))
    while (!names.every(isDone) && performance.now() < this.#overAt)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Kills what still runs, and removes the files. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    for (const running of this.#processes.values()) running.kill('SIGKILL')
    await this.files.remove()
  }

  #start(name: string, args: readonly string[], home = this.files.folder): void {
    const running = murmur([...args, '--json', '--wait', '60s', '--save', this.files.model(name)], home, 2 * limit)
    const peer: WatchedProcess = {
      said: [],
      startedAt: performance.now(),
      end: undefined,
      stderr: '',
      kill: (signal) => void running.process.kill(signal)
    }
    if (running.process.stdout !== null)
      createInterface({ input: running.process.stdout }).on('line', (text) => {
        if (text.endsWith('}')) peer.said.push({ at: performance.now(), line: JSON.parse(text) as JsonLine })
        this.#notify()
      })
    running.result.then(
      ({ code, signal, stderr }) => {
        peer.stderr = stderr
        peer.end = code ?? signal ?? 'unknown'
        this.#notify()
      },
      () => {}
    )
    this.#processes.set(name, peer)
  }

  #notify(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
