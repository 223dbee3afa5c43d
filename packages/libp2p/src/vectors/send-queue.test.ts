import test from 'ava'
import fc from 'fast-check'
import { ReceiveWindow } from './receive-window.js'
import { SendQueue } from './send-queue.js'

/** How many numbers a whole vector has. */
const elements = 10

const message = (round: number, length = elements, onDone = () => {}, epoch = 0) => {
  return { kind: 0, part: 0, epoch, field: 0, offset: 0, round, vector: new Float32Array(length), onDone }
}

/** A model of a link: a sender's queue, vectors in flight, a receiver's window and its mailbox. */
class Model {
  readonly queue = new SendQueue(elements, 6)
  readonly window = new ReceiveWindow(elements, { window: 3, mailbox: 2 })
  frames: { readonly sequence: number; readonly round: number }[] = []
  acknowledgements: number[] = []
  mailbox: number[] = []
  readonly taken: number[] = []
  offered = 0
  epoch = 65_534
  /** The first round of the epoch that was offered. */
  first = 0
  done = 0

  constructor() {
    this.reconnect()
  }

  reconnect(): void {
    this.frames = []
    this.acknowledgements = []
    this.window.greet('x', this.queue.first)
    const { received, acknowledged } = this.window
    if (!this.queue.resume({ received, acknowledged, window: 3 })) throw new Error('an honest welcome was refused')
  }

  offer(): void {
    if (!this.queue.offer(message(this.offered, elements, () => this.done++, this.epoch % 65_536))) return
    this.offered++
    const waiting = this.queue.length - this.queue.inFlight
    if (waiting > this.offered - this.first) throw new Error('vectors of an earlier epoch still wait')
  }

  /** The next vector is of a later epoch. */
  turn(): void {
    this.epoch++
    this.first = this.offered
  }

  write(): void {
    const frame = this.queue.next()
    if (frame !== undefined) this.frames.push({ sequence: frame.sequence, round: frame.round })
  }

  arrive(): void {
    const frame = this.frames.shift()
    if (frame === undefined) return
    if (this.window.overflows(elements)) throw new Error('an honest sender was refused')
    if (!this.window.arrive(frame.sequence, elements)) throw new Error(`frame ${frame.sequence} is not the next`)
    this.window.enqueue(elements)
    this.mailbox.push(frame.round)
    this.confirm()
  }

  take(): void {
    const round = this.mailbox.shift()
    if (round === undefined) return
    this.taken.push(round)
    this.window.dequeue(elements)
    this.confirm()
  }

  confirm(): void {
    if (this.window.acknowledge()) this.acknowledgements.push(this.window.acknowledged)
  }

  acknowledge(): void {
    const sequence = this.acknowledgements.shift()
    if (sequence !== undefined && !this.queue.acknowledge(sequence)) throw new Error('an honest ack was refused')
  }
}

const acts = ['offer', 'write', 'arrive', 'take', 'acknowledge', 'reconnect'] as const

/** All that is queued arrives and is taken. */
function settle(model: Model): void {
  for (let turn = 0; turn < 100; turn++)
    for (const act of acts) if (act !== 'offer' && act !== 'reconnect') model[act]()
}

test('whatever is lost and when, each frame arrives once and in order, and queues stay bounded', (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...acts), { maxLength: 150 }), (steps) => {
      const model = new Model()
      for (const act of steps) {
        model[act]()
        t.true(model.queue.length <= 6)
        t.true(model.mailbox.length <= 5, 'no more than the mailbox and the window')
      }
      settle(model)
      t.deepEqual(model.taken, [...Array(model.offered).keys()])
      t.is(model.queue.length, 0)
    }),
    { numRuns: 300 }
  )
})

test('whatever is lost, the last epoch’s frames all arrive; of earlier ones some, once and in order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...acts, 'turn'), { maxLength: 150 }), (steps) => {
      const model = new Model()
      for (const act of steps) model[act]()
      settle(model)
      const { taken, first, offered } = model
      t.true(taken.every((round, index) => index === 0 || round > taken[index - 1]))
      t.deepEqual(
        taken.filter((round) => round >= first),
        Array.from({ length: offered - first }, (_, index) => first + index)
      )
      t.deepEqual([model.queue.length, model.done], [0, offered])
    }),
    { numRuns: 300 }
  )
})

