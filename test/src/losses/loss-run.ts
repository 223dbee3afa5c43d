/** The processes of one run on this machine, the links between them, and when each has said what. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Milliseconds } from '@murmuration/core'
import {
  decodeSafetensorsHeader,
  safetensorsHeaderLength,
  safetensorsLengthBytes,
  tensorsIn
} from '@murmuration/vectors'
import { freePorts, type JsonLine, murmur, murmurInTurn, recordsOf, temporaryFolder } from '../processes/command.js'
import { hurry, paced } from '../processes/paced.js'
import { TcpRelay } from '../soak/relay.js'

/** The timeout of every run. */
export const timeout: Milliseconds = 5000
/** After this time a run is over, whatever hangs. */
const limit: Milliseconds = 240_000
/** By how much a round is longer until the fault is over. */
const pause: Milliseconds = 100

/** An algorithm with the graph and the options with which it is measured. */
export interface Method {
  readonly name: string
  readonly graph: 'ring' | 'complete'
  /** As in a training file, after the name. */
  readonly options?: string
  readonly hasServer?: true
}

/** What a fault needs of a run. */
export interface RunShape {
  /** The workers' names in the topology file. */
  readonly workers: readonly string[]
  /** A worker that comes by invitation, and has no id in the file. */
  readonly friend?: string | undefined
  /** Whether links can be cut: each then goes through a relay of its own. */
  readonly hasRelays?: boolean | undefined
  readonly membership?: string | undefined
  readonly rounds: number
}

/** A line of a process, and when it came. */
export interface Said {
  readonly at: Milliseconds
  readonly line: JsonLine
}

/** One process. */
export interface PeerProcess {
  readonly said: Said[]
  readonly startedAt: Milliseconds
  /** The exit code or signal, once it has ended. */
  end: number | string | undefined
  stderr: string
  kill(signal: NodeJS.Signals): void
}

export class LossRun {
  readonly method: Method
  readonly shape: RunShape
  readonly #folder: string
  readonly #processes = new Map<string, PeerProcess>()
  /** By caller and callee, as "a-b". */
  readonly #relays = new Map<string, TcpRelay>()
  readonly #waiting = new Set<() => void>()
  readonly #overAt = performance.now() + limit
  readonly #timer: NodeJS.Timeout

  private constructor(method: Method, shape: RunShape, folder: string) {
    this.method = method
    this.shape = shape
    this.#folder = folder
    this.#timer = setTimeout(() => this.#notify(), limit)
  }

  /** Writes the files of a run. */
  static async prepare(method: Method, shape: RunShape): Promise<LossRun> {
    const run = new LossRun(method, shape, await temporaryFolder())
    await run.#writeTraining()
    await run.#writeTopologies()
    return run
  }

  /** The workers, and the server if there is one. */
  get names(): readonly string[] {
    const { workers, friend } = this.shape
    return [...workers, ...(friend === undefined ? [] : [friend]), ...this.servers]
  }

  get servers(): readonly string[] {
    return this.method.hasServer === true ? ['s'] : []
  }

  /** The newest process of a peer. */
  of(name: string): PeerProcess {
    const found = this.#processes.get(name)
    if (found === undefined) throw new Error(`${name} was not started`)
    return found
  }

  /** Starts a peer, for the first time or again. */
  start(name: string): void {
    this.#start(name, ['peer', this.#topology(name), '--as', name, '--train', this.#train])
  }

