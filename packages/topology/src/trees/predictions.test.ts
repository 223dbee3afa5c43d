import test from 'ava'
import { packAllReduce } from './pack-trees.js'
import { millisecondsFor } from './predicted-time.js'
import { predictChain, predictDirect, predictHalvingDoubling, predictRing, predictTrees } from './predictions.js'
import { linesOf } from './shared-lines.js'
import { timeOfTransfers } from './transfers.js'
import { isNear, linksWith, named } from './trees.test.support.js'

/** 8 bytes a millisecond a unit. */
const unit = 64_000

test('transfers share lines evenly, wait for what they need, and follow each other on a connection', (t) => {
  const up = [unit, unit, unit]
  const lines = linesOf(named(3), linksWith({ up }))
  const time = (...transfers: readonly (readonly [from: number, to: number, bytes: number, ...needs: number[]])[]) =>
    timeOfTransfers(
      lines,
      () => 5,
      transfers.map(([from, to, bytes, ...needs]) => ({ from, to, bytes, needs }))
    )
  t.is(time(), 0)
  t.is(time([0, 1, 80]), 15)
  t.is(time([0, 1, 80], [0, 1, 80]), 25, 'one after the other')
  t.is(time([0, 1, 80], [0, 2, 160]), 35, 'the longer one has the line alone once the other is sent')
  t.is(time([0, 1, 80], [1, 2, 80, 0]), 30, 'forwarded')
  t.is(time([0, 2, 40], [1, 2, 80], [2, 0, 80, 0, 1]), 30, 'a sum waits for both')
  t.is(
    timeOfTransfers(linesOf(named(2), linksWith({})), () => 7, [{ from: 0, to: 1, bytes: 1e9, needs: [] }]),
    7
  )
})

const latency = 10
const even = (n: number) => linksWith({ up: named(n).map(() => 1e7), down: named(n).map(() => 1e7), latency })

test('on even lines collectives take what their papers say, and headers', (t) => {
  const bytes = 2 ** 24
  for (const n of [2, 5, 8]) {
    const peers = named(n)
    const size = (8000 * bytes) / 1e7
    const shared = (2 * (n - 1) * size) / n
    const times = {
      ring: [predictRing(peers, even(n), 16), shared + latency],
      direct: [predictDirect(peers, even(n), 16), shared + latency],
      halving: [predictHalvingDoubling(peers, even(n)), shared + 2 * Math.ceil(Math.log2(n)) * latency],
      chain: [predictChain(peers, even(n), 64), (1 + (n - 2) / 64) * size + (n - 1) * latency],
      trees: [predictTrees(peers, even(n), packAllReduce(peers, even(n)).trees, 1024), shared + latency]
    } as const
    for (const [name, [time, expected]] of Object.entries(times)) {
      t.true(isNear(millisecondsFor(time, bytes), expected, 0.01), `${name} of ${n}: ${millisecondsFor(time, bytes)}`)
    }
    t.true(isNear(millisecondsFor(times.direct[0], 4), 2 * latency, 0.2), 'a short vector takes two latencies')
  }
})

test('a predicted time is met at each length that was computed, also where it grows ever more slowly', (t) => {
  const times = [
    { bytes: 100, time: 1 },
    { bytes: 200, time: 9 },
    { bytes: 400, time: 11 }
  ]
  const seen = [100, 150, 200, 300, 400, 800].map((bytes) => millisecondsFor(times, bytes))
  t.deepEqual(seen, [1, 5, 9, 10, 11, 15])
  t.is(millisecondsFor(times, 50), 0, 'not below 0')
  t.is(millisecondsFor(times.slice(0, 1), 1e6), 1, 'what does not depend on the length')
})

test('among more than 64 peers, and with fewer chunks than are sent, times stay about the same', (t) => {
  const bytes = 2 ** 22
  const played = millisecondsFor(predictDirect(named(64), even(64), 16), bytes)
  const estimated = millisecondsFor(predictDirect(named(65), even(65), 16), bytes)
  t.true(isNear(estimated / played, 1, 0.02), `${estimated} and ${played}`)
})