test('a later epoch drops what was not handed out, and after a break also what has not arrived', (t) => {
  const queue = new SendQueue(elements, 6)
  const done: number[] = []
  const offer = (round: number, epoch: number) => queue.offer(message(round, elements, () => done.push(round), epoch))
  for (let round = 0; round < 6; round++) t.true(offer(round, 0))
  queue.resume({ received: 0, acknowledged: 0, window: 3 })
  t.deepEqual([queue.next()?.round, queue.next()?.round], [0, 1])
  t.true(offer(6, 1))
  t.deepEqual(done, [2, 3, 4, 5])
  t.is(queue.length, 3)
  for (let round = 7; round < 10; round++) t.true(offer(round, 1), 'their room is free')
  t.false(offer(10, 1))
  t.true(offer(11, 0), 'an epoch that is over needs no room')
  t.deepEqual([done, queue.length], [[2, 3, 4, 5, 11], 6])
  t.like(queue.next(), { round: 6, sequence: 3 })
  t.true(queue.resume({ received: 1, acknowledged: 0, window: 3 }))
  t.deepEqual([done, queue.length], [[2, 3, 4, 5, 11, 1], 5])
  t.like(queue.next(), { round: 6, sequence: 2 })
  t.true(queue.acknowledge(2))
  t.deepEqual(done.slice(-2), [0, 6])
  for (let round = 7; round < 10; round++) t.is(queue.next()?.round, round, 'the window is as open as before')
})

test('a full queue refuses vectors until one is acknowledged', (t) => {
  const queue = new SendQueue(elements, 2)
  t.deepEqual(
    [1, 2, 3].map((round) => queue.offer(message(round))),
    [true, true, false]
  )
  queue.resume({ received: 0, acknowledged: 0, window: 9 })
  queue.next()
  t.true(queue.acknowledge(1))
  t.true(queue.offer(message(3)))
})

test('a queue for large vectors is full after 65536 empty messages, unless vectors of as many tensors need more', (t) => {
  const whole = 1_000_000
  const accepted = (queue: SendQueue, length: number) => {
    for (let count = 0; count <= 200_000; count++) if (!queue.offer(message(0, length))) return count
    return 'all'
  }
  const queue = new SendQueue(whole, 8)
  t.is(accepted(queue, 0), 1 << 16)
  queue.resume({ received: 0, acknowledged: 0, window: 1 })
  queue.next()
  queue.acknowledge(1)
  t.is(accepted(queue, 0), 1)
  t.is(accepted(new SendQueue(whole, 8, 20_000), whole / 20_000), 8 * 20_000)
})

test('acknowledgements and welcomes for vectors that were never sent are refused', (t) => {
  const queue = new SendQueue(elements, 4)
  queue.offer(message(1))
  t.false(queue.acknowledge(1))
  t.false(queue.resume({ received: 1, acknowledged: 1, window: 4 }))
  t.true(queue.resume({ received: 0, acknowledged: 0, window: 4 }))
  queue.next()
  t.false(queue.resume({ received: 0, acknowledged: 1, window: 4 }))
  t.true(queue.acknowledge(1))
  t.false(queue.resume({ received: 0, acknowledged: 0, window: 4 }), 'what was acknowledged cannot be asked for again')
})

test('a sender that was restarted, or has dropped vectors, continues from the number in its hello', (t) => {
  const window = new ReceiveWindow(elements, { window: 2, mailbox: 1 })
  window.greet('first', 1)
  t.deepEqual(
    [1, 2, 2, 4].map((sequence) => window.arrive(sequence, 1)),
    [true, true, false, false]
  )
  window.greet('first', 2)
  t.is(window.received, 2)
  window.greet('first', 9)
  t.true(window.arrive(9, 1))
  window.greet('second', 1)
  t.true(window.arrive(1, 1))
})

