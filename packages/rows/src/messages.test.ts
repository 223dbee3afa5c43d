import fc from 'fast-check'
import test from 'ava'
import { CopiesElsewhere } from './copies-elsewhere.js'
import { InOrder } from './in-order.js'
import { IntentKeyServer } from './intent-key-server.js'
import { homeOf, KeyServer, type KeySetting } from './key-server.js'
import { type KeyMessage, messageOf, messageTypes, noKeys, noValues, ticksPerPhase, vectorOf } from './messages.js'
import { RelocatingKeyServer } from './relocating-key-server.js'
import { StaleKeyServer } from './stale-key-server.js'

type Opened = (setting: KeySetting, start: Float32Array) => KeyServer
const stale = (synchronisation: 'client' | 'server'): Opened => {
  return (setting, start) => new StaleKeyServer(setting, () => {}, start, { staleness: 1, synchronisation })
}
const servers: readonly Opened[] = [
  (setting, start) => new KeyServer(setting, () => {}, start),
  (setting, start) => new RelocatingKeyServer(setting, () => {}, start),
  (setting, start) => new IntentKeyServer(setting, () => {}, start, { every: 1 }),
  stale('client'),
  stale('server')
]

const space = { count: 50, width: 3, peers: 4 }
const finite = fc.float({ noNaN: true, noDefaultInfinity: true })
const small = fc.float({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 55), max: 2 ** 55 })
const keys = fc.uniqueArray(fc.nat(space.count - 1), { minLength: 1, maxLength: 9 })
const sorted = (list: readonly number[]) => Uint32Array.from(list).sort()

test('a message comes out of a vector as it went in, and its vector is finite', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...messageTypes),
      keys,
      fc.nat(3),
      fc.nat(),
      fc.infiniteStream(small),
      fc.option(fc.record({ order: fc.maxSafeNat(), clock: fc.nat(8 * ticksPerPhase) }), { nil: undefined }),
      (type, list, origin, id, numbers, timing) => {
        const own = type === 'reached' || type === 'flushed' ? new Uint32Array(0) : sorted(list)
        const hasValues = ['push', 'pulled', 'moved', 'flush', 'refresh', 'sync', 'synced'].includes(type)
        const values = Float32Array.from([...numbers.take(hasValues ? own.length * space.width : 0)])
        const message: KeyMessage = { type, origin, id, keys: own, values, ...(timing && { timing }) }
        const vector = vectorOf(message, 7)
        t.true(vector.vector.every(Number.isFinite))
        t.is(vector.round, 7)
        t.deepEqual(messageOf(vector, space), message)
      }
    )
  )
})

test('the largest keys travel as finite numbers', (t) => {
  const first = 2 ** 23 - 1
  const last = 2 ** 31 - 2 ** 23 - 1
  const message: KeyMessage = { type: 'pull', origin: 0, id: 0, keys: Uint32Array.of(first, last), values: noValues }
  const vector = vectorOf(message, 0)
  t.true(vector.vector.every(Number.isFinite))
  t.deepEqual(messageOf(vector, { ...space, count: 2 ** 31 - 2 ** 23 }), message)
})

test('whatever comes from the wire is a message or is refused in words, and a server takes it or says what is wrong', (t) => {
  const anything = fc.record({
    kind: fc.nat(messageTypes.length),
    round: fc.nat(3),
    numbers: fc.oneof(
      fc.tuple(fc.nat(3), fc.nat(2)),
      fc.tuple(fc.nat(3), fc.nat(2), fc.nat(4), fc.nat(3)),
      fc.array(finite, { maxLength: 3 })
    ),
    bits: fc.array(fc.oneof(fc.nat(8), fc.nat(0x7f7fffff)), { maxLength: 8 })
  })
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 12 }), fc.constantFrom(...servers), (list, open) => {
      const start = new Float32Array(space.count * space.width)
      const server = open({ ...space, self: 1, holders: 4 }, start)
      server.pull(Uint32Array.of(0, 1, 2, 3, 4), new Float32Array(15))
      server.localize(Uint32Array.of(5, 6, 7))
      server.intend(Uint32Array.of(8, 9), 0, 1)
      server.push(Uint32Array.of(0, 1, 2, 3, 4), new Float32Array(15))
      server.tick(0)
      for (const { bits, ...head } of list) {
        const message = messageOf({ ...head, vector: new Float32Array(Uint32Array.from(bits).buffer) }, space)
        if (typeof message === 'string') t.true(message.length > 0)
        else if (message.type !== 'reached') t.not(server.receive(2, message), '')
      }
    }),
    { numRuns: 1000 }
  )
})

