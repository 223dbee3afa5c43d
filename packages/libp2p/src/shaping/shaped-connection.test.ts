import { randomBytes } from 'node:crypto'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { eventually } from '../cluster.test.support.js'
import { collect, links, wires, write } from './wire.test.support.js'

test('bytes arrive in order and unchanged, no faster than the line and not before the latency', async (t) => {
  // 80 Mbit/s are 10,000 bytes per millisecond.
  const [{ near, far }] = await wires(t, links({ up: 80e6 }, { latency: 30, jitter: 10 }))
  const received = collect(far)
  const sent = randomBytes(2_000_000)
  const begin = performance.now()
  await write(near, sent, 100_000)
  await eventually('all bytes', () => received.size() === sent.byteLength)
  t.true(received.content().equals(sent))
  let size = 0
  for (const { bytes, at } of received.parts) {
    size += bytes.byteLength
    t.true(at - begin >= 30 + size / 10_000 - 0.01, `${size} bytes after ${at - begin} ms`)
  }
})

test('all bytes are sent when the system accepts less than is written', async (t) => {
  const [{ near, far }] = await wires(t, links({}))
  const received = collect(far)
  const sent = randomBytes(17_000_000)
  near.send(sent.slice(0, 16_000_000))
  for (let offset = 16_000_000; offset < sent.byteLength; offset += 1000) near.send(sent.slice(offset, offset + 1000))
  await eventually('all bytes', () => received.size() === sent.byteLength)
  t.true(received.content().equals(sent))
})

test('received bytes pass the down line, also if they were sent without shaping', async (t) => {
  const network = links({})
  const [{ near, far }] = await wires(t, {
    ...network,
    access: (peer) => ({ up: Infinity, down: peer === 'b' ? 40e6 : Infinity })
  })
  const received = collect(far)
  const begin = performance.now()
  await write(near, randomBytes(500_000), 50_000)
  await eventually('all bytes', () => received.size() === 500_000)
  t.true((received.parts.at(-1)?.at ?? 0) - begin >= 100 - 0.01)
})

test('two connections share the up line, and together take as long as one', async (t) => {
  const [one, two] = await wires(t, links({ up: 40e6 }), 2)
  const first = collect(one.far)
  const second = collect(two.far)
  const begin = performance.now()
  await Promise.all([write(one.near, randomBytes(400_000), 100_000), write(two.near, randomBytes(400_000), 100_000)])
  await eventually('all bytes', () => first.size() + second.size() === 800_000)
  t.true(performance.now() - begin >= 160 - 0.01)
})

test('back-pressure bounds the waiting bytes on both sides of a slow line', async (t) => {
  for (const line of [{ up: 20e6 }, { down: 20e6 }]) {
    const [{ near, far }] = await wires(t, links(line))
    const received = collect(far)
    let most = 0
    const writing = write(near, new Uint8Array(1_000_000), 16_384)
    await eventually('all bytes', () => {
      most = Math.max(most, near.writeBufferLength + near.out.load, far.in.load)
      return received.size() === 1_000_000
    })
    await writing
    t.true(most < 300_000, `${most} bytes`)
  }
})

test('a paused reader gets nothing, the writer is held back, and everything arrives after the pause', async (t) => {
  const [{ near, far }] = await wires(t, links({ up: 800e6 }))
  const received = collect(far)
  far.pause()
  const sent = randomBytes(16_000_000)
  let isWritten = false
  const writing = write(near, sent, 65_536).then(() => (isWritten = true))
  await eventually('a full buffer', () => far.in.waiting > 0 && near.writableNeedsDrain)
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.is(received.size(), 0)
  t.false(isWritten)
  t.true(far.in.load < 5_000_000)
  far.resume()
  await writing
  await eventually('all bytes', () => received.size() === sent.byteLength)
  t.true(received.content().equals(sent))
})

test('closing waits until all bytes are sent, and the other side gets them before the end', async (t) => {
  const [{ near, far }] = await wires(t, links({ up: 40e6, down: 40e6 }, { latency: 40 }))
  const received = collect(far)
  const closed = new Promise<number>((resolve) => far.addEventListener('close', () => resolve(received.size())))
  near.send(new Uint8Array(200_000))
  await near.close()
  t.is(near.out.load, 0)
  t.is(await closed, 200_000)
  t.is(near.status, 'closed')
  t.is(far.status, 'closed')
})

test.serial('Node warns of no leak when a peer with many connections waits until all bytes are sent', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const pairs = await wires(t, links({ up: 40e6 }), 12)
  for (const { near } of pairs) near.send(new Uint8Array(20_000))
  await pairs[0].shaper.flush(timeLimit(10_000))
  await new Promise((resolve) => setImmediate(resolve))
  for (const { near } of pairs) t.is(near.out.load, 0)
  t.deepEqual(warnings, [])
})

test('closing ends when its signal is aborted, and a reset arrives at once', async (t) => {
  const [{ near, far }] = await wires(t, links({ up: 1e6 }))
  near.send(new Uint8Array(1_000_000))
  await t.throwsAsync(near.close({ signal: AbortSignal.timeout(20) }), { any: true })
  near.abort(new Error('enough'))
  await eventually('the end at the other side', () => far.status !== 'open')
  t.is(near.status, 'aborted')
  t.is(near.out.load, 0)
})
