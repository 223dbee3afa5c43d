import test from 'ava'
import fc from 'fast-check'
import { copyBytes, copyNumbers } from './copy.js'

const kinds = [ArrayBuffer, SharedArrayBuffer] as const

test('bytes are copied to their place and nowhere else, in memory of all kinds, however they lie', (t) => {
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

test('numbers are copied bit by bit', (t) => {
  const bits = Uint32Array.of(0x7fc0_0001, 0x8000_0000, 1, 0xffff_ffff)
  for (const from of kinds) {
    for (const to of kinds) {
      const source = new Float32Array(new from(16))
      new Uint32Array(source.buffer).set(bits)
      const target = new Float32Array(new to(24))
      copyNumbers(target.subarray(1), source)
      t.deepEqual([...new Uint32Array(target.buffer)], [0, ...bits, 0])
    }
  }
  copyNumbers(new Float32Array(0), new Float32Array(0))
})