test('whatever is added to a row, however often, its sums are numbers, and what is too large is its sender’s fault', (t) => {
  const anySize = fc.tuple(fc.boolean(), fc.double({ min: -40, max: 38.5, noNaN: true })).map(([isPositive, power]) => {
    return (isPositive ? 1 : -1) * Math.fround(10 ** power)
  })
  fc.assert(
    fc.property(fc.array(anySize, { minLength: 1, maxLength: 20 }), (sizes) => {
      const server = new KeyServer({ ...space, self: 1, holders: 4 }, () => {}, new Float32Array(150))
      const [key] = server.held().keys
      for (const size of [...sizes, ...sizes, ...sizes]) {
        const values = new Float32Array(space.width).fill(size)
        const push: KeyMessage = { type: 'push', origin: 2, id: 0, keys: Uint32Array.of(key), values }
        const message = messageOf(vectorOf(push, 0), space)
        t.is(typeof message === 'string', !(Math.abs(size) < 2 ** 56))
        if (typeof message !== 'string') t.is(server.receive(2, message), undefined)
      }
      // What an honest server sends of it is taken.
      const values = server.held().rows.slice(0, space.width)
      const pulled: KeyMessage = { type: 'pulled', origin: 2, id: 0, keys: Uint32Array.of(key), values }
      t.is(typeof messageOf(vectorOf(pulled, 0), space), 'object')
    })
  )
})

test('clocks belong to the phase of their message', (t) => {
  const of = (clock: number, phase: number) => {
    const timing = { order: 0, clock }
    return typeof messageOf(
      vectorOf({ type: 'flushed', origin: 0, id: 0, keys: noKeys, values: noValues, timing }, phase),
      space
    )
  }
  t.deepEqual(
    [of(0, 0), of(ticksPerPhase, 0), of(ticksPerPhase + 1, 0), of(2 ** 52, 1)],
    ['object', 'object', 'string', 'string']
  )
})

test('a request in the name of its receiver changes nothing and ends nothing', (t) => {
  const server = new KeyServer({ ...space, self: 1, holders: 4 }, () => {}, new Float32Array(150))
  const { keys } = server.held()
  const [own] = keys
  const message = messageOf(
    { kind: 0, round: 0, numbers: [1, 0], vector: new Float32Array(Uint32Array.of(own).buffer) },
    space
  )
  if (typeof message === 'string') return t.fail(message)
  t.notThrows(() => server.receive(2, message))
  t.deepEqual(server.held().keys, keys)
  t.is(server.ended, 0)
})

test('where rows stay, nobody asks in the name of a third', (t) => {
  const sent: number[] = []
  const server = new KeyServer({ ...space, self: 1, holders: 4 }, (to) => void sent.push(to), new Float32Array(150))
  const request = { type: 'pull', origin: 0, id: 7, keys: server.held().keys.slice(0, 1), values: noValues } as const
  t.is(server.receive(2, request), 'a message of pull in the name of another peer')
  t.deepEqual(sent, [])
  t.is(server.receive(0, request), undefined)
  t.deepEqual(sent, [0])
})

test('all rows of a large table can be asked for at once where rows move', (t) => {
  const count = 140_000
  const sent: KeyMessage[] = []
  const setting = { count, width: 1, peers: 2, self: 0, holders: 2 }
  const server = new RelocatingKeyServer(setting, (_, message) => void sent.push(message), new Float32Array(count))
  const { keys } = server.held()
  t.true(keys.length > 1 << 16)
  t.is(server.receive(1, { type: 'pull', origin: 1, id: 0, keys, values: noValues }), undefined)
  t.is(
    sent.reduce((sum, message) => sum + message.keys.length, 0),
    keys.length
  )
})

