import { type Envelope, type Fabric, NeighboursMissingError, peerName, type SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { KeyPeer, type PeerSetting } from './key-peer.js'
import { homeOf, KeyServer, type SendTo } from './key-server.js'
import { Keys } from './keys.js'
import { type KeyMessage, messageOf, vectorOf } from './messages.js'

const [a, b] = ['a', 'b'].map(peerName)
const count = 40
const width = 2
const start = Float32Array.from({ length: count * width }, (_, place) => place)

interface Waiter {
  readonly waitsFor: object | undefined
  resolve(envelope: Envelope<VectorMessage> | undefined): void
}

/** The fabric of peer a; `serve` lets b answer. */
function world() {
  const sent: VectorMessage[] = []
  const waiters: Waiter[] = []
  let receives = 0
  const next = (waiter: Waiter | undefined, envelope?: Envelope<VectorMessage>) => {
    if (waiter === undefined) return
    waiters.splice(waiters.indexOf(waiter), 1)
    waiter.resolve(envelope)
  }
  const fabric = {
    self: a,
    now: () => 0,
    send: (_: unknown, message: VectorMessage) => {
      sent.push(message)
      return 'queued'
    },
    receive: (_until: number, _receiver: unknown, waitsFor?: object) => {
      receives++
      return new Promise((resolve) => waiters.push({ waitsFor, resolve }))
    },
    wake: (waitsFor?: object) => next(waiters.find((waiter) => waitsFor === undefined || waiter.waitsFor === waitsFor)),
    recycle: () => {}
  } as unknown as Fabric<VectorMessage>
  const other = new KeyServer({ self: 1, holders: 2, peers: 2, count, width }, (_, message) => answer(message), start)
  const answer = (message: KeyMessage) => next(waiters[0], { from: b, message: vectorOf(message, 0) })
  const serve = (place: number) => other.receive(0, messageOf(sent[place], { count, width, peers: 2 }) as KeyMessage)
  return { fabric, serve, receives: () => receives }
}

test('an answer wakes the activity that has asked, and the others wait on', async (t) => {
  const { fabric, serve, receives } = world()
  const peer = new KeyPeer(fabric, {
    peers: [a, b],
    workers: [a, b],
    timeout: 1000,
    length: count * width,
    count,
    width,
    server: (setting, send) => new KeyServer({ ...setting, holders: 2, count, width }, send, start)
  })
  const elsewhere = [...start.keys()].filter((key) => key < count && homeOf(key, 2) === 1).slice(0, 4)
  const got: number[] = []
  const pulls = elsewhere.map(async (key) => {
    const out = new Float32Array(width)
    await new Keys(fabric, peer).pull(Uint32Array.of(key), out)
    t.deepEqual(out, start.slice(key * width, (key + 1) * width))
    got.push(key)
  })
  t.is(receives(), 4)
  t.is(serve(2), undefined)
  await pulls[2]
  // The oldest wait has received the answer, which was not its own, and continues; so do the two that have received
  // nothing.
  t.deepEqual([got, receives()], [[elsewhere[2]], 5])
  for (const place of [0, 1, 3]) serve(place)
  await Promise.all(pulls)
})

/** Peer a of two, whose rows of peer b do not arrive: `result` is what becomes of its messages. */
function silentWorld(result: SendResult) {
  let now = 0
  const fabric = {
    self: a,
    now: () => now,
    send: () => result,
    receive: async (until: number) => {
      if (until > 100_000) throw new Error('waited too long')
      now = until
    },
    wake: () => {}
  } as unknown as Fabric<VectorMessage>
  const server = (setting: PeerSetting, send: SendTo) =>
    new KeyServer({ ...setting, holders: 2, count, width }, send, start)
  const names = { peers: [a, b], workers: [a, b] }
  const peer = new KeyPeer(fabric, { ...names, timeout: 1000, length: count * width, count, width, server })
  const elsewhere = Uint32Array.from([...Array(count).keys()].filter((key) => homeOf(key, 2) === 1))
  return {
    fabric,
    peer,
    pull: () => new Keys(fabric, peer).pull(elsewhere, new Float32Array(elsewhere.length * width))
  }
}

for (const [what, result, reason] of [
  ['takes no message', 'full', 'cannot send to b: nothing was taken for 2000 ms'],
  ['does not answer', 'queued', 'waited 2000 ms for the rows that it requested from b: nothing arrived']
] as const)
  test(`a peer that ${what} for two timeouts is named`, async (t) => {
    const { message, missing } = await t.throwsAsync(silentWorld(result).pull(), {
      instanceOf: NeighboursMissingError
    })
    t.deepEqual([message, missing], [`a ${reason}`, [b]])
  })

test('an error while the peer serves is that of its workers', async (t) => {
  const { fabric, peer, pull } = silentWorld('full')
  const activities: Promise<void>[] = []
  Object.assign(fabric, { spawn: (activity: (fabric: unknown) => Promise<void>) => activities.push(activity(fabric)) })
  peer.serve()
  const { message } = await t.throwsAsync(pull())
  await Promise.all(activities)
  await t.throwsAsync(peer.endPhase(fabric), { message })
})
