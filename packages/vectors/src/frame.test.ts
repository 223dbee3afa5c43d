import { crc32 } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { bodyOf, decodeHeader, encodeHeader, frameHeaderLength } from './frame.js'
import { vectorWire } from './message.js'

const messages = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  round: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  vector: fc.float32Array({ noNaN: true, noDefaultInfinity: true })
})
const sequences = fc.integer({ min: 1, max: 2 ** 32 - 1 })

test('a header says again what was written', (t) => {
  fc.assert(
    fc.property(messages, sequences, (message, sequence) => {
      const bytes = encodeHeader(message, sequence)
      t.is(bytes.byteLength, frameHeaderLength)
      const result = decodeHeader(bytes, message.vector.byteLength)
      if (!result.ok) return t.fail(result.detail)
      const { kind, round, length } = result.header
      t.deepEqual(
        [kind, round, result.header.sequence, length],
        [message.kind, message.round, sequence, message.vector.byteLength]
      )
      t.is(result.header.checksum, crc32(bodyOf(message.vector)))
    })
  )
})

test('any single changed bit in a header is a fault, never an exception', (t) => {
  fc.assert(
    fc.property(messages, fc.nat(frameHeaderLength * 8 - 1), (message, bit) => {
      const bytes = encodeHeader(message, 1)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      return !decodeHeader(bytes, message.vector.byteLength).ok
    })
  )
  t.pass()
})

test('any 32 bytes are a header or a fault', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      t.false(decodeHeader(bytes, 8).ok)
    })
  )
})

test('a body is refused by its length before anything is allocated for it', (t) => {
  const bytes = encodeHeader({ kind: 1, round: 0, vector: new Float32Array(4) }, 1)
  t.like(decodeHeader(bytes, 12), { ok: false, fault: 'length', detail: 'a body of 16 bytes, 12 expected' })
})

test('the layout is pinned, byte by byte', (t) => {
  const header = encodeHeader({ kind: 1, round: 258, vector: Float32Array.of(1) }, 3)
  t.is(Buffer.from(header).toString('hex'), '4d55524d010100000201000003000000040000006a6aa1ac000000004dedc482')
  t.is(Buffer.from(bodyOf(Float32Array.of(1))).toString('hex'), '0000803f')
})

test('a copy of a message shares no memory, and its length counts the header', (t) => {
  const message = { kind: 1, round: 2, vector: Float32Array.of(1, 2).subarray(1) }
  const copy = vectorWire.copy(message)
  message.vector[0] = 9
  t.deepEqual(copy, { kind: 1, round: 2, vector: Float32Array.of(2) })
  t.is(vectorWire.byteLength(copy), 36)
})
