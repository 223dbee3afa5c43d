// Compares failure detectors: each replays the recorded signs (record.mjs) of peers that were all alive:
//
//   node studies/detectors/table.mjs FOLDER…
//
// A peer votes against a contact once its detector gives it up; two votes at the same time are a death, whatever the
// detector. "known" is the time from a death, at 2,000 random moments of the recording, until two of the other three
// have voted, including ticks of 250 ms. What others would say of a suspected peer is not replayed, so false votes that
// asking them would avoid are counted.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { membershipDefaults } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import Table from 'cli-table3'
import { Suspicion } from '@murmuration/membership'

const { tick, probeFor } = membershipDefaults
const fixed = (limit) => () => ({ hear: () => {}, limit: () => limit })

/**
 * The normal quantile at which phi is 8, by the usual logistic approximation: 1 − Φ(y) = 1 / (1 + e^(y (1.5976 +
 * 0.070566 y²))).
 */
const phi8 = (() => {
  let y = 0
  while (y * (1.5976 + 0.070566 * y * y) < Math.log(1e8 - 1)) y += 1e-3
  return y
})()

/** Phi-accrual (Hayashibara et al. 2004) over the last 1,000 gaps, with a deviation of 100 ms at least. */
function phi(pause) {
  return () => {
    const gaps = []
    let sum = 0
    let squares = 0
    return {
      hear: (at, gap) => {
        gaps.push(gap)
        const old = gaps.length > 1000 ? gaps.shift() : 0
        sum += gap - old
        squares += gap * gap - old * old
      },
      limit: () => {
        const n = Math.max(1, gaps.length)
        const mean = sum / n
        return mean + pause + phi8 * Math.max(100, Math.sqrt(Math.max(0, squares / n - mean * mean)))
      }
    }
  }
}

function ours() {
  const suspicion = new Suspicion(membershipDefaults)
  return { hear: (at) => suspicion.heard('x', at), limit: () => suspicion.suspectAfter('x') + probeFor }
}

/** Name, clock (the machine's, or the awake one, which stops while the own process is suspended), detector. */
const detectors = [
  ['silence of 2 s', 'now', fixed(2000)],
  ['silence of 5 s', 'now', fixed(5000)],
  ['phi 8', 'now', phi(0)],
  ['phi 8, a pause of 3 s allowed', 'now', phi(3000)],
  ['silence of 2 s, 1.5 s to show itself, own stalls excused', 'awake', fixed(2000 + probeFor)],
  ['ours without excusing own stalls', 'now', ours],
  ['ours: twice the largest gap, 2 to 5 s, and 1.5 s; own stalls excused', 'awake', ours]
]

/** For each watched peer and each watching one, the times of its signs, by both clocks. */
function watchesIn(folder) {
  const targets = new Map()
  for (const file of readdirSync(folder).filter((name) => name.startsWith('gaps-'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
      const [peer, now, awake] = line.split(' ')
      const watches = targets.get(peer) ?? new Map()
      targets.set(peer, watches)
      const watch = watches.get(file) ?? { now: [], awake: [] }
      watches.set(file, watch)
      watch.now.push(Number(now))
      watch.awake.push(Number(awake))
    }
  }
  return [...targets.values()].map((watches) => [...watches.values()])
}

/**
 * Replays one watch: the silence that the detector allows after each sign, and the times when it would have voted
 * against the live peer.
 */
function replay(watch, clock, make) {
  const times = watch[clock]
  const detector = make()
  const limits = []
  const votes = []
  for (const [place, at] of times.entries()) {
    const gap = at - (times[place - 1] ?? at)
    const silence = watch.now[place] - (watch.now[place - 1] ?? watch.now[place])
    const limit = limits.at(-1) ?? Number.POSITIVE_INFINITY
    if (gap > limit) votes.push([watch.now[place] - silence + limit, watch.now[place]])
    detector.hear(at, gap)
    limits.push(detector.limit())
  }
  return { limits, votes }
}

/** How often two watches voted at the same time. */
function deathsOf(votes) {
  const all = votes.flatMap((each, watch) => each.map(([from, to]) => ({ watch, from, to })))
  return all.filter(({ watch, from }) =>
    all.some((other) => other.watch < watch && other.from <= from && from < other.to)
  ).length
}

/** The time until two of three have voted against a peer that dies at a given moment. */
function knownAfter(watches, replays, at, random) {
  const after = watches.map(({ now }, place) => {
    let low = 0
    let high = now.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (now[middle] <= at) low = middle + 1
      else high = middle
    }
    const last = low - 1
    return now[last] + replays[place].limits[last] + random.uniform() * tick - at
  })
  return after.sort((a, b) => a - b)[1]
}

const recordings = process.argv.slice(2).map(watchesIn)
const watches = recordings.flat(2)
const hours =
  recordings.reduce((sum, targets) => sum + Math.max(...targets.flat().map(({ now }) => now.at(-1) - now[0])), 0) /
  3.6e6
const gaps = watches.flatMap(({ now }) => now.slice(1).map((at, place) => at - now[place])).sort((a, b) => a - b)
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
console.log(
  `${hours.toFixed(2)} h, ${watches.length} watches, ${gaps.length} gaps: median ${quantile(gaps, 0.5)} ms, 99 % ${quantile(gaps, 0.99)}, 99.9 % ${quantile(gaps, 0.999)}, longest ${gaps.slice(-5).join(', ')}`
)
const table = new Table({
  head: ['detector', 'false votes an hour', 'false deaths an hour', 'known: median', 'known: worst'],
  style: { head: [], border: [] }
})
for (const [name, clock, make] of detectors) {
  const random = createRandom(1, name)
  let votes = 0
  let deaths = 0
  const known = []
  for (const targets of recordings) {
    for (const each of targets) {
      const replays = each.map((watch) => replay(watch, clock, make))
      votes += replays.reduce((sum, { votes: own }) => sum + own.length, 0)
      deaths += deathsOf(replays.map(({ votes: own }) => own))
      const from = Math.max(...each.map(({ now }) => now[0])) + 60_000
      const to = Math.min(...each.map(({ now }) => now.at(-1)))
      for (let draw = 0; draw < 2000 / targets.length / recordings.length; draw++)
        known.push(knownAfter(each, replays, from + random.uniform() * (to - from), random))
    }
  }
  known.sort((a, b) => a - b)
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
  table.push([
    name,
    (votes / hours).toFixed(1),
    (deaths / hours).toFixed(1),
    seconds(quantile(known, 0.5)),
    seconds(known.at(-1))
  ])
}
console.log(table.toString())
