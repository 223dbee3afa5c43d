import test from 'ava'
import fc from 'fast-check'
import { rawCodecId } from './codec.js'
import { packedBytes, packedId, readPacked, writePacked } from './packed.js'

/** Numbers as compressors produce them: mostly zeros, few different ones, or arbitrary. */
const numbers = fc.oneof(
  fc.array(
    fc.oneof(
      { weight: 20, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) }
    ),
    { maxLength: 600 }
  ),
  fc.array(fc.constantFrom(0, -0, 0.25, -0.25, 3), { maxLength: 600 }),
  // Runs that differ only in sign, of more magnitudes than a table can hold cheaply.
  fc
    .array(fc.tuple(fc.float({ noNaN: true, noDefaultInfinity: true }), fc.array(fc.boolean(), { maxLength: 90 })), {
      maxLength: 12
    })
    .map((runs) => runs.flatMap(([magnitude, signs]) => signs.map((sign) => (sign ? -magnitude : magnitude)))),
  // Runs with levels of their own, and zeros.
  fc
    .array(
      fc.tuple(
        fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(6), { maxLength: 150 })
      ),
      { maxLength: 12 }
    )
    .map((runs) => runs.flatMap(([levels, indices]) => indices.map((index) => levels[index] ?? 0))),
  // About as many different numbers as a table has room for.
  fc.integer({ min: 250, max: 260 }).map((count) => Array.from({ length: 1200 }, (_, k) => (k % count) - 100)),
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 40 })
)

test('a packed vector is unpacked bit by bit as it was, in no more bytes than raw float32 and as many as are announced', (t) => {
  fc.assert(
    fc.property(numbers, (list) => {
      const values = Float32Array.from(list)
      const out = new Uint8Array(4 * values.length)
      const { id, bytes } = writePacked(values, out)
      t.is(bytes, packedBytes(values))
      t.true(bytes <= 4 * values.length)
      if (id === rawCodecId) return
      t.is(id, packedId)
      const back = new Float32Array(values.length).fill(7)
      t.is(readPacked(out.subarray(0, bytes), back), undefined)
      t.deepEqual(new Uint32Array(back.buffer), new Uint32Array(values.buffer))
    })
  )
})

test('1 % of the numbers takes 4 bytes and a gap each, signs a bit each, and 3 levels 2 bits each', (t) => {
  const size = 10_000
  const sparse = Float32Array.from({ length: size }, (_, k) => (k % 100 === 0 ? 1 + k : 0))
  t.is(packedBytes(sparse), 1 + 4 + 4 * 100 + 1 + 100)
  const signs = Float32Array.from({ length: size }, (_, k) => (k % 3 === 0 ? 0.5 : -0.5))
  t.is(packedBytes(signs), 1 + 4 + 2 + size / 8)
  const levels = Float32Array.from({ length: size }, (_, k) => [0.25, 0.5, -0.5][k % 3])
  t.is(packedBytes(levels), 1 + 1 + 3 * 4 + size / 4)
  t.is(packedBytes(new Float32Array(size)), 1 + 4 + 1)
})

test('signs of several tensors take a bit each, and 6 bytes at most for a tensor', (t) => {
  const lengths = [2080, 1024, 32, 32, 1024]
  const signs = Float32Array.from(
    lengths.flatMap((length, tensor) =>
      Array.from({ length }, (_, k) => (0.01 + tensor / 100) * (k % 3 === 0 ? -1 : 1))
    )
  )
  t.is(packedBytes(signs), 1 + 6 * 3 + 5 * 2 + signs.length / 8)
})

test('31 levels of each of 18 tensors take 5 bits a number, and 4 levels of numbers kept 2 bits; a tensor takes 2 to 3 bytes besides', (t) => {
  const tensors = 18
  const size = 3640
  const values = (number: (k: number, scale: number) => number) =>
    Float32Array.from({ length: tensors * size }, (_, k) => number(k % size, 1.1 ** Math.floor(k / size)))
  const levels = values((k, scale) => (((k * 7) % 31) - 15) * scale)
  t.is(packedBytes(levels), 1 + tensors * (1 + 31 * 4 + 2 + (size * 5) / 8))
  const sparse = values((k, scale) => (k % 64 === 0 ? [-3, -1, 1, 3][(k / 64) % 4] * scale : 0))
  const kept = Math.ceil(size / 64)
  t.is(packedBytes(sparse), 1 + 4 + tensors * (1 + 4 * 4 + 1 + Math.ceil(kept / 4)) + 1 + tensors * kept)
})

