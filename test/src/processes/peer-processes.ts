/** Peers that are started by hand, one process each; and signals to them and faults of the links between them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import type { ExecutionContext } from 'ava'
import { freePorts, type JsonLine, murmur, type RunningCommand, recordsOf, temporaryFolder } from './command.js'
import { hurry, paced } from './paced.js'
import { TcpRelay } from '../soak/relay.js'

/** What the peers of a test share. */
export interface PeersOptions {
  readonly names: readonly string[]
  /** Those of the names that are servers; none when absent. */
  readonly servers?: readonly string[]
  readonly graph: string
  /** By its name; D-PSGD if absent. */
  readonly algorithm?: string
  /** Lines of the training file. */
  readonly training: string
  /** How many samples every process draws, of which 66 % are the test set; when absent, the minimum for training. */
  readonly samples?: number
  /** Whether links can be frozen: each then goes through its own relay. */
  readonly hasRelays?: boolean
}

/** The processes of a test's peers, and their folder. */
export class PeerProcesses {
  readonly folder: string
  readonly train: string
  readonly #options: PeersOptions
  /** By caller and callee, as "a-b". */
  readonly #relays = new Map<string, TcpRelay>()
  readonly #running = new Map<string, RunningCommand>()

  private constructor(folder: string, options: PeersOptions) {
    this.folder = folder
    this.train = join(folder, 'training.yaml')
    this.#options = options
  }

  /** Writes the files. Processes that still run when the test ends are killed. */
  static async prepare(t: ExecutionContext, options: PeersOptions): Promise<PeerProcesses> {
    const folder = await temporaryFolder()
    const algorithm = await paced(folder, options.algorithm)
    const peers = new PeerProcesses(folder, options)
    t.teardown(() => peers.#end())
    const data = `{ digits: ${options.samples ?? 900}, size: 14 }`
    const training = `task: softmax\ndata: ${data}\ntest: 66 %\nbatch: 8\n${algorithm}`
    await writeFile(peers.train, training + options.training)
    await peers.#writeTopologies()
    return peers
  }

  /** The topology file of a peer. */
  topology(name: string): string {
    return join(this.folder, `${name}.yaml`)
  }

  /** Starts a peer, for the first time or again. */
  start(name: string, ...more: readonly string[]): RunningCommand {
    const args = ['peer', this.topology(name), '--as', name, '--train', this.train, '--json', ...more]
    const running = murmur(args, this.folder, timeLimit(240_000))
    this.#running.set(name, running)
    return running
  }

  /** The peer's newest process. */
  of(name: string): RunningCommand {
    const running = this.#running.get(name)
    if (running === undefined) throw new Error(`${name} was not started`)
    return running
  }

  /** Sends a signal to the peer's process. */
  signal(name: string, signal: NodeJS.Signals): void {
    this.of(name).process.kill(signal)
  }

  /** How much output each of these peers has so far, as a position for later searches. */
  marks(names: readonly string[]): ReadonlyMap<string, number> {
    return new Map(names.map((name) => [name, this.of(name).output().length]))
  }

  /** Resolves when each of these peers has reported such a text about its membership after its mark. */
  async allTell(
    marks: ReadonlyMap<string, number>,
    what: string,
    matches: (event: JsonLine) => boolean
  ): Promise<readonly JsonLine[]> {
    const isMembership = (event: JsonLine) => event.kind === 'membership' && matches(event)
    return Promise.all([...marks].map(([name, from]) => this.of(name).telling(`${what} (${name})`, isMembership, from)))
  }

  /** All texts of a peer's process about its membership. */
  texts(name: string): readonly string[] {
    const events = recordsOf({ stdout: this.of(name).output() })
    return events.filter(({ kind }) => kind === 'membership').map(({ text }) => String(text))
  }

  /** The round of the peer's last report. */
  roundOf(name: string): number {
    const steps = recordsOf({ stdout: this.of(name).output() }).filter(({ kind }) => kind === 'step')
    return Number(steps.at(-1)?.round ?? -1)
  }

  /** Resolves when a peer has reported `rounds` further rounds. */
  async advances(name: string, rounds = 3): Promise<void> {
    const round = this.roundOf(name) + rounds
    const running = this.of(name)
    await running.telling(`round ${round}`, (event) => event.kind === 'step' && Number(event.round) >= round)
  }

  /** From now on, no byte passes between a peer of one group and one of the other. */
  part(group: readonly string[], others: readonly string[]): void {
    for (const relay of this.#between(group, others)) relay.freeze()
  }

  /** All bytes pass again. */
  join(group: readonly string[], others: readonly string[]): void {
    for (const relay of this.#between(group, others)) relay.thaw()
  }

  /** From now on rounds take no longer than they need. */
  async finish(): Promise<void> {
    await hurry(this.folder)
  }

  #between(group: readonly string[], others: readonly string[]): readonly TcpRelay[] {
    const pairs = group.flatMap((member) => others.flatMap((other) => [`${member}-${other}`, `${other}-${member}`]))
    return pairs.flatMap((pair) => this.#relays.get(pair) ?? [])
  }

  /** One file for all; with relays one for each, since each calls the others at different ports. */
  async #writeTopologies(): Promise<void> {
    const { names, servers = [], hasRelays = false } = this.#options
    const ports = new Map((await freePorts(names.length)).map((port, index) => [names[index], port]))
    for (const self of names) {
      const lines = names.map(async (name) => {
        const port = ports.get(name) as number
        const target = hasRelays && name !== self ? await this.#relay(`${self}-${name}`, port) : port
        const role = servers.includes(name) ? ', role: server' : ''
        return `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${target}]${role} }`
      })
      const text = `graph: ${this.#options.graph}\npeers:\n${(await Promise.all(lines)).join('\n')}\n`
      await writeFile(this.topology(self), text)
    }
  }

  async #relay(pair: string, target: number): Promise<number> {
    const relay = new TcpRelay(pair, target, () => {})
    this.#relays.set(pair, relay)
    return relay.listen()
  }

  #end(): void {
    for (const { process: child } of this.#running.values()) child.kill('SIGKILL')
    for (const relay of this.#relays.values()) relay.close()
  }
}
