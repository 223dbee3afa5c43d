import test from 'ava'
import { rawCodecId } from './codec.js'
import { randomOf } from './codecs.test.support.js'
import { codecRandom, LinkDecoder, LinkEncoder, maxLanes } from './link.js'
import { parseCodec } from './parse.js'

const length = 512
const codec = parseCodec('delta-int8')
const ends = () => ({
  encoder: new LinkEncoder(codec, length, codecRandom(randomOf(1), 'b')),
  decoder: new LinkDecoder(codec, length)
})

test('vectors of several kinds and fields do not disturb each other', (t) => {
  const { encoder, decoder } = ends()
  const out = new Uint8Array(codec.maxBytes(length))
  for (let round = 0; round < 8; round++) {
    for (const [place, lane] of [
      { kind: 1, field: 0 },
      { kind: 1, field: 1 },
      { kind: 2, field: 0 }
    ].entries()) {
      const values = Float32Array.from({ length }, (_, k) => 100 * place + Math.sin(k))
      const { id, bytes } = encoder.encode(lane, values, 0, out)
      const got = new Float32Array(length)
      t.is(decoder.decode(lane, id, out.subarray(0, bytes), 0, got), undefined)
      if (round > 0) t.is(id, codec.id)
      if (round === 7) t.true(got.every((value, k) => Math.abs(value - values[k]) < 1e-5))
    }
  }
})

test('of many kinds, the first are coded and the others are sent as raw float32, and need no more memory', (t) => {
  const { encoder, decoder } = ends()
  const out = new Uint8Array(codec.maxBytes(length))
  const values = new Float32Array(length).fill(3)
  const got = new Float32Array(length)
  const ids = new Map<number, number>()
  for (let round = 0; round < 2; round++) {
    for (let kind = 0; kind < 2 * maxLanes; kind++) {
      const { id, bytes } = encoder.encode({ kind, field: 0 }, values, 0, out)
      t.is(decoder.decode({ kind, field: 0 }, id, out.subarray(0, bytes), 0, got), undefined)
      ids.set(kind, id)
    }
  }
  t.is([...ids.values()].filter((id) => id === codec.id).length, maxLanes)
  t.regex(decoder.decode({ kind: 200, field: 0 }, codec.id, out, 0, got) ?? '', /more than 16 kinds/)
})

test('an empty vector takes no lane and no bytes', (t) => {
  const { encoder, decoder } = ends()
  const none = new Float32Array(0)
  t.deepEqual(encoder.encode({ kind: 1, field: 0 }, none, 0, new Uint8Array(0)), { id: rawCodecId, bytes: 0 })
  t.is(decoder.decode({ kind: 1, field: 0 }, rawCodecId, new Uint8Array(0), 0, none), undefined)
})
