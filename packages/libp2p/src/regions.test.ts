import { InputError, NeighboursMissingError, peerName, StoppedError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type Bird, connectAll, eventually, flock, graph } from './flock.test.support.js'
import { relayOf } from './relay.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)
const schema = [
  { name: 'kernel', shape: [2, 2] },
  { name: 'bias', shape: [2] }
]

async function pair(t: ExecutionContext): Promise<[Bird, Bird]> {
  const [left, right] = await flock(t, graph(['a', 'b']))
  await connectAll([left, right])
  return [left, right]
}

/** Waits for a version of a region, and returns its numbers. */
async function seen(region: ReturnType<ReturnType<Bird['peer']['regions']>['register']>, version: number) {
  await eventually(`version ${version}`, () => region.version >= version)
  const { vector } = region.lend()
  region.release()
  return [...vector]
}

test('a neighbour writes tensors by their place, and its writing is done when all of the version is there', async (t) => {
  const [left, right] = await pair(t)
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema)
  await remote.write(
    1,
    { offset: 0, vector: Float32Array.of(1, 2, 3, 4) },
    { offset: 4, vector: Float32Array.of(5, 6) }
  )
  t.deepEqual(await seen(region, 1), [1, 2, 3, 4, 5, 6])
  await remote.write(2, { offset: 4, vector: Float32Array.of(7, 8) })
  t.deepEqual(await seen(region, 2), [1, 2, 3, 4, 7, 8])
})

test('a neighbour reads a whole version without any doing of its owner, now or when there is one', async (t) => {
  const [left, right] = await pair(t)
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema)
  t.deepEqual([...(await remote.read()).vector], [0, 0, 0, 0, 0, 0])
  const later = remote.read({ version: 2 })
  region.publish(1, Float32Array.of(1, 1, 1, 1, 1, 1))
  // What was read first is lent until its reader has acknowledged it.
  await eventually('room', () => region.publish(2, Float32Array.of(2, 2, 2, 2, 2, 2)))
  const out = new Float32Array(6)
  t.like(await later, { version: 2 })
  t.is((await remote.read({ out })).vector, out)
  t.deepEqual([...out], [2, 2, 2, 2, 2, 2])
})

test('the writer is held back while the reader looks, and goes on when it has looked', async (t) => {
  const [left, right] = await pair(t)
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema)
  const all = (value: number) => ({ offset: 0, vector: new Float32Array(6).fill(value) })
  await remote.write(1, all(1))
  const { vector } = region.lend()
  let done = 0
  const writes = [2, 3, 4].map((version) => remote.write(version, all(version)).then(() => done++))
  await eventually('a version that waits', () => region.full)
  await right.peer.roundTrip(a)
  t.deepEqual([done, region.version, ...vector], [0, 1, 1, 1, 1, 1, 1, 1])
  region.release()
  await Promise.all(writes)
  t.deepEqual(await seen(region, 4), [4, 4, 4, 4, 4, 4])
})

test('vectors in regions and in messages do not get into each other’s way, with a codec too', async (t) => {
  const [left, right] = await flock(t, graph(['a', 'b']), { codec: 'delta-int8' })
  await connectAll([left, right])
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema)
  for (let round = 1; round < 20; round++) {
    right.peer.fabric.send(a, { kind: 0, round, vector: new Float32Array(8).fill(round) })
    await remote.write(round, { offset: 0, vector: Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, round) })
    const { vector } = (await left.peer.fabric.receive())?.message ?? t.fail()
    t.true(vector.every((value) => Math.abs(value - round) < 0.1))
    t.deepEqual(await seen(region, round), [...Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, round)])
  }
})

test('regions survive a connection that is cut: what was written arrives, what was asked for is answered', async (t) => {
  const birds = await flock(t, graph(['a', 'b']))
  const relays = await Promise.all(birds.map((each) => relayOf(t, each)))
  await Promise.all(
    birds.map(({ peer }) =>
      peer.connect(
        relays.map(({ entry }) => entry),
        10_000
      )
    )
  )
  const [left, right] = birds
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema)
  const waiting = remote.read({ version: 30 })
  for (let version = 1; version <= 30; version++) {
    if (version % 7 === 0) for (const relay of relays) relay.cut()
    await remote.write(version, { offset: 0, vector: new Float32Array(6).fill(version) })
    t.is(region.version, version)
  }
  t.deepEqual([...(await waiting).vector], [30, 30, 30, 30, 30, 30])
})

test('an answer that comes too late, and a version that is none, are passed over, and the link goes on', async (t) => {
  const [left, right] = await pair(t)
  const region = left.peer.regions(b).register('parameters', schema)
  const remote = right.peer.regions(a).remote('parameters', schema, 400)
  await t.throwsAsync(remote.read({ version: 1, out: new Float32Array(6) }), { instanceOf: NeighboursMissingError })
  const late = right.peer.regions(a).remote('parameters', schema, 1)
  for (let k = 0; k < 5; k++) await late.read().catch(() => {})
  region.publish(5, new Float32Array(6).fill(5))
  await right.peer
    .regions(a)
    .remote('parameters', schema)
    .write(3, { offset: 0, vector: new Float32Array(6) })
  left.peer.fabric.send(b, { kind: 0, round: 7, vector: new Float32Array(8) })
  right.peer.fabric.send(a, { kind: 0, round: 8, vector: new Float32Array(8) })
  t.is((await right.peer.fabric.receive())?.message.round, 7)
  t.is((await left.peer.fabric.receive())?.message.round, 8)
  t.deepEqual(await seen(region, 5), [5, 5, 5, 5, 5, 5])
  for (const { events } of [left, right]) t.false(events.some(({ kind }) => kind === 'reconnecting'))
  await t.throwsAsync(remote.write(9, { offset: 4, vector: new Float32Array(3) }), { instanceOf: RangeError })
  await t.throwsAsync(remote.write(9), { instanceOf: RangeError })
})

test('waits have an end that names who is missing, for what; and schemas that differ are told', async (t) => {
  const [left, right] = await pair(t)
  const unknown = right.peer.regions(a).remote('parameters', schema, 50)
  const missing = { instanceOf: NeighboursMissingError }
  await t.throwsAsync(unknown.read(), { ...missing, message: /b waited for a in vain, for registering "parameters"/ })
  left.peer.regions(b).register('parameters', schema)
  const never = right.peer.regions(a).remote('parameters', schema, 300)
  await t.throwsAsync(never.read({ version: 9 }), { message: /version 9/ })
  const other = right.peer.regions(a).remote('parameters', [{ name: 'kernel', shape: [6] }])
  await t.throwsAsync(other.read(), {
    instanceOf: InputError,
    message: /"kernel" \[6\] here and "kernel" \[2, 2\] there/
  })
  await t.throwsAsync(never.read({ out: new Float32Array(5) }), { instanceOf: RangeError })
  t.throws(() => left.peer.regions(peerName('z')), { instanceOf: RangeError, message: /"z" is no neighbour of "a"/ })
  t.throws(() => left.peer.regions(b).register('parameters', schema), { message: /registered already/ })
  const waiting = right.peer.regions(a).remote('elsewhere', schema).read()
  const stopped = t.throwsAsync(waiting, { instanceOf: StoppedError })
  await right.peer.close()
  await stopped
})
