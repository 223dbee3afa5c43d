import { type Envelope, type Fabric, type PeerName, peerName, type Receiver } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { Inbox } from './inbox.js'
import type { Expectation } from './owner.js'

const [self, b] = ['a', 'b'].map(peerName)

const message = (round: number, kind = 0): Envelope<VectorMessage> => {
  return { from: b, message: { kind, round, vector: new Float32Array(0) } }
}

/**
 * An inbox whose fabric returns these one after the other, whatever the receiver says, as libp2p does; an error is
 * thrown.
 */
function inbox(...received: (Envelope<VectorMessage> | Error | undefined)[]) {
  const rounds: number[] = []
  const rejected: PeerName[] = []
  let now = 0
  const fabric = {
    self,
    now: () => now,
    async receive(until: number, receiver?: Receiver<VectorMessage>) {
      const [next] = received.splice(0, 1)
      if (next instanceof Error) throw next
      if (next === undefined) now = until
      return receiver === undefined ? undefined : next
    },
    reject: ({ from }: Envelope<VectorMessage>) => void rejected.push(from)
  }
  const inbox = new Inbox(fabric as unknown as Fabric<VectorMessage>)
  inbox.handlers.set(0, { accept: (envelope) => void rounds.push(envelope.message.round) })
  /** Waits for this many messages, for 10 ms at most. */
  const wanted = (count: number): Expectation<readonly number[]> => {
    const deadline = now + 10
    return { isDone: () => rounds.length >= count, deadline: () => deadline, awaited: () => [b], outcome: () => rounds }
  }
  return { inbox, rejected, wanted }
}

test('a wait processes messages until it is over, however many times the fabric returns', async (t) => {
  const { inbox: box, rejected, wanted } = inbox(message(1), message(2), message(7, 9), message(3), message(4))
  t.deepEqual(await box.until(wanted(1)), [1])
  t.deepEqual(await box.until(wanted(1)), [1], 'it is over at once')
  t.deepEqual([...(await box.until(wanted(3)))], [1, 2, 3])
  t.deepEqual(rejected, [b], 'no channel has the kind 9')
})

test('a wait ends at its deadline, and a peer waits for one thing at a time', async (t) => {
  const { inbox: box, wanted } = inbox(undefined)
  const waiting = box.until(wanted(1))
  t.deepEqual(box.awaited, [b])
  t.throws(() => box.until(wanted(1)), { message: /a waits for two things at once/ })
  t.deepEqual(await waiting, [])
  t.deepEqual(box.awaited, [])
})

test('after a wait that failed, at its first message or later, there may be another', async (t) => {
  for (const received of [[new Error('stopped')], [message(1), new Error('stopped')]]) {
    const { inbox: box, wanted } = inbox(...received, message(2), message(3))
    await t.throwsAsync(box.until(wanted(2)), { message: 'stopped' })
    t.is((await box.until(wanted(2))).at(-1), received.length === 1 ? 3 : 2)
  }
})

test('an outcome that fails rejects the wait, also when nothing is waited for', async (t) => {
  const fail = () => {
    throw new Error('timed out')
  }
  const { inbox: box, wanted } = inbox(undefined)
  await t.throwsAsync(box.until({ ...wanted(1), outcome: fail }), { message: 'timed out' })
  await t.throwsAsync(box.until({ ...wanted(0), outcome: fail }), { message: 'timed out' })
})
