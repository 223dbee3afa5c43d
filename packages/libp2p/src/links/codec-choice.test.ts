import { InputError, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { CodecChoice, decoderOf } from './codec-choice.js'
import { testNode, connectAll, graph } from '../cluster.test.support.js'
import { LinkSpeed } from '../vectors/link-speed.js'

const [, b] = ['a', 'b'].map(peerName)
const edge = graph(['a', 'b'])
const length = 1000
const lane = { kind: 1, field: 0 }

test('each direction uses the codec of its sender, and the neighbour decodes it', async (t) => {
  const runSettings = { settings: { run: 'r' }, schema: [{ name: 'w', shape: [length] }], start: '0' }
  const left = await testNode(t, edge, 'a', { runSettings, codec: 'float16' })
  const right = await testNode(t, edge, 'b', { runSettings })
  await connectAll([left, right])
  const vector = Float32Array.from({ length }, (_, k) => k / 7)
  left.peer.fabric.send(b, { kind: 0, round: 0, vector })
  const got = (await right.peer.fabric.receive())?.message.vector ?? t.fail()
  for (const [k, value] of [...got].entries()) t.true(Math.abs(value - k / 7) <= 2 ** -11 * (k / 7))
  t.like(left.peer.traffic().sent, { payload: 2 * length, raw: 4 * length })
  t.like(right.peer.traffic().received, { payload: 2 * length, raw: 4 * length })
  right.peer.fabric.send(peerName('a'), { kind: 0, round: 0, vector })
  t.deepEqual((await left.peer.fabric.receive())?.message.vector, vector)
})

test('an unknown codec is an input error, and a codec that a neighbour does not know is not used', (t) => {
  t.throws(() => new CodecChoice('flaot16'), { instanceOf: InputError, message: /found "flaot16"/ })
  const choice = new CodecChoice('auto')
  t.deepEqual(choice.agreed(['float16', 'float17', 'top-k:2']), ['float16'])
  const encoder = new CodecChoice('float16').encoderFor([], length, createRandom(1, b), new LinkSpeed())
  t.is(encoder, undefined)
})

/** A link on which a vector of `length` as float32 takes the given fraction of a round. */
function linkWith(fraction: number): LinkSpeed {
  const speed = new LinkSpeed()
  speed.began(0)
  speed.began(100)
  speed.acknowledged(4 * length, fraction * 100)
  return speed
}

test('auto takes the most exact codec that fits half of a round, and returns to it when there is time', (t) => {
  const choice = new CodecChoice('auto')
  const vector = Float32Array.from({ length }, (_, k) => Math.sin(k))
  const cases = [
    [0.3, 'float32', 4 * length],
    [0.9, 'float16', 2 * length],
    [3, 'delta-int8', length + 16]
  ] as const
  for (const [fraction, name, bytes] of cases) {
    const encoder = choice.encoderFor(choice.wanted, length, createRandom(1, b), linkWith(fraction))
    const decoder = decoderOf(choice.wanted, length)
    if (encoder === undefined || decoder === undefined) return t.fail()
    const out = new Uint8Array(encoder.maxBytes(length))
    const result = new Float32Array(length)
    let last = 0
    for (let round = 0; round < 3; round++) {
      const body = encoder.encode(lane, vector, 0, out)
      t.is(decoder.decode(lane, body.id, out.subarray(0, body.bytes), 0, result), undefined)
      last = body.bytes
    }
    t.is(last, bytes, name)
    for (const [k, value] of result.entries()) t.true(Math.abs(value - vector[k]) < 0.001)
  }
})

test('a receiver decodes auto across changes of codec', (t) => {
  const choice = new CodecChoice('auto')
  const speed = linkWith(3)
  const encoder = choice.encoderFor(choice.wanted, length, createRandom(1, b), speed)
  const decoder = decoderOf(choice.wanted, length)
  if (encoder === undefined || decoder === undefined) return t.fail()
  const out = new Uint8Array(encoder.maxBytes(length))
  const result = new Float32Array(length)
  const ids = new Set<number>()
  for (let round = 0; round < 60; round++) {
    const vector = Float32Array.from({ length }, (_, k) => Math.sin(k + round / 20))
    speed.acknowledged(4 * length, [300, 90, 20][Math.floor(round / 10) % 3])
    const { id, bytes } = encoder.encode(lane, vector, 0, out)
    ids.add(id)
    t.is(decoder.decode(lane, id, out.subarray(0, bytes), 0, result), undefined)
    for (const [k, value] of result.entries()) t.true(Math.abs(value - vector[k]) < 0.01)
  }
  t.is(ids.size, 3)
})
