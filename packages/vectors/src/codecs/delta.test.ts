import test from 'ava'
import { randomOf, farthest, normals, Pair } from './codecs.test.support.js'
import { parseCodec } from './parse.js'

const names = ['delta-float16', 'delta-bfloat16', 'delta-int8', 'delta-int4'] as const
const length = 9000

/**
 * The largest error of one number, relative to `largest`, the largest change: a step of the integers, half a step of
 * the others.
 */
const steps: Readonly<Record<(typeof names)[number], number>> = {
  'delta-float16': 2 ** -11,
  'delta-bfloat16': 2 ** -8,
  'delta-int8': 1 / 127,
  'delta-int4': 1 / 7
}

/** Bytes of a group of integers, with its scale. */
const groupBytes: Readonly<Record<string, number>> = { 'delta-int8': 260, 'delta-int4': 132 }

/** The additional error of rounding to float32, for numbers below 4. */
const rounding = 2 ** -22

for (const name of names) {
  test(`${name}: after hundreds of drifting vectors the error is below a step of the last change`, (t) => {
    const pair = new Pair(name, length)
    const x = normals(length, 1, 0.3)
    pair.pass(t, x)
    for (let round = 1; round <= 300; round++) {
      const sent = x.slice()
      const drift = normals(length, 100 + round, 1e-3 / round)
      drift.forEach((change, index) => (x[index] += change))
      const got = pair.pass(t, x)
      t.is(pair.body.id, parseCodec(name).id)
      // The encoded change is the drift plus the previous error, which is below the step of the previous change.
      const largest = farthest(x, sent) + (steps[name] * 0.006) / (round - 0.9)
      t.true(farthest(x, got) < 1.01 * steps[name] * largest + rounding, `round ${round}: ${farthest(x, got)}`)
    }
  })

  test(`${name}: the sender's reference is what the receiver has, bit by bit`, (t) => {
    const pair = new Pair(name, length)
    const x = normals(length, 1)
    for (let round = 0; round < 50; round++) {
      const drift = normals(length, 100 + round, 0.01)
      drift.forEach((change, index) => (x[index] += change))
      const got = pair.pass(t, x)
      // When the receiver's own values are sent, nothing has changed: every change is a zero.
      if (round % 10 > 0) continue
      const { content, id } = pair.encode(got)
      if (id === 0) continue
      const codes = name in groupBytes ? bytesOfGroups(content, groupBytes[name]) : content
      t.true(
        codes.every((code) => code === 0),
        `round ${round}`
      )
      const again = new Float32Array(length)
      t.is(pair.decoder.decode(id, content, 0, again), undefined)
      t.deepEqual(new Uint8Array(again.buffer), new Uint8Array(got.buffer))
    }
  })

  test(`${name}: a body is the change in the base format`, (t) => {
    const base = name.slice('delta-'.length)
    const x = normals(length, 1)
    const y = normals(length, 2)
    const change = x.map((value, index) => y[index] - value)
    const pair = new Pair(name, length, 7)
    const plain = new Pair(base, length, 7)
    pair.encode(x)
    t.deepEqual(pair.encode(y).content, plain.encode(change).content)
    t.is(pair.body.bytes, parseCodec(name).bytes(length))
  })

  test(`${name}: numbers so large that their change overflows are sent as raw float32, and changes continue from there`, (t) => {
    const pair = new Pair(name, 3)
    const x = Float32Array.of(3e38, 1, -3e38)
    const y = Float32Array.of(-3e38, 2, 3e38)
    t.deepEqual(pair.pass(t, x), x)
    t.deepEqual(pair.pass(t, y), y)
    t.is(pair.body.id, 0)
    pair.pass(t, y)
    t.not(pair.body.id, 0)
  })
}

test('a change to the largest number that rounds to too much is sent as raw float32', (t) => {
  const largest = 2 ** 127 * (2 - 2 ** -23)
  for (const name of [...names.slice(1), 'top-k:0.1']) {
    const ids = new Set<number>()
    for (let step = 1; step < 100; step++) {
      const pair = new Pair(name, 100, step)
      const x = new Float32Array(100)
      x[7] = step * 1e36
      pair.pass(t, x)
      x[7] = largest
      t.true(farthest(pair.pass(t, x), x) <= largest / 100)
      ids.add(pair.body.id)
    }
    t.deepEqual([...ids].sort(), [0, parseCodec(name).id].sort(), `${name}: some do, and some do not`)
  }
})

