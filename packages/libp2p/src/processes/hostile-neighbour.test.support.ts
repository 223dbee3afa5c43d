/**
 * A hostile neighbour, in a separate process. It is in the peer list, sends a correct hello, answers that of its
 * victims, and then makes one attack after the other, each on all victims before the next begins, repeatedly until it
 * is killed. Tests fork it, and send it {@link Orders}, then `go`, and `slowly` once they have seen what they wait for.
 * It reports the number of attacks on each victim whenever that changes.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { deferred, peerName } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import { controlProtocol, exchangeProtocol, limitsOf } from '../base/constants.js'
import { ControlChannel } from '../links/control-channel.js'
import { maxPadding } from '../links/control-messages.js'
import { behindLength, frame, pings, sayHello } from '../hostile.test.support.js'
import { decodeIdentity } from '../base/identity.js'
import { createNode } from '../node/node.js'
import type { RunSettings } from '../base/run-settings.js'
import { startedDialler } from '../tabs/dialler.test.support.js'
import { TrafficMeter } from '../base/traffic.js'

/** The orders to the process. */
export interface Orders {
  readonly name: string
  /** The text of its key file. */
  readonly key: string
  /** The addresses of its victims. */
  readonly victims: readonly string[]
  /** Names of {@link attacks} or {@link others}; all attacks when absent. */
  readonly attacks?: readonly string[]
}

/** A report of the process. */
export interface Progress {
  readonly victim: string
  /** The number of attacks so far, with repetitions. */
  readonly made: number
}

/** The target of an attack: streams after a correct handshake, and the length of vectors. */
interface Target {
  readonly control: Stream
  readonly exchange: Stream
  readonly elements: number
}

type Attack = (target: Target) => unknown

/** Resolves when the first attack must be made: until then this neighbour is honest. */
const go = deferred<void>()

/** Frames in a row, from sequence number 1 on. */
const inTurn =
  (of: (sequence: number, elements: number) => Uint8Array, count = 3): Attack =>
  ({ exchange, elements }) => {
    exchange.send(Buffer.concat(Array.from({ length: count }, (_, k) => of(k + 1, elements))))
  }

/** Every second attack is detected by the algorithm when it takes the message; the others on arrival. */
const attacks: Readonly<Record<string, Attack>> = {
  'leave': ({ control }) => control.send(behindLength({ kind: 'leave', reason: 'done' })),
  'short': inTurn((sequence, elements) => frame(sequence, elements - 1)),
  'gap': inTurn((sequence, elements) => frame(sequence + 6, elements)),
  'empty': inTurn((sequence) => frame(sequence, 0)),
  'codec': inTurn((sequence, elements) => frame(sequence, elements, { codec: 200 })),
  'offset': inTurn((sequence, elements) => frame(sequence, elements - 2, { offset: 1 })),
  'length': inTurn((sequence, elements) => frame(sequence, elements, { bytes: 7 })),
  'kind': inTurn((sequence, elements) => frame(sequence, elements, { kind: 99 })),
  'garbage': ({ exchange }) => exchange.send(Buffer.alloc(4096, 0xa5)),
  'round': inTurn((sequence, elements) => frame(sequence, elements, { round: 0xffff_ffff })),
  'range': inTurn((sequence, elements) => frame(sequence, elements, { offset: 1 })),
  'not-a-number': inTurn((sequence, elements) => frame(sequence, elements, {}, Number.NaN)),
  'infinite': inTurn((sequence, elements) => frame(sequence, elements, {}, Number.POSITIVE_INFINITY)),
  'pings': ({ control }) => control.send(pings(100_000)),
  'ack': ({ control }) => control.send(behindLength({ kind: 'ack', sequence: 1 })),
  'empties': inTurn((sequence) => frame(sequence, 0), 20_000)
}

/** Other orders: floods of up to 256 MiB each, for as long as the victim reads; and one honest exchange, then leave. */
const others: Readonly<Record<string, Attack>> = {
  'flood of vectors': ({ exchange, elements }) => pour(exchange, (k) => frame(k + 1, elements)),
  'flood of pings whose answers are not read': ({ control }) => {
    control.pause()
    return pour(control, () => longPing)
  },
  'goodbye and first vector': async ({ control, exchange, elements }) => {
    control.send(behindLength({ kind: 'leave', reason: 'done' }))
    await delay(100)
    exchange.send(frame(1, elements))
  }
}
const longPing = behindLength({ kind: 'ping', at: 0, padding: '.'.repeat(maxPadding) })