  /** The friend starts with an invitation. */
  async join(name: string): Promise<void> {
    const [invited] = await murmurInTurn(
      [['invite', this.#topology(name), '--train', this.#train, '--name', name]],
      this.#folder
    )
    if (invited.code !== 0) throw new Error(invited.stderr)
    const [port] = await freePorts(1)
    this.#start(
      name,
      ['join', invited.stdout.trim(), '--listen', `/ip4/127.0.0.1/tcp/${port}`],
      await temporaryFolder()
    )
  }

  /** Sends a signal to a peer's process. Returns the time. */
  signal(name: string, signal: NodeJS.Signals): Milliseconds {
    this.of(name).kill(signal)
    return performance.now()
  }

  /** From now on no byte passes between the two groups. Returns the time. */
  part(group: readonly string[], others: readonly string[]): Milliseconds {
    for (const relay of this.#between(group, others)) relay.freeze()
    return performance.now()
  }

  /** Bytes pass again. Returns the time. */
  heal(group: readonly string[], others: readonly string[]): Milliseconds {
    for (const relay of this.#between(group, others)) relay.thaw()
    return performance.now()
  }

  /** Resolves once each of these has reported this round or a later one, or has ended. */
  reach(round: number, names: readonly string[]): Promise<void> {
    const has = ({ said }: PeerProcess) => said.some(({ line }) => line.kind === 'step' && Number(line.round) >= round)
    return this.until(() => names.every((name) => has(this.of(name)) || this.of(name).end !== undefined))
  }

  /** Resolves once each of these has reported so many rounds after this time, or has ended. */
  train(names: readonly string[], after: Milliseconds, rounds = 5): Promise<void> {
    const steps = ({ said }: PeerProcess) => said.filter(({ at, line }) => at > after && line.kind === 'step')
    return this.until(() =>
      names.every((name) => steps(this.of(name)).length >= rounds || this.of(name).end !== undefined)
    )
  }

  /** Resolves once each of these has ended. */
  ends(names: readonly string[]): Promise<void> {
    return this.until(() => names.every((name) => this.of(name).end !== undefined))
  }

  /** Resolves once this holds, at the latest when the run is over. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && performance.now() < this.#overAt)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** From now on rounds take no longer than they need. */
  hurry(): Promise<void> {
    return hurry(this.#folder)
  }

  /** The model that a peer has saved; undefined if it has none. */
  async modelOf(name: string): Promise<Float32Array | undefined> {
    const bytes = await readFile(this.#model(name)).catch(() => undefined)
    if (bytes === undefined) return undefined
    const file = new Uint8Array(bytes)
    const length = safetensorsHeaderLength(file, file.byteLength)
    const start = safetensorsLengthBytes + length
    const header = decodeSafetensorsHeader(file.subarray(safetensorsLengthBytes, start), file.byteLength)
    return Float32Array.from(tensorsIn(file.subarray(start), header).flatMap(({ values }) => [...values]))
  }

  /** Kills what still runs, and removes the files. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    for (const running of this.#processes.values()) running.kill('SIGKILL')
    for (const relay of this.#relays.values()) relay.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #train(): string {
    return join(this.#folder, 'training.yaml')
  }

  /** With relays each peer has a file of its own, since it calls the others at ports of its own. */
  #topology(name: string): string {
    return join(this.#folder, `${name}.yaml`)
  }

  #model(name: string): string {
    return join(this.#folder, `${name}.safetensors`)
  }

  #start(name: string, args: readonly string[], home = this.#folder): void {
    const running = murmur([...args, '--json', '--wait', '60s', '--save', this.#model(name)], home, 2 * limit)
    const peer: PeerProcess = {
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

  async #writeTraining(): Promise<void> {
    const { name, options = '' } = this.method
    const { membership, rounds, friend } = this.shape
    // A run whose file names a module cannot be joined.
    const isPaced = friend === undefined
    const algorithm = isPaced
      ? await paced(this.#folder, name, pause, options)
      : `algorithm: { name: ${name}${options} }\n`
    const lines = [
      'task: softmax',
      'data: { digits: 400 }',
      'batch: 8',
      `rounds: ${rounds}`,
      `timeout: ${timeout / 1000} s`,
      'rate: { initial: 0.05, decay: cosine }',
      ...(membership === undefined ? [] : [`membership: ${membership}`])
    ]
    await writeFile(this.#train, `${lines.join('\n')}\n${algorithm}`)
  }

  async #writeTopologies(): Promise<void> {
    const { friend, hasRelays = false } = this.shape
    const ports = new Map((await freePorts(this.names.length)).map((port, index) => [this.names[index], port]))
    const ids = friend === undefined ? undefined : await this.#ids(['run-key', ...this.names])
    const runKey = ids === undefined ? '' : `runKey: ${ids.get('run-key')}\n`
    for (const self of this.names) {
      const entries = this.names.map(async (name) => {
        if (name === friend) return `  - { name: ${name}, invited: true }`
        const own = ports.get(name) as number
        const port = hasRelays && name !== self ? await this.#relay(`${self}-${name}`, own) : own
        const role = this.servers.includes(name) ? ', role: server' : ''
        const id = ids === undefined ? '' : `, id: ${ids.get(name)}`
        return `  - { name: ${name}${id}, addresses: [/ip4/127.0.0.1/tcp/${port}]${role} }`
      })
      const peers = (await Promise.all(entries)).join('\n')
      await writeFile(this.#topology(self), `graph: ${this.method.graph}\n${runKey}peers:\n${peers}\n`)
    }
  }

  async #ids(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const results = await murmurInTurn(
      names.map((name) => ['identity', name, '--json']),
      this.#folder
    )
    return new Map(names.map((name, index) => [name, String(recordsOf(results[index])[0].id)]))
  }

  #between(group: readonly string[], others: readonly string[]): readonly TcpRelay[] {
    const pairs = group.flatMap((member) => others.flatMap((other) => [`${member}-${other}`, `${other}-${member}`]))
    return pairs.flatMap((pair) => this.#relays.get(pair) ?? [])
  }

  async #relay(pair: string, target: number): Promise<number> {
    const relay = new TcpRelay(pair, target, () => {})
    this.#relays.set(pair, relay)
    return relay.listen()
  }
}