test('what a peer asks of its own table waits for the clocks, however much it is', (t) => {
  const count = 70_000
  const setting = { count, width: 1, peers: 2, self: 0, holders: 1, workers: 2 }
  const options = { staleness: 0, synchronisation: 'client' } as const
  const server = new StaleKeyServer(setting, () => {}, new Float32Array(count), options)
  server.tick(0)
  const operation = server.pull(
    Uint32Array.from({ length: count }, (_, key) => key),
    new Float32Array(count),
    0
  )
  t.true(operation.open > 0)
  server.tick(1)
  const timing = { order: 0, clock: 1 }
  server.receive(1, { type: 'flush', origin: 1, id: 0, keys: noKeys, values: noValues, timing })
  t.is(operation.open, 0)
})

test('requests of one peer that wait for the clocks take no room of another’s, and their room is free once they are answered', (t) => {
  const setting = { count: 1024, width: 1, peers: 3, self: 0, holders: 1 }
  const options = { staleness: 0, synchronisation: 'client' } as const
  const answered = [0, 0, 0]
  const count = (to: number, { type, keys }: KeyMessage) => void (answered[to] += type === 'pulled' ? keys.length : 0)
  const server = new StaleKeyServer(setting, count, new Float32Array(1024), options)
  const all = Uint32Array.from({ length: 1024 }, (_, key) => key)
  const orders = [0, 0, 0]
  const send = (from: number, type: 'pull' | 'flush', keys: Uint32Array, clock: number) =>
    server.receive(from, {
      type,
      origin: from,
      id: 0,
      keys,
      values: noValues,
      timing: { order: orders[from]++, clock }
    })
  const asked = () => Array.from({ length: 65 }, () => send(1, 'pull', all, 1)).map((problem) => problem === undefined)
  t.deepEqual(asked(), [...Array<boolean>(64).fill(true), false])
  t.is(send(2, 'pull', all, 1), undefined)
  server.tick(0)
  for (const from of [1, 2]) send(from, 'flush', noKeys, 1)
  t.deepEqual(answered, [0, 64 * 1024, 1024])
  t.is(send(1, 'pull', all, 2), undefined)
})

/** A home of all rows that others have copies of, and what it has sent. */
function staleHome(count: number, synchronisation: 'client' | 'server', keysPerMessage?: number) {
  const sent: (readonly [to: number, message: KeyMessage])[] = []
  const setting = { count, width: 1, peers: 3, self: 0, holders: 1, ...(keysPerMessage && { keysPerMessage }) }
  const start = Float32Array.from({ length: count }, (_, key) => 10 * key)
  const send = (to: number, message: KeyMessage) => void sent.push([to, message])
  const server = new StaleKeyServer(setting, send, start, { staleness: 0, synchronisation })
  const orders = [0, 0, 0]
  const give = (from: number, type: 'pull' | 'flush', clock: number, keys: Uint32Array, values = noValues, id = 0) =>
    server.receive(from, { type, origin: from, id, keys, values, timing: { order: orders[from]++, clock } })
  return { server, sent, start, setting, give }
}

test('requests that wait for a clock are answered in the order in which they came, and those for a later one wait on', (t) => {
  const { server, sent, give } = staleHome(4, 'client')
  const key = Uint32Array.of(2)
  for (const [from, clock, id] of [
    [2, 1, 8],
    [1, 1, 5],
    [1, 2, 6],
    [2, 1, 9],
    [1, 1, 7]
  ]) {
    t.is(give(from, 'pull', clock, key, noValues, id), undefined)
  }
  const answered = () =>
    sent.splice(0).flatMap(([to, { type, id, values }]) => (type === 'pulled' ? [[to, id, ...values]] : []))
  server.tick(0)
  give(1, 'flush', 1, key, Float32Array.of(1))
  t.deepEqual(answered(), [])
  give(2, 'flush', 1, key, Float32Array.of(2))
  t.deepEqual(answered(), [
    [2, 8, 23],
    [1, 5, 23],
    [2, 9, 23],
    [1, 7, 23]
  ])
  server.tick(0)
  give(1, 'flush', 2, noKeys)
  give(2, 'flush', 2, key, Float32Array.of(4))
  t.deepEqual(answered(), [[1, 6, 27]])
})