test('parts that add up to a vector may be in flight together; the next one waits', (t) => {
  const queue = new SendQueue(elements, 4)
  for (const length of [4, 4, 2, 4]) t.true(queue.offer(message(0, length)))
  queue.resume({ received: 0, acknowledged: 0, window: 1 })
  t.deepEqual(
    [queue.next(), queue.next(), queue.next(), queue.next()].map((queued) => queued?.sequence),
    [1, 2, 3, undefined]
  )
  queue.acknowledge(1)
  t.is(queue.next()?.sequence, 4)
})

test('a vector larger than the window or the queue is sent alone', (t) => {
  const queue = new SendQueue(elements, 1)
  t.true(queue.offer(message(0, 3 * elements)))
  t.false(queue.offer(message(0, 1)))
  queue.resume({ received: 0, acknowledged: 0, window: 1 })
  t.is(queue.next()?.sequence, 1)
})

test('a sender is notified once of each acknowledged vector', (t) => {
  const queue = new SendQueue(elements, 4)
  const acknowledged: number[] = []
  for (let round = 0; round < 3; round++) queue.offer(message(round, elements, () => acknowledged.push(round)))
  queue.resume({ received: 0, acknowledged: 0, window: 2 })
  queue.next()
  queue.next()
  queue.acknowledge(1)
  queue.acknowledge(1)
  t.deepEqual(acknowledged, [0])
  queue.clear()
  t.deepEqual(acknowledged, [0, 1, 2])
})

test('a receiver without room acknowledges nothing; with some room, what exceeds it', (t) => {
  const window = new ReceiveWindow(elements, { window: 2, mailbox: 1 })
  window.greet('x', 1)
  for (const [index, weight] of [4, 4, 2].entries()) t.true(window.arrive(index + 1, weight))
  window.enqueue(20)
  t.false(window.acknowledge())
  window.dequeue(3)
  t.false(window.acknowledge())
  window.dequeue(1)
  t.true(window.acknowledge())
  t.is(window.acknowledged, 1)
  window.dequeue(16)
  t.true(window.acknowledge())
  t.is(window.acknowledged, 3)
})

test('a full window accepts nothing more, and neither does a full mailbox after any number of restarts', (t) => {
  const window = new ReceiveWindow(elements, { window: 2, mailbox: 1 })
  window.greet('x', 1)
  t.false(window.overflows(100), 'what is larger than the window comes alone')
  t.true(window.arrive(1, 11))
  t.false(window.overflows(9))
  t.true(window.overflows(10))
  for (let restart = 0; restart < 5; restart++) {
    window.greet(`${restart}`, 1)
    t.false(window.overflows(elements))
    window.enqueue(elements)
  }
  t.true(window.overflows(1))
  window.dequeue(elements)
  t.false(window.overflows(1))
  for (let message = 0; message < 1 << 14; message++) window.enqueue(0)
  t.true(window.overflows(1))
})

test('a sender of many short messages waits for their receiver, which refuses none', (t) => {
  const many = 20_000
  const whole = 100_000
  const queue = new SendQueue(whole, 8)
  const window = new ReceiveWindow(whole, { window: 2, mailbox: 1 })
  window.greet('x', queue.first)
  queue.resume({ received: 0, acknowledged: 0, window: 2 })
  for (let round = 0; round < many; round++) t.true(queue.offer(message(round, 1)))
  const send = () => {
    for (let next = queue.next(); next !== undefined; next = queue.next()) {
      if (window.overflows(1) || !window.arrive(next.sequence, 1)) throw new Error(`${next.sequence} was refused`)
      window.enqueue(1)
      if (window.acknowledge()) queue.acknowledge(window.acknowledged)
    }
  }
  t.notThrows(send)
  t.true(window.received < many, 'the rest waits')
  for (let taken = 0; taken < many; taken++) {
    window.dequeue(1)
    if (window.acknowledge()) queue.acknowledge(window.acknowledged)
    send()
  }
  t.deepEqual([window.received, window.acknowledged, queue.length], [many, many, 0])
})
