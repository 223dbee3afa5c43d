/** The files of a run, and the relays that its links go through. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Milliseconds } from '@murmuration/core'
import { freePorts, murmurInTurn, recordsOf, temporaryFolder } from '../processes/command.js'
import { hurry, paced } from '../processes/paced.js'
import { TcpRelay } from '../soak/relay.js'

/** The timeout of every run. */
export const timeout: Milliseconds = 5000
/** By how much a round is longer until the fault is over. */
const pause: Milliseconds = 100

/** An algorithm with the graph and the options with which it is measured. */
export interface LossMethod {
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

/** The workers of a run, whether they have ids in the file or come by invitation. */
export function workersOf({ workers, friend }: RunShape): readonly string[] {
  return friend === undefined ? workers : [...workers, friend]
}

export class RunFiles {
  readonly folder: string
  /** The workers, and the server if there is one. */
  readonly names: readonly string[]
  readonly servers: readonly string[]
  readonly #method: LossMethod
  readonly #shape: RunShape
  /** By caller and callee, as "a-b". */
  readonly #relays = new Map<string, TcpRelay>()

  private constructor(method: LossMethod, shape: RunShape, folder: string) {
    this.folder = folder
    this.servers = method.hasServer === true ? ['s'] : []
    this.names = [...workersOf(shape), ...this.servers]
    this.#method = method
    this.#shape = shape
  }

  static async write(method: LossMethod, shape: RunShape): Promise<RunFiles> {
    const files = new RunFiles(method, shape, await temporaryFolder())
    await files.#writeTraining()
    await files.#writeTopologies()
    return files
  }

  get train(): string {
    return join(this.folder, 'training.yaml')
  }

  /** With relays each peer has a file of its own, since it calls the others at ports of its own. */
  topology(name: string): string {
    return join(this.folder, `${name}.yaml`)
  }

  /** Where a peer saves its model. */
  model(name: string): string {
    return join(this.folder, `${name}.safetensors`)
  }

  /** From now on rounds take no longer than they need. */
  hurry(): Promise<void> {
    return hurry(this.folder)
  }

  /** From now on no byte passes between these peers and the others. Returns the time. */
  part(group: readonly string[]): Milliseconds {
    for (const relay of this.#around(group)) relay.freeze()
    return performance.now()
  }

  /** Bytes pass again. Returns the time. */
  heal(group: readonly string[]): Milliseconds {
    for (const relay of this.#around(group)) relay.thaw()
    return performance.now()
  }

  async remove(): Promise<void> {
    for (const relay of this.#relays.values()) relay.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #writeTraining(): Promise<void> {
    const { name, options = '' } = this.#method
    const { membership, rounds, friend } = this.#shape
    // A run whose file names a module cannot be joined.
    const algorithm =
      friend === undefined ? await paced(this.folder, name, pause, options) : `algorithm: { name: ${name}${options} }\n`
    const lines = [
      'task: softmax',
      'data: { digits: 400 }',
      'batch: 8',
      `rounds: ${rounds}`,
      `timeout: ${timeout / 1000} s`,
      'rate: { initial: 0.05, decay: cosine }',
      ...(membership === undefined ? [] : [`membership: ${membership}`])
    ]
    await writeFile(this.train, `${lines.join('\n')}\n${algorithm}`)
  }

  async #writeTopologies(): Promise<void> {
    const { friend, hasRelays = false } = this.#shape
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
      await writeFile(this.topology(self), `graph: ${this.#method.graph}\n${runKey}peers:\n${peers}\n`)
    }
  }

  async #ids(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const results = await murmurInTurn(
      names.map((name) => ['identity', name, '--json']),
      this.folder
    )
    return new Map(names.map((name, index) => [name, String(recordsOf(results[index])[0].id)]))
  }

  #around(group: readonly string[]): readonly TcpRelay[] {
    const isOut = (name: string) => !group.includes(name)
    return [...this.#relays].flatMap(([pair, relay]) => {
      const [caller, callee] = pair.split('-')
      return isOut(caller) === isOut(callee) ? [] : [relay]
    })
  }

  async #relay(pair: string, target: number): Promise<number> {
    const relay = new TcpRelay(pair, target, () => {})
    this.#relays.set(pair, relay)
    return relay.listen()
  }
}