test('requests that wait for a row are served in the order in which they came', (t) => {
  const setting = { count: 4, width: 1, peers: 4, self: 0, holders: 2 }
  const sent: unknown[] = []
  const send = (to: number, { type, id, values }: KeyMessage) => void sent.push([to, type, id, ...values])
  const server = new RelocatingKeyServer(setting, send, new Float32Array(4))
  const key = Uint32Array.from([0, 1, 2, 3].filter((each) => homeOf(each, 2) === 1).slice(0, 1))
  const { id } = server.localize(key)
  const give = (from: number, type: KeyMessage['type'], request: number, values = noValues, origin = from) =>
    server.receive(from, { type, origin, id: request, keys: key, values })
  give(2, 'pull', 1)
  give(3, 'push', 2, Float32Array.of(4))
  give(3, 'pull', 3)
  give(2, 'push', 4, Float32Array.of(0.5))
  give(1, 'relocate', 5, noValues, 3)
  give(2, 'pull', 6)
  sent.length = 0
  give(1, 'moved', id, Float32Array.of(10), 0)
  t.deepEqual(sent, [
    [2, 'pulled', 1, 10],
    [3, 'pushed', 2],
    [3, 'pulled', 3, 14],
    [2, 'pushed', 4],
    [3, 'moved', 5, 14.5],
    // The row is gone: its home knows where it is.
    [1, 'pull', 6]
  ])
})

test('copies are refreshed after as many ticks as the option says, with what was added until then', (t) => {
  const setting = { count: 4, width: 1, peers: 2, self: 0, holders: 2 }
  const sent: unknown[] = []
  const send = (to: number, { type, values }: KeyMessage) => void sent.push([to, type, ...values])
  const server = new IntentKeyServer(setting, send, new Float32Array(4), { every: 3 })
  const key = Uint32Array.from([0, 1, 2, 3].filter((each) => homeOf(each, 2) === 1).slice(0, 1))
  const { id } = server.intend(key, 0, 99)
  server.receive(1, { type: 'synced', origin: 0, id, keys: key, values: Float32Array.of(10) })
  const after = [1, 2, 4, 8, 16, 32].map((added) => {
    server.push(key, Float32Array.of(added))
    sent.length = 0
    server.tick(0)
    return [...sent]
  })
  // The second refresh waits for the answer to the first.
  t.deepEqual(after, [[], [], [[1, 'sync', 7]], [], [], []])
  const out = new Float32Array(1)
  server.pull(key, out)
  t.deepEqual([...out], [10 + 63])
})

test('a home refreshes the rows that others have changed since a peer was sent them, once', (t) => {
  const copies = new CopiesElsewhere(3)
  copies.add(Uint32Array.of(1, 2, 3), 1)
  copies.add(Uint32Array.of(2), 2)
  for (const key of [3, 1, 2]) copies.change(key, 2)
  copies.change(0, 2)
  copies.add(Uint32Array.of(1), 1)
  t.deepEqual([...copies.takeChanged(1)], [2, 3])
  t.deepEqual([...copies.takeChanged(1)], [])
  t.deepEqual([...copies.takeChanged(2)], [], 'who has added has the change already')
  copies.change(2, 1)
  t.deepEqual([...copies.takeChanged(2)], [2])
})

test('of a flush and a refresh in several parts only the last one has the new clock: no read is served before all are there (Ho 2013)', (t) => {
  const { server, sent, start, setting, give } = staleHome(5, 'server', 2)
  const all = Uint32Array.of(0, 1, 2, 3, 4)
  const toHome: (typeof sent)[number][] = []
  const send = (to: number, message: KeyMessage) => void toHome.push([to, message])
  const options = { staleness: 0, synchronisation: 'server' } as const
  const reader = new StaleKeyServer({ ...setting, self: 1 }, send, start, options)
  /** Delivers the next messages of one server to the other; those to others are dropped. */
  const deliver = (from: number, count: number) => {
    const [queue, receiver] = from === 0 ? [sent, reader] : [toHome, server]
    for (const [to, message] of queue.splice(0, count))
      if (to === 1 - from) t.is(receiver.receive(from, message), undefined)
  }
  const read = () => {
    const out = new Float32Array(5)
    return { out, operation: reader.pull(all, out) }
  }
  const first = read()
  deliver(1, Infinity)
  deliver(0, Infinity)
  t.deepEqual([...first.out], [0, 10, 20, 30, 40])
  // The reader and peer 2 add to all rows, and all go to the next clock.
  reader.push(all, Float32Array.of(1, 1, 1, 1, 1))
  reader.tick(0)
  server.tick(0)
  give(2, 'flush', 1, all, Float32Array.of(5, 5, 5, 5, 5))
  t.is(toHome.length, 3)
  sent.length = 0
  deliver(1, 2)
  t.deepEqual(
    sent.map(([, { type }]) => type),
    ['flushed', 'flushed'],
    'two of three parts are there, and no copy is refreshed'
  )
  deliver(1, 1)
  const toReader = sent.splice(0).filter(([to]) => to === 1)
  t.deepEqual(
    toReader.map(([, { type }]) => type),
    ['flushed', 'flushed', 'flushed', 'refresh', 'refresh', 'refresh']
  )
  const second = read()
  t.is(second.operation.open, 5)
  sent.push(...toReader)
  deliver(0, 5)
  t.true(second.operation.open > 0, 'the last part is not there')
  deliver(0, 1)
  t.is(second.operation.open, 0)
  t.deepEqual([...second.out], [6, 16, 26, 36, 46])
})

