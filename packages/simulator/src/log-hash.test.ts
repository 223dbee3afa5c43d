import test from 'ava'
import { LogHash } from './log-hash.js'

function hashOf(...values: readonly number[]): string {
  const hash = new LogHash()
  for (const value of values) hash.add(value)
  return hash.text()
}

test('the first half is FNV-1a over the 32-bit halves of the numbers, the low one first', (t) => {
  const values = [0, 1, -1, 0.1, 1e300, Number.POSITIVE_INFINITY, 12_345.678]
  const words = new Uint32Array(Float64Array.from(values).buffer)
  const expected = words.reduce((hash, word) => {
    return Number(BigInt.asUintN(32, BigInt((hash ^ word) >>> 0) * 0x01000193n))
  }, 0x811c9dc5)
  t.is(hashOf(...values).slice(0, 8), expected.toString(16).padStart(8, '0'))
})

test('each half of the hash changes with each bit of a number, and with the order', (t) => {
  const values = [1, 2, 3, 4].map((value) => value * Math.PI)
  const others = [[...values].reverse(), [...values, 0], values.slice(1)]
  const bits = new BigUint64Array(Float64Array.from(values).buffer)
  for (let bit = 0; bit < 64; bit++) {
    const changed = bits.map((word, place) => (place === 1 ? word ^ (1n << BigInt(bit)) : word))
    others.push([...new Float64Array(changed.buffer)])
  }
  const [hash, ...changed] = [values, ...others].map((each) => hashOf(...each))
  for (const other of changed) {
    t.regex(other, /^[0-9a-f]{16}$/)
    t.not(other.slice(0, 8), hash.slice(0, 8))
    t.not(other.slice(8), hash.slice(8))
  }
})
