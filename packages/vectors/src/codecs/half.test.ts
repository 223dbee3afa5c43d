import test from 'ava'
import fc from 'fast-check'
import { Pair, powerOf } from './codecs.test.support.js'
import { rawCodecId } from './codec.js'
import { parseCodec } from './parse.js'

/** The two 16-bit formats of IEEE 754: bits of the significand, and the exponents of normal numbers. */
const formats = [
  { name: 'float16', bits: 10, lowest: -14, highest: 15, beyond: 0x477f_f000 },
  { name: 'bfloat16', bits: 7, lowest: -126, highest: 127, beyond: 0x7f7f_8000 }
] as const
type Format = (typeof formats)[number]

/** The number that 16 bits stand for, in float64. */
function meaningOf(code: number, { bits, lowest, highest }: Format): number {
  const sign = code >> 15 === 0 ? 1 : -1
  const exponent = (code & 0x7fff) >> bits
  const fraction = (code & (2 ** bits - 1)) / 2 ** bits
  if (exponent > highest - lowest + 1) return fraction === 0 ? sign * Infinity : NaN
  if (exponent === 0) return sign * fraction * 2 ** lowest
  return sign * (1 + fraction) * 2 ** (exponent - 1 + lowest)
}

/** The number of the format that is nearest to `x`, ties to even; the largest one, where that would be infinity. */
function rounded(x: number, { bits, lowest, highest }: Format): number {
  const size = Math.abs(x)
  const largest = (2 - 2 ** -bits) * 2 ** highest
  if (size >= largest) return Math.sign(x) * largest
  const unit = size < 2 ** lowest ? 2 ** (lowest - bits) : powerOf(size) * 2 ** -bits
  const below = Math.floor(size / unit)
  const rest = size / unit - below
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1)
  return (Object.is(x, -0) || x < 0 ? -1 : 1) * (below + (up ? 1 : 0)) * unit
}

const floatOf = (bits: number) => new Float32Array(Uint32Array.of(bits).buffer)[0]

for (const format of formats) {
  const { name, bits } = format

  test(`${name}: all 65,536 patterns mean what IEEE 754 says, and those that are not finite are refused`, (t) => {
    const { id } = parseCodec(name)
    const decoder = parseCodec(name).createDecoder(3)
    const out = new Float32Array(3)
    for (let code = 0; code < 0x1_0000; code++) {
      const meaning = meaningOf(code, format)
      const fault = decoder.decode(id, new Uint8Array(Uint16Array.of(0, code, 0x8000).buffer), 0, out)
      if (!Number.isFinite(meaning)) t.is(fault, 'a number is NaN or infinite', code.toString(16))
      else if (fault !== undefined || !Object.is(out[1], meaning)) t.fail(`${code.toString(16)} is ${out[1]}`)
      else if (!Object.is(out[0], 0) || !Object.is(out[2], -0)) t.fail(`${code.toString(16)} changes its neighbours`)
    }
    t.pass()
  })

  test(`${name}: all finite numbers of the format come back as their own bits`, (t) => {
    const codes = Uint16Array.from({ length: 0x1_0000 }, (_, code) => code).filter((code) =>
      Number.isFinite(meaningOf(code, format))
    )
    const values = Float32Array.from(codes, (code) => meaningOf(code, format))
    const { content, id } = new Pair(name, values.length).encode(values)
    t.is(id, parseCodec(name).id)
    t.deepEqual(new Uint16Array(content.buffer), codes)
  })

  test(`${name}: rounds to nearest, ties to even, from the smallest number to the largest`, (t) => {
    const edges = [0, 1, 0x7f7f_ffff, 0x477f_e000, 0x477f_efff, 0x7f7f_0000, 0x7f7f_7fff]
    const halfway = Array.from({ length: 0x7bff }, (_, code) =>
      [-1, 0, 1].map((step) => {
        const low = meaningOf(code, format)
        const high = meaningOf(code + 1, format)
        return new Uint32Array(Float32Array.of(low / 2 + high / 2).buffer)[0] + step
      })
    )
    const patterns = [...edges, ...halfway.flat()].filter((pattern) => pattern >= 0 && pattern < format.beyond)
    const sizes = patterns.map(floatOf)
    const values = Float32Array.from([...sizes, ...sizes.map((size) => -size)])
    const got = new Pair(name, values.length).pass(t, values)
    const wrong = [...values].filter((value, index) => !Object.is(got[index], rounded(value, format)))
    t.deepEqual(wrong.slice(0, 5), [])
  })

  test(`${name}: rounds any numbers as an independent rounding in float64 does`, (t) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 300 }), (patterns) => {
        const values = Float32Array.from(patterns, floatOf).filter((x) => Math.abs(x) < floatOf(format.beyond))
        const got = new Pair(name, values.length).pass(t, values)
        return values.every((value, index) => Object.is(got[index], rounded(value, format)))
      }),
      { numRuns: 300 }
    )
    t.pass()
  })

  test(`${name}: a range with a number that the format has none for is sent as raw float32, and no number is changed silently`, (t) => {
    for (const sign of [1, -1]) {
      const values = Float32Array.from({ length: 20_000 }, (_, k) => Math.sin(k))
      values[12_345] = sign * floatOf(format.beyond)
      const pair = new Pair(name, values.length)
      t.is(pair.encode(values).id, rawCodecId)
      t.deepEqual(pair.pass(t, values), values)
      values[12_345] = sign * floatOf(format.beyond - 1)
      t.is(pair.encode(values).id, parseCodec(name).id)
    }
  })

  test(`delta-${name}: what a change saturates at is made up for in the rounds after`, (t) => {
    const pair = new Pair(`delta-${name}`, 2)
    pair.pass(t, Float32Array.of(0, 1))
    const rounds = Array.from({ length: 8 }, () => pair.pass(t, Float32Array.of(200_000, 1)))
    t.true(Math.abs(rounds[7][0] - 200_000) <= 200_000 * 2 ** -(bits + 1))
  })

  test(`${name}: the error is at most half a unit in the last place`, (t) => {
    const waves = Float32Array.from({ length: 20_000 }, (_, k) => Math.sin(k) * 2 ** ((k % 24) - 9))
    const values = waves.filter((x) => Math.abs(x) > 2 ** -14)
    const got = new Pair(name, values.length).pass(t, values)
    const worst = Math.max(...values.map((x, k) => Math.abs(got[k] - x) / powerOf(Math.abs(x))))
    t.true(worst <= 2 ** -(bits + 1), `${worst}`)
    t.true(worst > 0.99 * 2 ** -(bits + 1), `${worst}: some error comes near to the bound`)
  })
}