test('a vector that stays the same arrives in the end: each round removes all but a step of the error', (t) => {
  for (const name of ['delta-bfloat16', 'delta-int8', 'delta-int4']) {
    const pair = new Pair(name, length)
    pair.pass(t, new Float32Array(length))
    const x = normals(length, 4)
    let error = Infinity
    for (let round = 0; round < 20; round++) error = farthest(x, pair.pass(t, x))
    t.is(error, 0, name)
  }
})

test('delta-float16 stops where float16 has no smaller numbers: at 2⁻²⁵', (t) => {
  const pair = new Pair('delta-float16', 2)
  pair.pass(t, new Float32Array(2))
  const x = Float32Array.of(2 ** -25, 1.5 * 2 ** -25)
  t.deepEqual(pair.pass(t, x), Float32Array.of(0, 2 ** -24))
  for (let round = 0; round < 5; round++) t.true(farthest(x, pair.pass(t, x)) <= 2 ** -25)
})

test('a decoder refuses a change of numbers that it never had as a whole, and the sender can begin anew', (t) => {
  for (const name of [...names, 'top-k:0.1']) {
    const pair = new Pair(name, 100)
    const late = parseCodec(name).createDecoder(100)
    const x = normals(100, 1)
    const out = new Float32Array(100)
    pair.pass(t, x)
    const { id, content } = pair.encode(x)
    t.regex(late.decode(id, content, 0, out) ?? '', /never sent as a whole/, name)
    pair.encoder.reset()
    const again = pair.encode(x)
    t.is(again.id, 0)
    t.is(late.decode(again.id, again.content, 0, out), undefined)
    t.deepEqual(out, x)
    late.reset()
    t.regex(late.decode(id, content, 0, out) ?? '', /never sent as a whole/, name)
  }
})

test('ranges have references of their own, also where they overlap', (t) => {
  for (const name of [...names, 'top-k:0.5']) {
    const pair = new Pair(name, 1000)
    const x = normals(1000, 9)
    const send = (from: number, to: number) => {
      pair.pass(t, x.subarray(from, to), from)
      return pair.body.id === 0
    }
    const raw = [
      send(0, 300),
      send(600, 900),
      send(0, 300),
      send(100, 200),
      send(200, 301),
      send(250, 301),
      send(0, 1000)
    ]
    t.deepEqual(raw, [true, true, false, false, true, false, true], name)
    t.false(send(0, 1000), name)
  }
})

test('NaN and infinity are sent as raw float32, are refused, and leave no trace', (t) => {
  for (const name of [...names, 'top-k:0.5']) {
    for (const wrong of [NaN, Infinity, -Infinity]) {
      const pair = new Pair(name, 20_000)
      const x = normals(20_000, 9)
      const bad = x.slice()
      const out = new Float32Array(20_000)
      bad[19_999] = wrong
      pair.pass(t, x)
      const { id, content } = pair.encode(bad)
      t.deepEqual([id, content.byteLength], [0, 80_000])
      t.is(pair.decoder.decode(id, content, 0, out), 'a number is NaN or infinite')
      t.true(out.every(Number.isFinite))
      t.deepEqual(pair.pass(t, x), x)
      t.is(pair.body.id, 0, 'the next body is raw as well')
      pair.pass(t, x)
      t.not(pair.body.id, 0)
    }
  }
})

test('the same seed gives the same bytes for changes, too', (t) => {
  const x = normals(5000, 1)
  const y = normals(5000, 2)
  const bodies = [1, 1, 2].map((seed) => {
    const encoder = parseCodec('delta-int8').createEncoder(5000, randomOf(seed))
    const out = new Uint8Array(20_000)
    encoder.encode(x, 0, out)
    return out.slice(0, encoder.encode(y, 0, out).bytes)
  })
  t.deepEqual(bodies[1], bodies[0])
  t.notDeepEqual(bodies[2], bodies[0])
})

/** The bytes of numbers without the scales before each group of them. */
function bytesOfGroups(content: Uint8Array, size: number): Uint8Array {
  return content.filter((_, index) => index % size >= 4)
}
