import test from 'ava'
import { randomOf, farthest, normals, Pair } from './codecs.test.support.js'
import { parseCodec } from './parse.js'

const group = 256
const codec = parseCodec('int8')

test('the mean over many seeds is the number itself, within five standard errors', (t) => {
  const values = Float32Array.from({ length: 40 }, (_, k) => (k === 0 ? 1 : 0.9 * Math.sin(k * k)))
  const step = 1 / 127
  const repeats = 4000
  const sums = new Float64Array(values.length)
  for (let seed = 0; seed < repeats; seed++) {
    new Pair('int8', values.length, seed).pass(t, values).forEach((value, index) => (sums[index] += value))
  }
  for (const [index, value] of values.entries()) {
    const rest = Math.abs(value) / step - Math.floor(Math.abs(value) / step)
    const standardError = step * Math.sqrt((rest * (1 - rest)) / repeats)
    t.true(Math.abs(sums[index] / repeats - value) <= 5 * standardError + 1e-6, `${value}: ${sums[index] / repeats}`)
  }
})

test('within one long vector as well, rounding errors have no mean, and look like independent draws', (t) => {
  const length = 2 ** 18
  const values = new Float32Array(length).fill(0.3).map((value, index) => (index % group === 0 ? 127 : value))
  const got = new Pair('int8', length).pass(t, values)
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

test('the error is below one step, which is 1/127 of the largest number of the group', (t) => {
  const values = normals(10 * group + 200, 3).map((value, index) => value * 10 ** (Math.floor(index / group) - 5))
  const got = new Pair('int8', values.length).pass(t, values)
  for (let start = 0; start < values.length; start += group) {
    const part = values.subarray(start, start + group)
    const step = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
    const error = farthest(part, got.subarray(start, start + group))
    t.true(error < step * (1 + 1e-5), `${start}: ${error / step} steps`)
    t.true(error > 0.8 * step, `${start}: rounding is at random, so that some error is nearly a step`)
  }
})

test('a body is a scale and a byte per number, group by group, and whole steps are exact', (t) => {
  const values = Float32Array.from({ length: group + 3 }, (_, k) => (k < group ? 0.5 * ((k % 255) - 127) : k - group))
  const { content, id, bytes } = new Pair('int8', values.length).encode(values)
  t.deepEqual([id, bytes, codec.bytes(values.length)], [3, 4 + group + 4 + 3, 4 + group + 4 + 3])
  const view = new DataView(content.buffer)
  t.is(view.getFloat32(0, true), 0.5)
  t.is(view.getFloat32(4 + group, true), Math.fround(2 / 127))
  for (let k = 0; k < group; k++) t.is(view.getInt8(4 + k), (k % 255) - 127)
  t.deepEqual(
    [0, 2].map((k) => view.getInt8(8 + group + k)),
    [0, 127]
  )
})

test('zeros stay zeros, and the smallest numbers keep their mean', (t) => {
  t.deepEqual(new Pair('int8', 5).pass(t, new Float32Array(5)), new Float32Array(5))
  const tiny = new Float32Array(2 ** 16).fill(2 ** -112)
  const got = new Pair('int8', tiny.length).pass(t, tiny)
  const mean = got.reduce((sum, value) => sum + value, 0) / got.length / 2 ** -112
  t.true(Math.abs(mean - 1) < 5 * Math.sqrt(3 / got.length), `${mean}`)
})

test('the largest numbers of float32 come back finite, and within a step', (t) => {
  const largest = 2 ** 127 * (2 - 2 ** -23)
  const values = Float32Array.of(largest, -largest, largest / 3, 0)
  const got = new Pair('int8', 4).pass(t, values)
  t.true(farthest(values, got) <= (largest / 127) * (1 + 1e-5), String(got))
})

test('the same seed gives the same bytes, another one gives others, and random numbers go on from body to body', (t) => {
  const values = normals(3000, 5)
  const [first, twin, other] = [1, 1, 2].map((seed) => new Pair('int8', 3000, seed))
  const body = first.encode(values).content
  t.deepEqual(twin.encode(values).content, body)
  t.notDeepEqual(other.encode(values).content, body)
  t.notDeepEqual(first.encode(values).content, body)
})

test('encoders do not share random numbers', (t) => {
  const values = normals(1000, 5)
  const out = () => new Uint8Array(4000)
  const bodies = (between: boolean) => {
    const encoder = codec.createEncoder(1000, randomOf(1))
    const other = codec.createEncoder(1000, randomOf(2))
    return [0, 1].map(() => {
      const body = out()
      encoder.encode(values, 0, body)
      if (between) other.encode(values, 0, out())
      return body
    })
  }
  t.deepEqual(bodies(true), bodies(false))
})
