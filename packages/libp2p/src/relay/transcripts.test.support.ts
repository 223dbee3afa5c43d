/**
 * The relay service as transcripts: a real relay `r`, and nodes that are no peers, with handwritten messages of circuit
 * relay v2.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { type Input, type Protocol, type TranscriptRun, timeLimit } from '@murmuration/contract'
import { createIdentity } from '../base/identity.js'
import { bareNode } from '../characterisation/bare.test.support.js'
import { eventually } from '../cluster.test.support.js'
import { openSeed } from '../discovery/open-seed.js'
import type { Seed } from '../discovery/seed-options.js'
import { lpStream, multiaddr } from '#platform/libraries/base.js'
import { RELAY_V2_HOP_CODEC, RELAY_V2_STOP_CODEC } from '#platform/libraries/network.js'
import type { RelayLimits } from './relay-options.js'

/** The transcripts of what a relay grants and refuses. */
export const protocol: Protocol = {
  folder: new URL('../../src/relay/transcripts/', import.meta.url),
  start: (put) => new Relay(put)
}

/** The status in an answer of circuit relay v2. */
const statuses: Readonly<Record<number, string>> = {
  100: 'OK',
  200: 'RESERVATION_REFUSED',
  201: 'RESOURCE_LIMIT_EXCEEDED',
  202: 'PERMISSION_DENIED',
  203: 'CONNECTION_FAILED',
  204: 'NO_RESERVATION'
}
const long = timeLimit(10_000)

class Relay implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/r has room for (\d+) reservations?/, (count) => void (this.#limits = { reservations: Number(count) })],
    [/r has room for (\d+) reservations? of one source/, (count) => void (this.#limits = { perSource: Number(count) })],
    [/r has room for (\d+) connections/, (count) => void (this.#limits = { connections: Number(count) })],
    [/(.+) (?:is|are) at (127\.0\.0\.\d)/, (names, address) => this.#enter(names.split(', '), address)],
    [/(\w) asks for a reservation/, (name) => this.#reserve(name)],
    [/(\w) dials (\w)/, (name, target) => this.#dial(name, target)],
    [/(\w) is cut off/, (name) => this.#isCutOff(name)],
    [/the (first|second) connection from (\w) to (\w) ends/, (which, name, target) => this.#ends(which, name, target)]
  ]
  readonly #put: (output: string) => void
  readonly #teardowns: (() => unknown)[] = []
  #limits: Partial<RelayLimits> = {}
  #relay: Promise<Seed> | undefined
  readonly #nodes = new Map<string, { readonly node: Libp2p; readonly connection: Connection }>()
  /** The connections through the relay, by both ends, in the order in which they were dialled. */
  readonly #relayed = new Map<string, Stream[]>()

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  async end(): Promise<void> {
    for (const teardown of this.#teardowns.reverse()) await teardown()
  }

  async #start(): Promise<Seed> {
    const relay = await openSeed({
      identity: await createIdentity(),
      listen: ['/ip4/127.0.0.1/tcp/0'],
      relay: this.#limits
    })
    this.#teardowns.push(() => relay.close())
    return relay
  }

  async #enter(names: readonly string[], localAddress: string): Promise<void> {
    const relay = await (this.#relay ??= this.#start())
    for (const name of names) {
      const t = { teardown: (end: () => unknown) => void this.#teardowns.push(end) }
      const node = await bareNode(t, { localAddress })
      // A message of the type STATUS, with OK.
      await node.handle(RELAY_V2_STOP_CODEC, async (stream) => {
        const messages = lpStream(stream)
        await messages.read()
        await messages.write(Uint8Array.from([8, 1, 32, 100]))
      })
      this.#nodes.set(name, { node, connection: await node.dial(multiaddr(relay.addresses[0])) })
    }
  }

  async #reserve(name: string): Promise<void> {
    // A message of the type RESERVE.
    const { status } = await this.#ask(name, Uint8Array.from([8, 0]))
    this.#put(`r → ${name}  ${status}`)
    this.#put(`r: reservations ${(await this.#relay)?.reserved}`)
  }

  async #dial(name: string, target: string): Promise<void> {
    const id = this.#node(target).node.peerId.toMultihash().bytes
    // A message of the type CONNECT.
    const { stream, status } = await this.#ask(name, Uint8Array.from([8, 1, 18, id.length + 2, 10, id.length, ...id]))
    this.#put(`r → ${name}  ${status}`)
    if (status !== 'OK') return
    const key = `${name} ${target}`
    this.#relayed.set(key, [...(this.#relayed.get(key) ?? []), stream])
  }

  async #ask(name: string, message: Uint8Array): Promise<{ readonly stream: Stream; readonly status: string }> {
    const stream = await this.#node(name).connection.newStream(RELAY_V2_HOP_CODEC)
    const messages = lpStream(stream)
    await messages.write(message)
    return { stream, status: statusOf((await messages.read({ signal: AbortSignal.timeout(long) })).subarray()) }
  }

  async #isCutOff(name: string): Promise<void> {
    const { connection } = this.#node(name)
    await eventually(`the end of ${name}`, () => connection.status !== 'open')
    await this.#open()
  }

  async #ends(which: string, name: string, target: string): Promise<void> {
    const stream = this.#relayed.get(`${name} ${target}`)?.[which === 'first' ? 0 : 1]
    await eventually('the end of a connection', () => stream?.status !== 'open')
    await this.#open()
  }

  /** Shows what is left. */
  async #open(): Promise<void> {
    const isOpen = ({ status }: { readonly status: string }) => status === 'open'
    const nodes = [...this.#nodes].filter(([, { connection }]) => isOpen(connection)).map(([name]) => name)
    const through = [...this.#relayed].flatMap(([key, all]) => all.filter(isOpen).map(() => key.replace(' ', ' to ')))
    this.#put(`connected ${nodes.join(', ')}${through.length === 0 ? '' : `; through r ${through.join(', ')}`}`)
  }

  #node(name: string): { readonly node: Libp2p; readonly connection: Connection } {
    const node = this.#nodes.get(name)
    if (node === undefined) throw new Error(`${name} has no address`)
    return node
  }
}

/** The last field of an answer with the number 5, a varint of one or two bytes. */
function statusOf(answer: Uint8Array): string {
  for (let at = answer.length - 2; at >= 0; at--) {
    const [tag, low, high = 0] = answer.subarray(at)
    const status = statuses[(low & 127) + (low > 127 ? 128 * high : 0)]
    if (tag === 40 && status !== undefined) return status
  }
  return 'no status'
}