test('requests of one peer that wait for a row take no room of another’s, and their room is free once the row is here', (t) => {
  const setting = { count: 1024, width: 1, peers: 4, self: 0, holders: 2 }
  const answered = [0, 0, 0, 0]
  const count = (to: number, { type, keys }: KeyMessage) => void (answered[to] += type === 'pulled' ? keys.length : 0)
  const server = new RelocatingKeyServer(setting, count, new Float32Array(1024))
  const away = Uint32Array.from({ length: 1024 }, (_, key) => key).filter((key) => !server.held().keys.includes(key))
  const { id } = server.localize(away)
  const most = Math.floor((1 << 16) / away.length)
  const pull = (from: number, origin: number) =>
    server.receive(from, { type: 'pull', origin, id: 0, keys: away, values: noValues })
  // The origin is only claimed: a request in another's name is in the room of its sender.
  for (let n = 0; n < most; n++) t.is(pull(2, n % 2 === 0 ? 2 : 3), undefined)
  t.regex(pull(2, 2) ?? '', /more than 65536 requests/)
  // One that it may have forwarded is dropped, and is not its fault.
  t.is(pull(2, 3), undefined)
  t.is(pull(3, 3), undefined)
  t.is(pull(1, 2), undefined)
  server.receive(1, { type: 'moved', origin: 0, id, keys: away, values: new Float32Array(away.length) })
  const asked = [0, 0, Math.ceil(most / 2) + 1, Math.floor(most / 2) + 1]
  t.deepEqual(
    answered,
    asked.map((times) => times * away.length)
  )
})

test('copies that one peer asks for while the row is on its way here are bounded', (t) => {
  const setting = { count: 4, width: 1, peers: 3, self: 0, holders: 1 }
  const server = new IntentKeyServer(setting, () => {}, new Float32Array(4), { every: 1 })
  const key = Uint32Array.of(0)
  const give = (type: KeyMessage['type'], from: number, id = 0, values = noValues) =>
    server.receive(from, { type, origin: type === 'moved' ? 0 : from, id, keys: key, values })
  const intended = () => Array.from({ length: (1 << 16) + 1 }, () => give('intend', 2) === undefined)
  give('intend', 1)
  give('unintend', 1)
  const { id } = server.intend(key, 0, 1)
  // The row is on its way here: a peer that intends to use it again and again waits for as many copies.
  t.is(intended().filter(Boolean).length, 1 << 16)
  t.is(give('pull', 1), undefined)
  t.is(give('moved', 1, id, Float32Array.of(1)), undefined)
  t.is(give('intend', 2), undefined)
})

test('answers and rows that nobody asked for change nothing, and are no faults, since a third may have caused them', (t) => {
  const setting = { count: 4, width: 1, peers: 3, self: 0, holders: 3 }
  const sent: string[] = []
  const send = (to: number, { type, origin, keys }: KeyMessage) => void sent.push(`${type} ${origin} ${keys} to ${to}`)
  const start = Float32Array.of(1, 2, 3, 4)
  for (const server of [
    new RelocatingKeyServer(setting, send, start),
    new IntentKeyServer(setting, send, start, { every: 1 })
  ]) {
    sent.length = 0
    const before = server.held()
    const [own] = before.keys
    const other = [0, 1, 2, 3].find((key) => homeOf(key, 3) === 1) ?? -1
    const about = (type: KeyMessage['type'], key: number, values: Float32Array = noValues, origin = 0) =>
      server.receive(2, { type, origin, id: 0, keys: Uint32Array.of(key), values })
    t.is(about('pulled', own, Float32Array.of(9)), undefined)
    t.is(about('pulled', other, Float32Array.of(9)), undefined)
    if (server instanceof IntentKeyServer) t.is(about('synced', own, Float32Array.of(9)), undefined)
    t.regex(about('relocate', own) ?? '', /whose row is not here|not the home/)
    t.regex(about('localize', own) ?? '', /in the name of another peer/)
    // A row goes home, and says from where.
    t.is(about('moved', other, Float32Array.of(9)), undefined)
    t.deepEqual(sent, [`moved 2 ${other} to 1`])
    t.regex(about('moved', other, Float32Array.of(9), 1) ?? '', /neither for this peer nor at home/)
    t.is(about('moved', own, Float32Array.of(9)), undefined)
    t.deepEqual(server.held(), before)
    // An answer that was not asked for does not say where a row is.
    server.pull(Uint32Array.of(other), new Float32Array(1))
    t.deepEqual(sent.slice(1), [`pull 0 ${other} to 1`])
  }
})

