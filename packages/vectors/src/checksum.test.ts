import test from 'ava'
import fc from 'fast-check'
import { checksumOf } from './checksum.js'

test('equal numbers have an equal sum wherever they lie, and every bit and every place counts', (t) => {
  const vectors = fc.float32Array({ minLength: 2, maxLength: 99, noNaN: true })
  fc.assert(
    fc.property(vectors, fc.nat(), fc.nat(31), (values, nat, bit) => {
      const sum = checksumOf(values)
      const within = new Float32Array(values.length + 3)
      within.set(values, 3)
      t.is(checksumOf(within.subarray(3)), sum)
      const bits = new Uint32Array(values.buffer)
      const place = nat % bits.length
      bits[place] ^= 1 << bit
      t.not(checksumOf(values), sum)
      bits[place] ^= 1 << bit
      const next = (place + 1) % bits.length
      if (bits[place] === bits[next]) return
      ;[bits[place], bits[next]] = [bits[next], bits[place]]
      t.not(checksumOf(values), sum)
    })
  )
})

test('zeros count, and sums of vectors that differ in little are spread', (t) => {
  t.not(checksumOf(new Float32Array(5)), checksumOf(new Float32Array(6)))
  const sums = new Set<number>()
  const values = new Float32Array(64)
  for (let place = 0; place < 64; place++)
    for (let value = 1; value <= 64; value++) {
      values[place] = value
      sums.add(checksumOf(values))
      values[place] = 0
    }
  // Of 4,096 drawn sums two would be equal in one case of 512.
  t.true(sums.size >= 4095, `${sums.size}`)
})
