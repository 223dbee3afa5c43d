import test from 'ava'
import fc from 'fast-check'
import { placesBytes, readPlaces, writePlaces } from './places.js'

const places = (length: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: length - 1 }), { maxLength: 200 })
    .map((list) => Uint32Array.from(list).sort())

function written(list: Uint32Array, length: number): Uint8Array {
  const out = new Uint8Array(placesBytes(list.length, length) + 10)
  return out.slice(3, writePlaces(list, length, out, 3))
}

test('places are read back, in no more bytes than announced', (t) => {
  const lengths = fc.constantFrom(1, 8, 100, 1000, 100_000, 2 ** 25, 2 ** 31)
  fc.assert(
    fc.property(
      lengths.chain((length) => fc.tuple(fc.constant(length), places(length))),
      ([length, list]) => {
        const bytes = written(list, length)
        const read = new Uint32Array(list.length)
        return (
          readPlaces(bytes, length, read) &&
          read.every((place, index) => place === list[index]) &&
          bytes.byteLength <= placesBytes(list.length, length)
        )
      }
    )
  )
  t.pass()
})

test('gaps are LEB128, and a bitmap is taken where it is shorter', (t) => {
  t.deepEqual([...written(Uint32Array.of(0, 1, 130, 131 + 300), 10_000)], [0, 0, 0, 0x80, 0x01, 0xac, 0x02])
  t.deepEqual([...written(Uint32Array.of(0, 1, 9), 10)], [1, 0b11, 0b10])
  t.deepEqual([...written(Uint32Array.of(9), 10)], [0, 9])
})

test('places that are too many, too few, beyond the end, or without an end are refused', (t) => {
  const refused = (bytes: number[], length: number, count: number) =>
    t.false(readPlaces(Uint8Array.from(bytes), length, new Uint32Array(count)), bytes.join(' '))
  refused([], 10, 0)
  refused([2, 0], 10, 1)
  refused([0], 10, 1)
  refused([0, 1, 1], 10, 1)
  refused([0, 10], 10, 1)
  refused([0, 4, 5], 10, 2)
  refused([0, 0x83], 10, 1)
  refused([0, ...Array.from({ length: 50 }, () => 0x80), 1], 10, 1)
  refused([0, ...Array.from({ length: 50 }, () => 0xff), 1], 10, 1)
  refused([1, 0b11], 10, 2)
  refused([1, 0b11, 0, 0], 10, 2)
  refused([1, 0b111, 0], 10, 2)
  refused([1, 0b1, 0], 10, 2)
  refused([1, 0b1, 0b100], 10, 2)
  t.true(readPlaces(Uint8Array.of(1, 0b1, 0b10), 10, new Uint32Array(2)))
})
