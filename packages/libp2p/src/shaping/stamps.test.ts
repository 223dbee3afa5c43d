import test from 'ava'
import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { StampReader, stamped } from './stamps.js'

const flight = fc.record({
  bytes: fc.uint8Array({ minLength: 1, maxLength: 50 }),
  due: fc.double({ noNaN: true }),
  isEnd: fc.boolean()
})

/** Each byte with its time, and whether it ends a hand-over. */
function perByte(list: readonly { readonly bytes: Uint8Array; readonly due: number; readonly isEnd: boolean }[]) {
  return list.flatMap(({ bytes, due, isEnd }) =>
    [...bytes].map((byte, index) => [byte, due, isEnd && index + 1 === bytes.byteLength])
  )
}

test('bytes keep their times, however they are split on the way', (t) => {
  fc.assert(
    fc.property(fc.array(flight), fc.array(fc.nat(200)), (flights, cuts) => {
      const sent = stamped(flights.map((each) => ({ ...each, bytes: new Uint8ArrayList(each.bytes) })))
      const ends = [...cuts.map((cut) => Math.min(cut, sent.byteLength)), sent.byteLength].sort((a, b) => a - b)
      const reader = new StampReader()
      const read = ends.flatMap((end, index) => reader.read(sent.slice(index === 0 ? 0 : ends[index - 1], end)))
      t.deepEqual(perByte(read.map((each) => ({ ...each, bytes: each.bytes.subarray() }))), perByte(flights))
    })
  )
})
