import test from 'ava'
import fc from 'fast-check'
import * as z from 'zod'
import { bitRate, byteSize, duration, durationText, fraction } from './quantities.js'

test('a time is written as it would be read', (t) => {
  const texts = ['24 h', '90 min', '30 s', '1500 ms', '0.5 ms', '0 s']
  t.deepEqual(
    texts.map((text) => durationText(duration().parse(text))),
    texts
  )
})

test('quantities are read in base units: ms, bit/s, bytes, fractions of 1', (t) => {
  const times = ['10 ms', '250 us', '1.5 s', '2 min', '1 h', '0 ms', '7ms'].map((text) => duration().parse(text))
  t.deepEqual(times, [10, 0.25, 1500, 120_000, 3_600_000, 0, 7])
  const rates = ['25 Mbit/s', '1.4 Gbit/s', '64 kbit/s', '1 bit/s', '1 MB/s'].map((text) => bitRate().parse(text))
  t.deepEqual(rates, [25e6, 1.4e9, 64e3, 1, 8e6])
  const sizes = ['2 MB', '1 KiB', '3 B', '1 GiB'].map((text) => byteSize().parse(text))
  t.deepEqual(sizes, [2e6, 1024, 3, 2 ** 30])
  t.deepEqual(
    ['1 %', '0 %', '100 %', '0.1 %'].map((text) => fraction().parse(text)),
    [0.01, 0, 1, 0.001]
  )
})

test('a number without a unit, a wrong unit and values out of range are refused', (t) => {
  for (const wrong of [10, '10', '10 sec', '10  ms', '-1 ms', '1e3 ms', ' 1 ms', 'ms', '', null, Number.NaN]) {
    t.false(duration().safeParse(wrong).success, String(wrong))
  }
  t.false(fraction().safeParse('100.1 %').success)
  t.false(bitRate().safeParse('0 Mbit/s').success)
  t.false(bitRate().safeParse('25 mbit/s').success)
  t.false(duration().safeParse(`1${'0'.repeat(400)} ms`).success)
})

test('the JSON Schema accepts exactly the texts that the reader accepts, but for ranges', (t) => {
  const schema = z.toJSONSchema(duration(), { io: 'input' })
  t.is(schema.type, 'string')
  const pattern = new RegExp(String(schema.pattern))
  const part = fc.constantFrom('1', '2.5', ' ', 'ms', 's', 'h', '.', 'x', 'us')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      t.is(pattern.test(parts.join('')), duration().safeParse(parts.join('')).success)
    })
  )
})
