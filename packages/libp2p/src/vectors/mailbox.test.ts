import { peerName, StoppedError } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import type { TimerClock } from '../base/clock.js'
import { Mailbox } from './mailbox.js'

/** A clock that the test moves. */
class HandClock implements TimerClock {
  #now = 0
  readonly #calls = new Set<{ readonly until: number; readonly callback: () => void }>()

  now(): number {
    return this.#now
  }

  at(until: number, callback: () => void): () => void {
    const call = { until, callback }
    this.#calls.add(call)
    return () => this.#calls.delete(call)
  }

  /** Calls that are still to be made. */
  get pending(): number {
    return this.#calls.size
  }

  advance(by: number): void {
    this.#now += by
    for (const call of [...this.#calls]) {
      if (call.until > this.#now || !this.#calls.delete(call)) continue
      call.callback()
    }
  }
}

const from = peerName('a')

/** A sender, and its messages that were taken. */
function sender() {
  const taken: number[] = []
  return { name: from, taken: (message: number) => void taken.push(message), messages: taken }
}

const step = fc.oneof(
  fc.constant({ kind: 'offer' } as const),
  fc.record({ kind: fc.constant('receive' as const), timeout: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 4 }) })
)

test('whatever the deadlines, each message is received once and in order', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new HandClock()
      const mailbox = new Mailbox<number>(clock)
      const received: number[] = []
      const source = sender()
      let offered = 0
      for (const action of steps) {
        if (action.kind === 'offer') mailbox.offer(source, offered++)
        if (action.kind === 'advance') clock.advance(action.by)
        if (action.kind === 'receive') {
          void mailbox
            .receive(clock.now() + action.timeout)
            .then((envelope) => envelope && received.push(envelope.message))
        }
      }
      clock.advance(100)
      for (let left = offered; left > 0; left--) {
        void mailbox.receive(clock.now()).then((envelope) => envelope && received.push(envelope.message))
      }
      await Promise.resolve()
      t.deepEqual(received, [...Array(offered).keys()])
      t.deepEqual(source.messages, received)
      t.is(clock.pending, 0)
    })
  )
})

test('a deadline in the past returns a waiting message, or undefined', async (t) => {
  const clock = new HandClock()
  const mailbox = new Mailbox<number>(clock)
  clock.advance(10)
  t.is(await mailbox.receive(3), undefined)
  mailbox.offer(sender(), 1)
  t.deepEqual(await mailbox.receive(3), { from, message: 1 })
})

test('the sender is notified when a message is received, at once if a receiver waits', async (t) => {
  const mailbox = new Mailbox<number>(new HandClock())
  const source = sender()
  mailbox.offer(source, 1)
  t.deepEqual(source.messages, [])
  await mailbox.receive()
  t.deepEqual(source.messages, [1])
  void mailbox.receive()
  mailbox.offer(source, 2)
  t.deepEqual(source.messages, [1, 2])
})

test('stopping rejects waiting receivers and later ones', async (t) => {
  const clock = new HandClock()
  const mailbox = new Mailbox<number>(clock)
  const waits = [mailbox.receive(), mailbox.receive(50)]
  mailbox.offer(sender(), 1)
  mailbox.stop(new StoppedError())
  t.deepEqual(await waits[0], { from, message: 1 })
  await t.throwsAsync(waits[1], { instanceOf: StoppedError })
  await t.throwsAsync(mailbox.receive(), { instanceOf: StoppedError })
  t.is(clock.pending, 0)
})
