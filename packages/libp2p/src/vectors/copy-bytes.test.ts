import test from 'ava'
import fc from 'fast-check'
import { copyBytes } from './copy-bytes.js'

const kinds = [ArrayBuffer, SharedArrayBuffer] as const

test('bytes are copied exactly to their target, in any kind of memory, at any alignment', (t) => {
  const place = fc.nat(20)
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      place,
      place,
      place,
      fc.nat(1),
      fc.nat(1),
      (bytes, from, to, at, a, b) => {
        const source = new Uint8Array(new kinds[a](100), from, bytes.length)
        source.set(bytes)
        const whole = new Uint8Array(new kinds[b](100)).fill(7)
        copyBytes(whole.subarray(to), source, at)
        const expected = new Uint8Array(100).fill(7)
        expected.set(bytes, to + at)
        t.deepEqual([...whole], [...expected])
      }
    )
  )
})
