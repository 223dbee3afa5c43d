import { peerName, type PeerName } from '@murmuration/core'
import { createLinks } from '@murmuration/files'
import test from 'ava'
import { perBatch, stagePlans, type StagesWanted } from './stage-plans.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)
const even = { parameters: 1000, operations: 1, outputs: 10, mixesSamples: false }
const parts = [0, 1, 2, 3].map((layer) => ({ ...even, layer }))
const times = parts.map((_, index) => ({
  forward: { perPass: 0, perSample: index === 3 ? 0 : 1 },
  backward: { perPass: 0, perSample: index === 3 ? 3 : 2 }
}))
const noLinks = createLinks({}, peers)
const wanted: StagesWanted = { peers, links: noLinks, parts, times, targets: 1, batch: 8, schedule: '1f1b' }
const named = (lines: readonly (readonly PeerName[])[]) =>
  lines
    .map((line) => line.join(''))
    .sort()
    .join(' ')

test('without links and costs of a pass, micro-batches are single samples, and all lines compute at once', (t) => {
  const plans = stagePlans(wanted)
  t.deepEqual(plans.map(({ cuts }) => cuts.join()).sort(), ['1,2,3', '2'])
  for (const { cuts, splitSize, round, averaging, idle } of plans) {
    const stages = cuts.length + 1
    t.is(splitSize, 1)
    t.is(averaging, 0)
    // 8 micro-batches of 12 / stages each, and the ramp.
    t.true(Math.abs(round - ((8 + stages - 1) * 12) / stages) < 12 / stages + 1e-9, `${round}`)
    t.true(idle > 0 && idle < 0.3)
  }
  t.is(plans[0].lines.length, 2, 'two lines of two stages do more than one of four')
  t.true(perBatch(plans[0]) < perBatch(plans[1]))
})

test('a pass that costs something makes micro-batches larger, and batch normalisation one', (t) => {
  const slow = times.map(({ forward, backward }) => ({
    forward: { ...forward, perPass: 3 },
    backward: { ...backward, perPass: 3 }
  }))
  for (const { splitSize } of stagePlans({ ...wanted, times: slow })) t.true(splitSize > 1)
  const mixing = parts.map((part) => ({ ...part, mixesSamples: true }))
  for (const { splitSize } of stagePlans({ ...wanted, parts: mixing })) t.is(splitSize, 8)
})

test('a stage has no more parameters than there is room for', (t) => {
  t.deepEqual(
    stagePlans({ ...wanted, room: () => 4000 }).map(({ cuts }) => cuts.length),
    [3]
  )
  t.deepEqual(stagePlans({ ...wanted, room: () => 3999 }), [])
})

test('what exchanges most is near: the peers of a stage where models are large, those of a line where activations are', (t) => {
  const home = (name: string, all: string[]) => ({ name, up: 1e6, down: 1e6, peers: all })
  const sites = createLinks(
    { default: { bandwidth: 1e9, latency: 0 }, pipes: [home('x', ['a', 'c']), home('y', ['b', 'd'])] },
    peers
  )
  const best = (parameters: number, outputs: number) => {
    const all = parts.map((part) => ({ ...part, parameters, outputs }))
    return stagePlans({ ...wanted, links: sites, parts: all }).find(({ lines }) => lines.length === 2)?.lines ?? []
  }
  t.is(named(best(100_000, 1)), 'ab cd')
  t.is(named(best(10, 10_000)), 'ac bd')
})
