import test from 'ava'
import { randomOf, farthest, normals, Pair } from './codecs.test.support.js'
import { parseCodec } from './parse.js'

const group = 256

for (const [name, top] of [
  ['int8', 127],
  ['int4', 7]
] as const) {
  test(`${name}: the mean over many seeds is the number itself, within five standard errors`, (t) => {
    const values = Float32Array.from({ length: 40 }, (_, k) => (k === 0 ? 1 : 0.9 * Math.sin(k * k)))
    const step = 1 / top
    const repeats = 4000
    const sums = new Float64Array(values.length)
    for (let seed = 0; seed < repeats; seed++) {
      new Pair(name, values.length, seed).pass(t, values).forEach((value, index) => (sums[index] += value))
    }
    for (const [index, value] of values.entries()) {
      const rest = Math.abs(value) / step - Math.floor(Math.abs(value) / step)
      const standardError = step * Math.sqrt((rest * (1 - rest)) / repeats)
      t.true(Math.abs(sums[index] / repeats - value) <= 5 * standardError + 1e-6, `${value}: ${sums[index] / repeats}`)
    }
  })

  test(`${name}: within one long vector as well, rounding errors have no mean, and look like independent draws`, (t) => {
    const length = 2 ** 18
    const values = new Float32Array(length).fill(0.3).map((value, index) => (index % group === 0 ? top : value))
    const got = new Pair(name, length).pass(t, values)
    const rest = got.filter((_, index) => index % group > 0)
    t.deepEqual([...new Set(rest)].sort(), [0, 1])
    const bounds = 5 * Math.sqrt((0.3 * 0.7) / rest.length)
    const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length
    t.true(Math.abs(mean - 0.3) < bounds, `${mean}`)
    for (const lag of [1, 2, 4, 8, 16, 32, 255]) {
      const both = rest.reduce((sum, value, index) => sum + value * (rest[index + lag] ?? 0), 0) / rest.length
      t.true(Math.abs(both - 0.09) < 5 * Math.sqrt((0.09 * 0.91) / rest.length) + lag / rest.length, `${lag}: ${both}`)
    }
  })

  test(`${name}: the error is below one step, which is a fraction of the largest number of the group`, (t) => {
    const values = normals(10 * group + 200, 3).map((value, index) => value * 10 ** (Math.floor(index / group) - 5))
    const got = new Pair(name, values.length).pass(t, values)
    for (let start = 0; start < values.length; start += group) {
      const part = values.subarray(start, start + group)
      const step = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / top
      const error = farthest(part, got.subarray(start, start + group))
      t.true(error < step * (1 + 1e-5), `${start}: ${error / step} steps`)
      t.true(error > 0.8 * step, `${start}: rounding is at random, so that some error is nearly a step`)
    }
  })

  test(`${name}: zeros stay zeros, and the smallest numbers keep their mean`, (t) => {
    t.deepEqual(new Pair(name, 5).pass(t, new Float32Array(5)), new Float32Array(5))
    const tiny = new Float32Array(2 ** 16).fill(2 ** -112)
    const got = new Pair(name, tiny.length).pass(t, tiny)
    const mean = got.reduce((sum, value) => sum + value, 0) / got.length / 2 ** -112
    t.true(Math.abs(mean - 1) < 5 * Math.sqrt(3 / got.length), `${mean}`)
  })

  test(`${name}: the largest numbers of float32 come back finite, and within a step`, (t) => {
    const largest = 2 ** 127 * (2 - 2 ** -23)
    const values = Float32Array.of(largest, -largest, largest / 3, 0)
    const got = new Pair(name, 4).pass(t, values)
    t.true(farthest(values, got) <= (largest / top) * (1 + 1e-5), String(got))
  })

  test(`${name}: the same seed gives the same bytes, another one gives others, and random numbers go on from body to body`, (t) => {
    const values = normals(3000, 5)
    const [first, twin, other] = [1, 1, 2].map((seed) => new Pair(name, 3000, seed))
    const body = first.encode(values).content
    t.deepEqual(twin.encode(values).content, body)
    t.notDeepEqual(other.encode(values).content, body)
    t.notDeepEqual(first.encode(values).content, body)
  })
}

test('int8: a body is a scale and a byte per number, group by group, and whole steps are exact', (t) => {
  const values = Float32Array.from({ length: group + 3 }, (_, k) => (k < group ? 0.5 * ((k % 255) - 127) : k - group))
  const { content, id, bytes } = new Pair('int8', values.length).encode(values)
  t.deepEqual([id, bytes, parseCodec('int8').bytes(values.length)], [3, 4 + group + 4 + 3, 4 + group + 4 + 3])
  const view = new DataView(content.buffer)
  t.is(view.getFloat32(0, true), 0.5)
  t.is(view.getFloat32(4 + group, true), Math.fround(2 / 127))
  for (let k = 0; k < group; k++) t.is(view.getInt8(4 + k), (k % 255) - 127)
  t.deepEqual(
    [0, 2].map((k) => view.getInt8(8 + group + k)),
    [0, 127]
  )
})

test('int4: a body is a scale and for 32 numbers 16 bytes, of which the lower halves are the first numbers, and whole steps are exact', (t) => {
  const values = Float32Array.from({ length: group + 40 }, (_, k) => (k < group ? 0.5 * ((k % 15) - 7) : (k % 15) - 7))
  const { content, id, bytes } = new Pair('int4', values.length).encode(values)
  const expected = 4 + group / 2 + 4 + 16 + 8
  t.deepEqual([id, bytes, parseCodec('int4').bytes(values.length)], [5, expected, expected])
  const view = new DataView(content.buffer)
  for (const [start, first, step] of [
    [0, 0, 0.5],
    [4 + group / 2, group, 1]
  ]) {
    t.is(view.getFloat32(start, true), step)
    for (let k = first; k < Math.min(values.length, first + group); k++) {
      const byte = view.getInt8(start + 4 + 16 * Math.floor((k - first) / 32) + (k % 16))
      t.is((k % 32 < 16 ? (byte << 28) >> 28 : byte >> 4) * step, values[k], `${k}`)
    }
  }
})

test('int4: any count of numbers takes half a byte each, in whole bytes, and at most 8 bytes more for each 32', (t) => {
  const { bytes } = parseCodec('int4')
  for (const [count, expected] of [
    [0, 0],
    [1, 5],
    [16, 20],
    [17, 20],
    [32, 20],
    [33, 21],
    [256, 132],
    [257, 137]
  ])
    t.is(bytes(count), expected)
  for (let count = 1; count < 600; count++) {
    const values = normals(count, count)
    const pair = new Pair('int4', count)
    const got = pair.pass(t, values)
    t.is(pair.body.bytes, Math.min(bytes(count), 4 * count))
    t.true(farthest(values, got) < farthest(values, new Float32Array(count)) / 6.9)
  }
})

test('encoders do not share random numbers', (t) => {
  const values = normals(1000, 5)
  const out = () => new Uint8Array(4000)
  const bodies = (between: boolean) => {
    const encoder = parseCodec('int8').createEncoder(1000, randomOf(1))
    const other = parseCodec('int8').createEncoder(1000, randomOf(2))
    return [0, 1].map(() => {
      const body = out()
      encoder.encode(values, 0, body)
      if (between) other.encode(values, 0, out())
      return body
    })
  }
  t.deepEqual(bodies(true), bodies(false))
})
