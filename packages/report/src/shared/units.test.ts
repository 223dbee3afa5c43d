import test from 'ava'
import { timeDecades, timeTicks } from './ticks.js'
import {
  bandwidthText,
  bytesText,
  countText,
  factorText,
  percentText,
  rangeText,
  secondsText,
  settingText
} from './units.js'

test('times have the unit that people would choose', (t) => {
  const truth: readonly (readonly [number, string])[] = [
    [0, '0 s'],
    [0.000_02, '20 µs'],
    [0.0139, '13.9 ms'],
    [0.9999, '1 s'],
    [13.94, '13.9 s'],
    [599, '599 s'],
    [600, '10 min'],
    [7200, '2 h'],
    [200_000, '2.31 days']
  ]
  for (const [seconds, text] of truth) t.is(secondsText(seconds), text)
})

test('bytes and bits per second count in thousands, as networks do', (t) => {
  t.is(bytesText(0), '0 B')
  t.is(bytesText(999), '999 B')
  t.is(bytesText(999_999), '1 MB')
  t.is(bytesText(1_234_567_890), '1.23 GB')
  t.is(bandwidthText(10_000_000), '10 Mbit/s')
  t.is(bandwidthText(Infinity), 'unlimited')
})

test('factors have two digits after the point near 1, and none where nobody needs them', (t) => {
  const truth: readonly (readonly [number, string])[] = [
    [0, '0x'],
    [0.05, '0.05x'],
    [0.914, '0.91x'],
    [1, '1.00x'],
    [1.994, '1.99x'],
    [1.996, '2.0x'],
    [3.44, '3.4x'],
    [9.96, '10x'],
    [119.4, '119x'],
    [Infinity, '∞']
  ]
  for (const [factor, text] of truth) t.is(factorText(factor), text)
})

test('an axis tells the unit of its values', (t) => {
  t.is(settingText('bandwidth', 1e6), '1 Mbit/s')
  t.is(settingText('latency', 0.1), '0.1 ms')
  t.is(settingText('latency', 1500), '1.5 s')
  t.is(settingText('peers', 8), '8')
  t.is(settingText('topology', 'ring'), 'ring')
})

test('fractions, counts and ranges', (t) => {
  t.is(percentText(0.625), '62.5 %')
  t.is(countText(72_100), '72,100')
  t.is(countText(2_140_000), '2.14 million')
  t.is(rangeText('4.64 GB', '4.82 GB'), '4.64 – 4.82 GB')
  t.is(rangeText('900 MB', '1.1 GB'), '900 MB – 1.1 GB')
  t.is(rangeText('13.1 s', 'never'), '13.1 s – never')
  t.is(rangeText('3', '4'), '3 – 4')
})

test('marks of time are round in their own unit', (t) => {
  const texts = (from: number, to: number) => timeTicks(from, to, 5).map(({ text }) => text)
  t.deepEqual(texts(0, 0.72), ['0 s', '200 ms', '400 ms', '600 ms'])
  t.deepEqual(texts(0, 50), ['0 s', '10 s', '20 s', '30 s', '40 s', '50 s'])
  t.deepEqual(texts(0, 1300), ['0 s', '5 min', '10 min', '15 min', '20 min'])
  t.deepEqual(texts(0, 20_000), ['0 s', '2 h', '4 h'])
  t.deepEqual(timeTicks(3, 3, 5), [{ seconds: 3, text: '3 s' }])
})

test('marks of time on a logarithmic axis are about tenfold, and as few as fit', (t) => {
  const texts = (count: number) => timeDecades(0.5, 20_000, count).map(({ text }) => text)
  t.deepEqual(texts(10), ['1 s', '10 s', '1 min', '10 min', '1 h'])
  t.deepEqual(texts(3), ['1 s', '1 min', '1 h'])
})
