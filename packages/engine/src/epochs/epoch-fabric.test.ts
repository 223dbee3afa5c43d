import { type Envelope, EpochOverError, type Fabric, peerName, type Receiver } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { VectorMessage } from '@murmuration/wire'
import { complete } from '@murmuration/contract'
import test from 'ava'
import { EpochFabric } from './epoch-fabric.js'

const [a, b] = ['a', 'b'].map(peerName)

/** A fabric whose mailbox is filled by hand; it does not wait. */
class Mailbox {
  readonly arrived: Envelope<VectorMessage>[] = []
  readonly sent: VectorMessage[] = []
  recycled = 0
  woken = 0
  readonly fabric: Fabric<VectorMessage>

  constructor() {
    const receive = (_until?: number, receiver?: Receiver<VectorMessage>) => {
      for (;;) {
        const envelope = this.arrived.shift()
        if (envelope === undefined || receiver === undefined) return Promise.resolve(envelope)
        if (receiver.take(envelope) === undefined) return Promise.resolve(undefined)
      }
    }
    const members: Partial<Fabric<VectorMessage>> = {
      self: a,
      random: createRandom(1, 'peer'),
      receive,
      send: (_to, message) => {
        this.sent.push(message)
        return 'queued'
      },
      recycle: () => void this.recycled++,
      wake: () => void this.woken++
    }
    this.fabric = members as Fabric<VectorMessage>
  }

  put(epoch: number, kind: number, round = 0): void {
    const vector = new Float32Array(1)
    const message = { kind, round, vector, ...(epoch === 0 ? {} : { epoch }) }
    this.arrived.push({ from: b, message })
  }
}

const textOf = (envelope: Envelope<VectorMessage> | undefined) =>
  envelope && `${envelope.message.epoch ?? 0} ${envelope.message.kind} ${envelope.message.round}`

test('messages of an earlier epoch are dropped and recycled, those of later ones are kept for them', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  epochs.begin(3)
  const view = epochs.view('training')
  mailbox.put(2, 1)
  mailbox.put(0, 1)
  mailbox.put(4, 1, 9)
  mailbox.put(5, 1)
  mailbox.put(3, 1, 7)
  t.is(textOf(await view.receive()), '3 1 7')
  t.is(mailbox.recycled, 2, 'of epochs 2 and 0')
  t.is(await view.receive(), undefined)
  epochs.begin(4)
  const next = epochs.view('training')
  t.is(textOf(await next.receive()), '4 1 9')
  t.is(await next.receive(), undefined)
  t.is(mailbox.recycled, 2)
})

test('what was kept for an epoch that is skipped is dropped', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  mailbox.put(1, 1)
  t.is(await epochs.view('training').receive(), undefined)
  epochs.begin(2)
  t.is(await epochs.view('training').receive(), undefined)
  t.is(mailbox.recycled, 1)
})

test('epochs are counted modulo 65,536', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  epochs.begin(65_535)
  mailbox.put(65_534, 1)
  mailbox.put(0, 1, 5)
  t.is(await epochs.view('training').receive(), undefined)
  t.is(mailbox.recycled, 1)
  epochs.begin(65_536)
  t.is(textOf(await epochs.view('training').receive()), '0 1 5')
  epochs.view('training').send(b, { kind: 1, round: 0, vector: new Float32Array(1) })
  t.is(mailbox.sent[0].epoch, 0)
})

test('the parts of an epoch are apart: each has its own kinds, and keeps the messages of the others', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  epochs.begin(1)
  const [training, opening, closing] = (['training', 'opening', 'closing'] as const).map((part) => epochs.view(part))
  for (const view of [training, opening, closing]) view.send(b, { kind: 2, round: 0, vector: new Float32Array(1) })
  t.deepEqual(
    mailbox.sent.map(({ epoch, kind }) => [epoch, kind]),
    [
      [1, 2],
      [1, 130],
      [1, 194]
    ]
  )
  for (const message of mailbox.sent) mailbox.arrived.push({ from: b, message })
  for (const view of [closing, opening, training]) t.is(textOf(await view.receive()), '1 2 0')
  t.is(await training.receive(), undefined)
  t.is(mailbox.recycled, 0)
})

test('in epoch 0 training sends what it would send without epochs', (t) => {
  const mailbox = new Mailbox()
  const message = { kind: 1, round: 0, vector: new Float32Array(1) }
  const view = new EpochFabric(mailbox.fabric).view('training')
  view.send(b, message)
  t.is(mailbox.sent[0], message)
  t.is(view.random, mailbox.fabric.random)
})

test('once an epoch is over its waits fail, also those with a receiver, and what arrives is dropped', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  const view = epochs.view('training')
  t.false(epochs.isOver)
  epochs.end()
  epochs.end()
  t.true(epochs.isOver)
  t.is(mailbox.woken, 1)
  mailbox.put(0, 1)
  mailbox.put(1, 1, 4)
  await t.throwsAsync(async () => view.receive(), { instanceOf: EpochOverError })
  await t.throwsAsync(async () => view.receive(10, { take: () => 10 }), { instanceOf: EpochOverError })
  t.throws(() => epochs.check(), { instanceOf: EpochOverError })
  await epochs.wait(1)
  await epochs.wait(1)
  t.is(mailbox.recycled, 1, 'of epoch 0')
  epochs.begin(1)
  epochs.check()
  t.is(textOf(await epochs.view('training').receive()), '1 1 4')
})

test('a receiver takes the messages of its part alone, the kept ones first, until it has enough', async (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  const view = epochs.view('training')
  mailbox.put(0, 130)
  mailbox.put(1, 1)
  mailbox.put(0, 1, 1)
  mailbox.put(0, 1, 2)
  mailbox.put(0, 1, 3)
  const taken: number[] = []
  const receiver = {
    take: ({ message }: Envelope<VectorMessage>) => (taken.push(message.round) === 2 ? undefined : 10)
  }
  t.is(await view.receive(10, receiver), undefined)
  t.deepEqual(taken, [1, 2])
  t.is(textOf(await epochs.view('opening').receive()), '0 2 0')
  t.is(textOf(await view.receive(10, receiver)) ?? 'none', 'none')
  t.deepEqual(taken, [1, 2, 3])
})

test('an epoch has its own random numbers, but for batches, which continue', (t) => {
  const mailbox = new Mailbox()
  const epochs = new EpochFabric(mailbox.fabric)
  const drawn = (purpose: string) => {
    const random = epochs.view('training').random.stream(purpose)
    return [random.uniform(), random.uniform()].join()
  }
  const first = [drawn('batches'), drawn('masks')]
  epochs.begin(1)
  const second = [drawn('batches'), drawn('masks')]
  epochs.begin(2)
  const third = [drawn('batches'), drawn('masks')]
  t.is(first[0], second[0])
  t.is(first[0], third[0])
  t.is(new Set([first[1], second[1], third[1]]).size, 3)
})

test('the rows are those of the epoch’s graph; without one there are none', (t) => {
  const epochs = new EpochFabric(new Mailbox().fabric)
  const graph = complete('a', 'b')
  t.is(epochs.view('training', graph).neighbours(0).selfWeight, 0.5)
  t.throws(() => epochs.view('training').neighbours(0), { message: /a has no row in the topology of epoch 0/ })
  epochs.begin(2)
  t.throws(() => epochs.begin(1), { message: /epoch 1 after 2/ })
})
