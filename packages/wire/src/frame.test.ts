import test from 'ava'
import fc from 'fast-check'
import { bodyOf } from '@murmuration/vectors'
import { decodeHeader, decodeNumbers, encodeHeader, frameHeaderLength, frameNumbers, framesOf } from './frame.js'
import { vectorWire } from './message.js'

const byte = fc.integer({ min: 0, max: 255 })
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })

/** Headers with consistent fields. */
const headers = fc
  .record({
    codec: byte,
    kind: byte,
    round: word,
    sequence: word,
    part: fc.nat(65_535),
    epoch: fc.nat(65_535),
    field: fc.nat(15),
    offset: word,
    position: fc.nat(1 << 30),
    count: fc.integer({ min: 1, max: frameNumbers }),
    more: fc.nat(1000),
    bytes: word
  })
  .map(({ more, ...header }) => ({ ...header, length: header.position + header.count + more }))

test('a header decodes to the encoded fields', (t) => {
  fc.assert(
    fc.property(headers, (header) => {
      const bytes = encodeHeader(header)
      t.is(bytes.byteLength, frameHeaderLength)
      t.deepEqual(decodeHeader(bytes), { ok: true, header: { ...header, numbers: 0 } })
    })
  )
})

test('the numbers with a vector follow the header of its first frame, bit by bit', (t) => {
  const [header] = fc.sample(headers, { numRuns: 1, seed: 1 })
  const numbers = [0.1, -0, 5e-324, Number.MAX_VALUE, ...Array(11).fill(7)]
  const bytes = encodeHeader({ ...header, position: 0 }, numbers)
  t.is(bytes.byteLength, frameHeaderLength + 120)
  t.like(decodeHeader(bytes), { ok: true, header: { numbers: 15 } })
  t.deepEqual(decodeNumbers(bytes, 15), numbers)
  t.like(decodeHeader(encodeHeader({ ...header, position: 1 }, numbers)), { ok: false, fault: 'range' })
})

test('40 bytes without the magic and the version are a fault, never an exception', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), (bytes) => {
      t.false(decodeHeader(bytes).ok)
    })
  )
})

test('a header with a range outside the vector, too many numbers, or an empty range is refused', (t) => {
  const [header] = fc.sample(headers, { numRuns: 1, seed: 1 })
  const faultOf = (change: object) => {
    const result = decodeHeader(encodeHeader({ ...header, ...change }))
    return result.ok ? undefined : result.fault
  }
  t.is(faultOf({}), undefined)
  t.is(faultOf({ position: 3, count: 5, length: 7 }), 'range')
  t.is(faultOf({ position: 0, count: frameNumbers + 1, length: 2 ** 31 }), 'range')
  t.is(faultOf({ position: 0, count: 0, length: 1 }), 'range')
  t.is(faultOf({ position: 0, count: 0, length: 0 }), undefined)
})

test('the layout is pinned, byte by byte', (t) => {
  const header = {
    codec: 3,
    kind: 4,
    round: 258,
    sequence: 5,
    part: 515,
    field: 6,
    offset: 7,
    length: 8,
    position: 1,
    count: 2,
    bytes: 16
  }
  const hexOf = (change: object) => Buffer.from(encodeHeader({ ...header, ...change })).toString('hex')
  const withPlace = (place: string) =>
    `4d55524d030603040201000005000000${place}0700000008000000010000000200000010000000`
  t.is(hexOf({}), withPlace('03020000'))
  t.is(hexOf({ epoch: 0 }), hexOf({}))
  t.is(hexOf({ epoch: 0xfffe }), withPlace('0302feff'))
  t.is(Buffer.from(bodyOf(Float32Array.of(1))).toString('hex'), '0000803f')
})

test('a copy of a message shares no memory, and its length counts the headers', (t) => {
  const message = { kind: 1, round: 2, vector: Float32Array.of(1, 2).subarray(1) }
  const copy = vectorWire.copy(message)
  message.vector[0] = 9
  t.deepEqual(copy, { kind: 1, round: 2, vector: Float32Array.of(2) })
  t.is(vectorWire.byteLength(copy), 44)
  t.is(vectorWire.byteLength({ ...copy, numbers: [1, 2] }), 60)
  const long = { kind: 1, round: 2, numbers: [1], vector: new Float32Array(frameNumbers + 1) }
  t.is(vectorWire.byteLength(long), 2 * frameHeaderLength + 8 + 4 * (frameNumbers + 1))
  for (const wrong of [
    { part: 65_536 },
    { part: 0.5 },
    { epoch: 65_536 },
    { epoch: -1 },
    { field: 16 },
    { numbers: Array(16).fill(0) }
  ]) {
    t.throws(() => vectorWire.byteLength({ ...copy, ...wrong }), { name: 'InvariantError' })
  }
  t.deepEqual([0, 1, frameNumbers, frameNumbers + 1].map(framesOf), [1, 1, 1, 2])
})