/** Sends pieces as fast as they are taken, until the stream ends. */
async function pour(stream: Stream, piece: (k: number) => Uint8Array): Promise<void> {
  for (let k = 0, sent = 0; sent < 256 << 20 && stream.status === 'open'; k++) {
    const bytes = piece(k)
    stream.send(bytes)
    sent += bytes.byteLength
    while (stream.status === 'open' && stream.writeBufferLength > 1 << 20) await delay(1)
  }
}

/** How long the next attack waits for the detection of the previous one, in milliseconds. */
const noticed = 2_000

/** The pause before each attack after `slowly`, in milliseconds. */
const rest = 2_000
let isSlow = false

/** The run settings of the first victim that connects; they are sent to all, since all peers have the same. */
const learnt = deferred<RunSettings>()

process.on('message', (orders: Orders | 'go' | 'slowly') => {
  if (orders === 'go') go.resolve()
  else if (orders === 'slowly') isSlow = true
  else void run(orders)
})
process.on('disconnect', () => process.exit())

async function run(orders: Orders): Promise<void> {
  const identity = decodeIdentity(orders.key, 'the orders')
  const isTab = orders.victims.some((address) => address.includes('webrtc-direct'))
  const node = await (isTab ? startedDialler(identity) : createNode({ identity, listen: [], limits: limitsOf() }))
  await node.handle(controlProtocol, (stream) => answerHello(stream, orders))
  await node.handle(exchangeProtocol, (stream) => stream.addEventListener('message', () => {}))
  await node.start()
  await haunt(node, orders)
}

/** Sends a welcome, as a neighbour does, and acknowledges nothing. */
async function answerHello(stream: Stream, { name }: Orders): Promise<void> {
  const channel = new ControlChannel(stream, new TrafficMeter())
  const hello = await channel.first(60_000)
  if (hello.kind !== 'hello') return
  const nothing = { received: hello.first - 1, acknowledged: hello.first - 1, window: 2, codecs: [] }
  channel.send({ kind: 'welcome', name: peerName(name), ...nothing })
  learnt.resolve(hello.runSettings)
}

/**
 * Makes one attack after the other. All victims get the same one at a time, so that a slow victim does not cause many
 * attacks at once on another.
 */
async function haunt(node: Libp2p, orders: Orders): Promise<void> {
  const list = orders.attacks ?? Object.keys(attacks)
  for (let made = 0; ; made++) {
    if (isSlow) await delay(rest)
    const attack = { ...attacks, ...others }[list[made % list.length]]
    const makeOn = (victim: string) =>
      untilMade(node, victim, orders, async (target) => {
        await go.promise
        await attack(target)
        process.send?.({ victim, made: made + 1 } satisfies Progress)
      })
    await Promise.all(orders.victims.map(makeOn))
  }
}

/** Retries until the victim has accepted this neighbour and the attack was made. */
async function untilMade(node: Libp2p, victim: string, orders: Orders, attack: Attack): Promise<void> {
  for (;;) {
    try {
      const connection = await node.dial(multiaddr(victim))
      if (await isMade(connection, orders, attack)) return
    } catch {
      // It is shut out, or dials too early.
    }
    await delay(10)
  }
}

let incarnations = 0

async function isMade(connection: Connection, { name }: Orders, attack: Attack): Promise<boolean> {
  const runSettings = await learnt.promise
  const { stream, channel, answer } = await sayHello(connection, peerName(name), runSettings, `${incarnations++}`)
  if (answer.kind !== 'welcome') return false
  const exchange = await connection.newStream(exchangeProtocol)
  const ended = Promise.race([once(exchange, 'close'), once(stream, 'close')])
  await attack({ control: stream, exchange, elements: lengthOf(runSettings.schema) })
  await Promise.race([ended, delay(noticed)])
  channel.abort('the attack is over')
  return true
}