/**
 * Three peers that hold four rows of one number each, what is under way between them, and a row whose home is the
 * third.
 */
function threeHolders() {
  const setting = { count: 4, width: 1, peers: 3, holders: 3 }
  const start = Float32Array.of(1, 2, 3, 4)
  const queue: (readonly [from: number, to: number, message: KeyMessage])[] = []
  const servers = [0, 1, 2].map(
    (self) =>
      new RelocatingKeyServer({ ...setting, self }, (to, message) => void queue.push([self, to, message]), start)
  )
  const key = [0, 1, 2, 3].find((each) => homeOf(each, 3) === 2) ?? -1
  const keys = Uint32Array.of(key)
  return { start, queue, servers, key, keys }
}

test('a row that was sent to a peer that had not asked for it is at home again, and nowhere else', (t) => {
  const { start, queue, servers, key, keys } = threeHolders()
  const faults: string[] = []
  const deliver = () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [from, to, message] = next
      const problem = servers[to].receive(from, message)
      if (problem !== undefined) faults.push(`${to} of ${from}: ${problem}`)
    }
  }
  servers[0].localize(keys)
  deliver()
  t.true(servers[0].held().keys.includes(key))
  // The home says to the holder that peer 1 has asked for the row.
  queue.push([2, 0, { type: 'relocate', origin: 1, id: 7, keys, values: noValues }])
  deliver()
  t.deepEqual(
    servers.map((server) => server.held().keys.includes(key)),
    [false, false, true]
  )
  const out = new Float32Array(1)
  t.is(servers[0].pull(keys, out).open, 1)
  deliver()
  t.deepEqual([...out], [start[key]])
  t.deepEqual(faults, [])
})

test('a request for a row that its holder has no more goes round a limited number of times, which is a fault of the holder', (t) => {
  const { queue, servers, keys } = threeHolders()
  const faults: string[] = []
  servers[1].localize(keys)
  const pulled = () => servers[0].pull(keys, new Float32Array(1))
  let steps = 0
  for (let next = queue.shift(); next !== undefined && steps < 1000; next = queue.shift(), steps++) {
    const [from, to, message] = next
    // The row is lost on its way to peer 1, which says that it has not asked for it.
    if (message.type === 'moved') pulled()
    else if (message.type === 'pull' && to === 1) queue.push([1, 2, message])
    else if (servers[to].receive(from, message) !== undefined) faults.push(`${to} of ${from}`)
  }
  t.true(steps < 200)
  t.deepEqual(faults, ['2 of 1'])
})

test('messages are taken in the order in which they were sent, once each, and those that come early are bounded', (t) => {
  const inOrder = new InOrder(2, 10)
  const message = (order: number): KeyMessage => {
    return { type: 'flushed', origin: 1, id: 0, keys: noKeys, values: noValues, timing: { order, clock: 0 } }
  }
  const taken = (order: number) => {
    const due = inOrder.take(1, message(order))
    return typeof due === 'string' ? due : due.map(({ timing }) => timing?.order)
  }
  t.deepEqual([taken(2), taken(1), taken(0), taken(3)], [[], [], [0, 1, 2], [3]])
  t.regex(String(taken(3)), /duplicate/)
  for (let order = 5; order < 15; order++) t.deepEqual(taken(order), [])
  t.regex(String(taken(15)), /no room for more/)
  t.deepEqual(taken(4), [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
})
