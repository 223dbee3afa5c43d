/**
 * Links as transcripts: a real peer `a`, and its neighbour `b` with a handwritten protocol. After each input b sends a
 * ping and reads until its pong, so that all that a says at once is seen in order.
 */
import type { TLSSocket } from 'node:tls'
import type { Connection, Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { type Input, type Protocol, type TranscriptRun, timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { controlProtocol, exchangeProtocol, limitsOf, protocolVersion } from '../base/constants.js'
import type { PeerEvent } from '../base/events.js'
import { createIdentity, type Identity } from '../base/identity.js'
import { settingsOf } from '../base/settings.js'
import { TrafficMeter } from '../base/traffic.js'
import { ownVersions } from '../base/versions.js'
import { eventOf, eventually, graph, schemaOf, type TestNode, testNode } from '../cluster.test.support.js'
import { frame } from '../hostile.test.support.js'
import { createNode } from '../node/node.js'
import type { RunSettings } from '../base/run-settings.js'
import { FrameReader, type FrameSink } from '../vectors/frame-reader.js'
import { dialChannel } from './channel/dial.js'
import { ChannelListener } from './channel/listener.js'
import { ControlChannel } from './control-channel.js'
import type { ControlMessage } from './control-messages.js'

/** The transcripts of handshakes, of vectors with their acknowledgements, and of data channels. */
export const protocol: Protocol = {
  folder: new URL('../../src/links/transcripts/', import.meta.url),
  start: (put) => new Link(put)
}

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const elements = 8
const runOf = (rate: number, length = elements, start = 'aa'): RunSettings => {
  return { settings: settingsOf({ run: 'one', rate: { initial: rate } }), schema: schemaOf(length), start }
}
const own = runOf(0.1)
const long = timeLimit(10_000)

/** What may be wrong with a hello. */
const changes: Readonly<Record<string, object>> = {
  'as agreed': {},
  'as a': { name: a },
  'with another rate': { runSettings: runOf(0.2) },
  'with one number more': { runSettings: runOf(0.1, elements + 1) },
  'with another start': { runSettings: runOf(0.1, elements, 'bb') },
  'of a later wire': { version: protocolVersion + 1, software: '99.0.0' },
  'of an earlier wire': { version: 1, software: '0.0.1' },
  'of another process': { incarnation: 'second' },
  'in passing': { inPassing: true },
  'and asks for int8 and a codec of its own': { codecs: ['int8', 'own'] }
}

/** Both nodes, and a connection from b to a. */
interface Nodes {
  readonly victim: TestNode
  readonly identity: Identity
  readonly connection: Connection
  /** The control streams that a has opened. */
  readonly calls: ControlChannel[]
}

class Link implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/b is no neighbour of a/, () => void (this.#topology = graph(['a', 'c'], ['b', 'c']))],
    [/a offers data channels/, () => void (this.#channelFrom = 1)],
    [/an unknown peer connects/, () => this.#meetUnknown()],
    [/b says hello(?: (.+))?/, (change = 'as agreed') => this.#hello(change)],
    [/b begins with a ping/, () => this.#begin({ kind: 'ping', at: 0, padding: '' })],
    [/b sends a note/, () => this.#say({ kind: 'note', note: 'a note' })],
    [/b sends ack (\d+)/, (sequence) => this.#say({ kind: 'ack', sequence: Number(sequence) })],
    [/b sends move (\d+)/, (sequence) => this.#say({ kind: 'move', sequence: Number(sequence) })],
    [/b leaves/, () => this.#say({ kind: 'leave', reason: 'it is done' })],
    [/b opens a stream of vectors/, () => this.#openStream()],
    [/b writes vectors? (\d+)(?: to (\d+))?/, (first, last = first) => this.#write(Number(first), Number(last))],
    [/b writes vector (\d+) to the data channel/, (sequence) => this.#writeToChannel(Number(sequence))],
    [/b offers a data channel/, () => this.#offer()],
    [/the algorithm of a takes (\d+) messages?/, (count) => this.#take(Number(count))],
    [/b takes the hello of a/, () => this.#takeHello()],
    [/b welcomes a: (\d+) received, (\d+) acknowledged/, (...counts) => this.#welcome(counts.map(Number))],
    [/b refuses a: (.+)/, (reason) => this.#refuse(reason)],
    [/a sends rounds (\d+) to (\d+)/, (first, last) => this.#send(Number(first), Number(last))],
    [/b reads (\d+) vectors?/, (count) => this.#read(Number(count))],
    [/b answers with ack (\d+)/, (sequence) => this.#answering?.send({ kind: 'ack', sequence: Number(sequence) })],
    [/b answers with moved (\d+)/, (sequence) => this.#answering?.send({ kind: 'moved', sequence: Number(sequence) })],
    [/b takes the offer/, () => this.#takeOffer()],
    [/b breaks the link from a/, () => this.#answering?.abort('broken')],
    [/wait for a fault/, () => this.#fault()]
  ]
  readonly #put: (output: string) => void
  readonly #ends: (() => unknown)[] = []
  #topology = graph(['a', 'b'])
  #channelFrom = Number.POSITIVE_INFINITY
  #nodes: Promise<Nodes> | undefined
  /** The control stream on which b sends vectors. */
  #control: ControlChannel | undefined
  /** The control stream on which it receives vectors. */
  #answering: ControlChannel | undefined
  #stream: Stream | undefined
  /** The data channel, in either direction. */
  #channel: TLSSocket | undefined
  #pings = 0
  /** How many events of a were shown. */
  #shown = 0
  /** Vectors of a that were not shown. */
  readonly #arrived: string[] = []

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await end()
  }

  /** Starts both nodes with the first input that needs them. */
  #all(): Promise<Nodes> {
    return (this.#nodes ??= this.#start())
  }

  async #start(): Promise<Nodes> {
    const t = { teardown: (end: () => unknown) => void this.#ends.push(end) }
    const never = { heartbeat: 600_000, silentAfter: 600_000, callWait: 600_000 }
    const victim = await testNode(t, this.#topology, 'a', {
      limits: { ...never, channelFrom: this.#channelFrom },
      runSettings: own
    })
    const note = (_from: unknown, text: string) => this.#put(`a: it receives "${text}"`)
    victim.peer.fabric.listen({ note, heard() {}, refused() {} })
    const identity = await createIdentity()
    const node = await createNode({ identity, listen: [], limits: limitsOf() })
    t.teardown(() => node.stop())
    const calls: ControlChannel[] = []
    await node.handle(controlProtocol, (stream) => void calls.push(new ControlChannel(stream, new TrafficMeter())))
    await node.handle(exchangeProtocol, (stream) => this.#listen(stream))
    await node.start()
    const others = this.#topology.peers.filter((peer) => peer === c)
    const entries = await Promise.all(
      others.map(async (name) => ({ name, id: (await createIdentity()).id, addresses: [] }))
    )
    victim.peer.meet([{ name: b, id: identity.id, addresses: [] }, ...entries])
    const connection = await node.dial(victim.peer.addresses.map((address) => multiaddr(address)))
    return { victim, identity, connection, calls }
  }

  async #meetUnknown(): Promise<void> {
    const { victim } = await this.#all()
    const node = await createNode({ identity: await createIdentity(), listen: [], limits: limitsOf() })
    this.#ends.push(() => node.stop())
    await node.start()
    await node.dial(victim.peer.addresses.map((address) => multiaddr(address))).catch(() => {})
    const { reason } = await eventOf(victim, 'unknown-peer-refused')
    this.#put(`a: it ends the connection: ${reason}`)
  }

  async #hello(change: string): Promise<void> {
    const identity = {
      kind: 'hello',
      version: protocolVersion,
      name: b,
      runSettings: own,
      incarnation: 'first'
    } as const
    const difference = changes[change]
    if (difference === undefined) throw new Error(`no hello ${change}; expected one ${Object.keys(changes).join(', ')}`)
    await this.#begin({ ...identity, first: 1, codecs: [], ...difference })
  }

  /** Opens a control stream. */
  async #begin(message: object): Promise<void> {
    const { connection } = await this.#all()
    const control = new ControlChannel(await connection.newStream(controlProtocol), new TrafficMeter())
    control.send(message as ControlMessage)
    const answer = await control.first(long)
    this.#show(answer)
    if (answer.kind === 'welcome') this.#control = control
    else await control.close(long)
    await this.#settle()
  }

  async #say(message: ControlMessage): Promise<void> {
    this.#control?.send(message)
    await this.#settle()
  }

  /** Shows what a answers, and what it concludes. */
  async #settle(): Promise<void> {
    const at = ++this.#pings
    this.#control?.send({ kind: 'ping', at, padding: '' })
    while (this.#control !== undefined) {
      const answer = await this.#control.messages.next().catch(() => undefined)
      if (answer === undefined || answer.done === true) {
        this.#control = undefined
        this.#put('a: it ends the streams of b')
      } else if (answer.value.kind === 'pong' && answer.value.at === at) break
      else this.#show(answer.value)
    }
    await this.#conclude()
  }

  async #conclude(): Promise<void> {
    const { victim } = await this.#all()
    for (const event of victim.events.slice(this.#shown)) {
      if (event.kind === 'bad-frame') this.#put(`a: fault of b (${event.fault}): ${event.detail}`)
      if (event.kind === 'refused' && event.by === 'us') this.#put(`a: it refuses b (${event.code})`)
      if (event.kind === 'left') this.#put(`a: b has left: ${event.reason}`)
    }
    this.#shown = victim.events.length
  }

  async #openStream(): Promise<void> {
    const { connection } = await this.#all()
    const stream = (this.#stream = await connection.newStream(exchangeProtocol))
    if (this.#control !== undefined) return this.#settle()
    await eventually('a reset', () => stream.status !== 'open')
    this.#put('a: it resets the stream')
  }

  async #write(first: number, last: number): Promise<void> {
    for (let sequence = first; sequence <= last; sequence++) this.#stream?.send(frame(sequence, elements))
    await this.#settle()
  }

  async #take(count: number): Promise<void> {
    const { fabric } = (await this.#all()).victim.peer
    for (let k = 0; k < count; k++) {
      const envelope = await fabric.receive(fabric.now() + long)
      this.#put(`round ${envelope?.message.round} of ${envelope?.from}`)
    }
    await this.#settle()
  }

  async #offer(): Promise<void> {
    const channels = new ChannelListener(['/ip4/127.0.0.1/tcp/0'], long)
    this.#ends.push(() => channels.close())
    const offer = await channels.offer('127.0.0.1')
    if (offer === undefined) throw new Error('no port for a data channel')
    const { port, id, key, taken } = offer
    this.#control?.send({ kind: 'channel', port, id, key: Buffer.from(key).toString('base64') })
    this.#channel = (await taken)?.resume()
    this.#put('a: it connects, and proves that it knows the key')
  }

  /** Its acknowledgement shows that it has arrived: a ping may overtake what is on another socket. */
  async #writeToChannel(sequence: number): Promise<void> {
    this.#channel?.write(frame(sequence, elements))
    const message = await this.#control?.first(long)
    if (message !== undefined) this.#show(message)
  }

  /** The last control stream that a has opened. */
  async #takeHello(): Promise<void> {
    const { calls } = await this.#all()
    this.#answering = await eventually('a call', () => calls.shift())
    this.#show(await this.#answering.first(long))
  }

  async #welcome([received = 0, acknowledged = 0]: readonly number[]): Promise<void> {
    const { victim } = await this.#all()
    const isReady = () => victim.peer.neighbours()[0]?.state === 'ready'
    this.#answering?.send({ kind: 'welcome', name: b, received, acknowledged, window: 2, codecs: [] })
    await eventually('a link', isReady)
    this.#put('a: its link to b is ready')
  }

  async #refuse(reason: string): Promise<void> {
    const theirs = reason === 'another rate' ? { runSettings: runOf(0.2) } : {}
    const wire = reason === 'a later wire' ? { version: protocolVersion + 1, software: '99.0.0' } : {}
    const refused = { kind: 'refused', code: reason, reason: 'in the words of b', ...theirs, ...wire }
    this.#answering?.send(refused as ControlMessage)
    const { victim } = await this.#all()
    const isTheirs = (event: PeerEvent) => event.kind === 'refused' && event.by === 'them'
    const event = await eventually('a refusal', () => victim.events.find(isTheirs))
    if (event.kind === 'refused') this.#put(`a: b refuses it (${event.code}): ${plain(event.reason)}`)
  }

  async #send(first: number, last: number): Promise<void> {
    const { fabric } = (await this.#all()).victim.peer
    for (let round = first; round <= last; round++)
      this.#put(`round ${round} is ${fabric.send(b, { kind: 1, round, vector: new Float32Array(elements) })}`)
  }

  #listen(stream: Stream): void {
    const reader = this.#readerOf('stream')
    stream.addEventListener('message', ({ data }) => {
      for (const chunk of data instanceof Uint8Array ? [data] : data) reader.push(chunk)
    })
  }

  #readerOf(place: string): FrameReader {
    const put = (text: string) => void this.#arrived.push(`a → b  ${text}, on the ${place}`)
    const sink: FrameSink = {
      open: ({ length }) => ({ kind: 'into', vector: new Float32Array(length) }),
      complete: ({ sequence, round }) => put(`vector ${sequence} of round ${round}`),
      skipped() {},
      corrupt: ({ sequence }) => put(`vector ${sequence}, corrupt`),
      readError: (fault) => put(fault)
    }
    return new FrameReader(sink, undefined)
  }

  async #read(count: number): Promise<void> {
    await eventually('vectors of a', () => this.#arrived.length >= count)
    this.#arrived.splice(0).forEach(this.#put)
  }

  async #takeOffer(): Promise<void> {
    const offer = await this.#answerOf('channel')
    const reader = this.#readerOf('data channel')
    const call = { host: '127.0.0.1', port: offer.port, id: offer.id, key: Buffer.from(offer.key, 'base64') }
    this.#channel = dialChannel(call, long, {
      get destination() {
        return reader.destination
      },
      advance: (count) => reader.advance(count)
    })
    this.#ends.push(() => this.#channel?.destroy())
    await this.#answerOf('move')
  }

  /** The next message of a kind from a as a sender, which is shown. */
  async #answerOf<K extends ControlMessage['kind']>(kind: K): Promise<Extract<ControlMessage, { kind: K }>> {
    for (;;) {
      const message = await this.#answering?.first(long)
      if (message?.kind !== kind) continue
      this.#show(message)
      return message as Extract<ControlMessage, { kind: K }>
    }
  }

  async #fault(): Promise<void> {
    await eventOf((await this.#all()).victim, 'bad-frame')
    await this.#conclude()
  }

  #show(message: ControlMessage): void {
    this.#put(`a → b  ${wordsOf(message)}`)
  }
}

function wordsOf(message: ControlMessage): string {
  const codecsIn = (codecs: readonly string[]) => (codecs.length === 0 ? '' : `, codecs ${codecs.join(' and ')}`)
  switch (message.kind) {
    case 'hello':
      return `hello: first vector ${message.first}${codecsIn(message.codecs)}`
    case 'welcome': {
      const { received, acknowledged, window, codecs } = message
      return `welcome: ${received} received, ${acknowledged} acknowledged, window ${window}${codecsIn(codecs)}`
    }
    case 'refused':
      return `refused (${message.code}): ${plain(message.reason)}`
    case 'ack':
    case 'move':
    case 'moved':
      return `${message.kind} ${message.sequence}`
    case 'channel':
      return 'channel: a port and a key'
    default:
      return message.kind
  }
}

/** Without versions and ports. */
function plain(text: string): string {
  return text
    .replaceAll(`${ownVersions.software}`, 'OUR VERSION')
    .replaceAll(`wire ${protocolVersion + 1}`, 'wire N + 1')
    .replaceAll(`wire ${protocolVersion}`, 'wire N')
    .replaceAll(/tcp\/\d+/g, 'tcp/PORT')
}