test('tensors are kept apart where they have some numbers in common, and where a wide one is between others', (t) => {
  const tensor = (size: number, levels: number, scale: number) =>
    Array.from({ length: size }, (_, k) => (1 + (k % levels)) * scale)
  const narrow = (scale: number) => tensor(500, 13, scale)
  const most = 1 + 2 + 13 * 4 + 250
  const scales = Array.from({ length: 40 }, (_, k) => 1.1 ** k)
  const apart = [...scales.flatMap(narrow), ...tensor(1000, 256, 0.3), ...scales.flatMap((scale) => narrow(-scale))]
  t.is(packedBytes(Float32Array.from(apart)), 1 + 80 * most + 1 + 2 + 256 * 4 + 1000)
  // 1/7, 2/7, …: the scales have multiples in common.
  const common = scales.flatMap((_, k) => narrow(1 + k / 7))
  t.is(packedBytes(Float32Array.from(common)), 1 + 40 * most)
})

test('a table of a run with wrong bytes is refused', (t) => {
  // Two runs of 100 numbers, each of 3 levels.
  const values = Float32Array.from({ length: 200 }, (_, k) => 1 + (k % 3) + (k < 100 ? 0 : 10))
  const out = new Uint8Array(4 * values.length)
  const { bytes } = writePacked(values, out)
  t.is(bytes, 1 + 2 * (1 + 3 * 4 + 1 + 25))
  t.is(out[0], 8)
  const read = (body: Uint8Array) => readPacked(body, new Float32Array(values.length))
  t.is(read(out.slice(0, bytes)), undefined)
  for (let end = 0; end < bytes; end++) t.truthy(read(out.slice(0, end)), `${end} bytes`)
  t.truthy(read(out.slice(0, bytes + 1)))
  const changed = (at: number, ...content: readonly number[]) => {
    const body = out.slice(0, bytes)
    body.set(content, at)
    return read(body)
  }
  const first = 14
  const second = 53
  t.deepEqual([out[first], out[second]], [100, 100])
  for (const wrong of [0, 99, 101, 127, 128, 255]) {
    t.truthy(changed(first, wrong), `a first run of ${wrong}`)
    t.truthy(changed(second, wrong), `a second run of ${wrong}`)
  }
  t.truthy(changed(second, 0xe4, 0), 'a length with a superfluous byte')
  t.truthy(changed(first + 1, 0xff), 'index 3 of 3 levels')
  for (const count of [0, 1, 3, 254, 255]) t.truthy(changed(1, count), `${count + 1} levels`)
  for (const flags of [10, 12, 14, 16, 24]) t.truthy(changed(0, flags), `flags ${flags}`)
})

test('runs that are longer or shorter than the numbers are refused, before they are written', (t) => {
  const values = Float32Array.from({ length: 640 }, (_, k) => (1 + Math.floor(k / 64)) * (k % 3 ? 1 : -1))
  const out = new Uint8Array(4 * values.length)
  const { bytes } = writePacked(values, out)
  const view = new DataView(out.buffer, 0, bytes)
  t.is(out[0], 4)
  t.is(view.getUint8(5), 64)
  for (const wrong of [0, 63, 65, 127, 128, 255]) {
    view.setUint8(5, wrong)
    t.truthy(readPacked(out.subarray(0, bytes), new Float32Array(values.length)))
  }
  view.setUint8(5, 64)
  t.is(readPacked(out.subarray(0, bytes), new Float32Array(values.length)), undefined)
})

test('the places of a random 1 % take 10.2 bits each, and could take 8.08, the entropy', (t) => {
  // H(0.01) / 0.01 bits per place. A gap of up to 127 takes a byte; 72 % of them do.
  const entropy = -(Math.log2(0.01) + (0.99 / 0.01) * Math.log2(0.99))
  t.true(Math.abs(entropy - 8.08) < 0.01)
  const size = 60_000
  let state = 1
  const draw = () => (state = (state * 48271) % 2147483647) / 2147483647
  const values = Float32Array.from({ length: size }, () => (draw() < 0.01 ? draw() + 1 : 0))
  const count = values.filter((value) => value !== 0).length
  const bits = (8 * (packedBytes(values) - 1 - 4 - 1 - 4 * count)) / count
  t.true(Math.abs(bits - 10.2) < 0.3, `${bits} bits per place`)
})

test('any bytes are read or refused in words, and never throw or leave something that is not finite unsaid', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(64), (bytes, length) => {
      const out = new Float32Array(length)
      const fault = readPacked(bytes, out)
      t.true(fault === undefined ? out.every(Number.isFinite) : fault.length > 0)
    }),
    { numRuns: 2000 }
  )
})

test('a packed body that was truncated, or is too long, is refused', (t) => {
  for (const values of [
    Float32Array.from({ length: 500 }, (_, k) => (k % 50 === 7 ? k : 0)),
    Float32Array.from({ length: 64 }, (_, k) => k % 2)
  ]) {
    const out = new Uint8Array(4 * values.length)
    const { bytes } = writePacked(values, out)
    for (const wrong of [bytes - 1, bytes + 1, 0, 1])
      t.truthy(readPacked(out.subarray(0, wrong), new Float32Array(values.length)))
  }
})
