import test from 'ava'
import fc from 'fast-check'
import { faultOf, fillVersion } from './versions.js'

const name = { peer: 2, round: 31 }

function version(length: number, { peer, round } = name): Float32Array {
  const vector = new Float32Array(length)
  fillVersion(vector, { peer, round })
  return vector
}

/** CRC-32 bit by bit, by its polynomial. */
function slowChecksum(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  }
  return ~rest >>> 0
}

test('a version is whole as that of its peer and round, and of no other', (t) => {
  const vector = version(1000)
  t.is(faultOf(vector, name), undefined)
  t.regex(faultOf(vector, { ...name, peer: 1 }) ?? '', /version 31 of peer 2, not version 31 of peer 1/)
  t.regex(faultOf(vector, { ...name, round: 30 }) ?? '', /version 31 of peer 2, not version 30/)
})

test('all numbers are finite, and hardly one is the same in another version', (t) => {
  const vector = version(1000)
  t.true(vector.every((value) => Number.isFinite(value)))
  for (const other of [version(1000, { peer: 1, round: 31 }), version(1000, { peer: 2, round: 32 })]) {
    t.true(vector.filter((value, index) => value === other[index]).length < 10)
  }
})

test('the first two numbers are the halves of the CRC-32 of all others', (t) => {
  const vector = version(300)
  const checksum = slowChecksum(new Uint8Array(vector.buffer, 8))
  t.deepEqual([...vector.subarray(0, 2)], [checksum >>> 16, checksum & 0xffff])
})

test('a version with any one bit flipped is not complete', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 200 }), fc.nat(), (length, place) => {
        const vector = version(length)
        const bytes = new Uint8Array(vector.buffer)
        const bit = place % (8 * bytes.length)
        bytes[bit >>> 3] ^= 1 << (bit & 7)
        return faultOf(vector, name) !== undefined
      })
    )
  )
})

test('a part of another version is found out, even under a checksum that is right', (t) => {
  const vector = version(1000)
  vector.set(version(1000, { peer: 2, round: 30 }).subarray(500), 500)
  t.regex(faultOf(vector, name) ?? '', /its checksum is/)
  const checksum = slowChecksum(new Uint8Array(vector.buffer, 8))
  vector.set([checksum >>> 16, checksum & 0xffff])
  t.regex(faultOf(vector, name) ?? '', /which was never sent, though the checksum is right/)
})
