import { type Mixing, type PeerName, peerName, type Topology } from '@murmuration/core'
import { compresses, hasMembers, keptOn, lossRule, refusals } from '@murmuration/engine'
import test from 'ava'
import { adPsgd } from './methods/ad-psgd.js'
import { csPlus } from './methods/cs-plus.js'
import { d2 } from './methods/d2.js'
import { divShare } from './methods/divshare.js'
import { dpsgd } from './methods/dpsgd.js'
import { exactDiffusion } from './methods/exact-diffusion.js'
import { extra } from './methods/extra.js'
import { gossipPga } from './methods/gossip-pga.js'
import { gradientTracking } from './methods/gradient-tracking.js'
import { krumSgd } from './methods/krum.js'
import { moshpit } from './methods/moshpit.js'
import { powerGossip } from './methods/power-gossip.js'
import { qgDsgdm } from './methods/qg-dsgdm.js'
import { relaySgd } from './methods/relay-sgd.js'
import { robustPushSum } from './methods/robust-push-sum.js'
import { sgp } from './methods/sgp.js'
import { trimmedMeanSgd } from './methods/trimmed-mean.js'
import { allAlgorithms } from './registry.js'

const names = ['a', 'b', 'c'].map(peerName)

/** A topology with these mixing matrices, one for each round of a period. */
function topologyOf(...matrices: readonly (readonly (readonly number[])[])[]): Topology {
  const weighted = (weights: readonly number[], self: number) =>
    weights.flatMap((weight, place) => (place !== self && weight > 0 ? [{ name: names[place], weight }] : []))
  const mixing = (peer: PeerName, round: number): Mixing => {
    const W = matrices[round % matrices.length]
    const self = names.indexOf(peer)
    const column = W.map((row) => row[self])
    return { selfWeight: W[self][self], receiveFrom: weighted(W[self], self), sendTo: weighted(column, self) }
  }
  return { peers: names.slice(0, matrices[0].length), period: matrices.length, mixing }
}

const third = 1 / 3
const averaged = names.map(() => [third, third, third])
const skewed = [
  [0.5, 0.5, 0],
  [third, third, third],
  [0, 0.5, 0.5]
]
const complete = topologyOf(averaged)
const path = topologyOf([
  [0.5, 0.5, 0],
  [0.5, 0.25, 0.25],
  [0, 0.25, 0.75]
])
const rowsAlone = topologyOf(skewed)
const columnsAlone = topologyOf([
  [0.5, third, 0],
  [0.5, third, 0.5],
  [0, third, 0.5]
])
const oneWay = topologyOf([
  [0.5, 0.5, 0],
  [0, 0.5, 0.5],
  [0.5, 0, 0.5]
])
const servers = [peerName('s')]

test('each algorithm is refused where the sums that it needs are not 1, in any round of a period', (t) => {
  for (const record of [dpsgd, sgp, gossipPga]) t.deepEqual(refusals(record, { topology: complete, servers: [] }), [])
  t.deepEqual(refusals(dpsgd, { topology: rowsAlone, servers: [] }), [])
  t.deepEqual(refusals(sgp, { topology: columnsAlone, servers: [] }), [])
  t.regex(refusals(dpsgd, { topology: columnsAlone, servers: [] })[0], /^D-PSGD needs .* found a \(0\.833\)/)
  t.regex(refusals(sgp, { topology: rowsAlone, servers: [] })[0], /^SGP .* found a \(0\.833\), b \(1\.33\).*metropolis/)
  const later = topologyOf(averaged, skewed)
  t.is(refusals(gossipPga, { topology: later, servers: [] }).length, 1)
})

test('symmetry is tested on the weights, and a tree on the edges', (t) => {
  t.deepEqual(refusals(adPsgd, { topology: path, servers: [] }), [])
  t.regex(refusals(adPsgd, { topology: oneWay, servers: [] })[0], /same weight/)
  t.deepEqual(refusals(relaySgd, { topology: path, servers: [] }), [])
  t.regex(refusals(relaySgd, { topology: complete, servers: [] })[0], /found 3 edges between 3 peers/)
  t.regex(refusals(relaySgd, { topology: oneWay, servers: [] })[0], /one way/)
  t.regex(refusals(relaySgd, { topology: topologyOf([[1]], [[1]]), servers: [] })[0], /changes by round/)
})

test('a fixed graph and eigenvalues are tested on W: D² is refused on a ring of 4 with thirds, where λₙ is −1/3, and not on one of 5', (t) => {
  const ring = (size: number) => {
    const peers = Array.from({ length: size }, (_, place) => peerName(`p${place}`))
    const weighted = (places: readonly number[]) =>
      places.map((place) => ({ name: peers[place % size], weight: third }))
    const mixing = (peer: PeerName): Mixing => {
      const both = weighted(
        [peers.indexOf(peer) + 1, peers.indexOf(peer) + size - 1].sort((a, b) => (a % size) - (b % size))
      )
      return { selfWeight: third, receiveFrom: both, sendTo: both }
    }
    return { peers, period: 1, mixing }
  }
  t.deepEqual(refusals(d2, { topology: ring(5), servers: [] }), [])
  t.regex(refusals(d2, { topology: ring(4), servers: [] })[0], /above -0.333, and found -0.333.*exact-diffusion/)
  t.deepEqual(refusals(exactDiffusion, { topology: ring(4), servers: [] }), [])
  t.regex(
    refusals(extra, { topology: topologyOf(averaged, averaged), servers: [] })[0],
    /same neighbours in every round/
  )
  t.regex(refusals(extra, { topology: oneWay, servers: [] })[0], /same weight/)
})

test('groups are tested in every round: two peers with a common neighbour are neighbours, and edges go both ways', (t) => {
  const pair = topologyOf(
    [
      [0.5, 0.5, 0],
      [0.5, 0.5, 0],
      [0, 0, 1]
    ],
    averaged
  )
  for (const topology of [complete, pair]) t.deepEqual(refusals(moshpit, { topology, servers: [] }), [])
  const found = (topology: Topology) => refusals(moshpit, { topology, servers: [] }).join()
  t.regex(found(path), /in round 0 b is a neighbour of a and c, which are not neighbours; choose .* moshpit-grid/)
  const swapped = [1, 0, 2].map((row) => [1, 0, 2].map((column) => skewed[row][column]))
  t.regex(found(topologyOf(averaged, swapped)), /in round 1 a is a neighbour of b and c, which are not neighbours/)
  t.regex(found(oneWay), /in round 0 a sends to c and receives nothing from it/)
})

test('rules that add differences are refused with a codec that rounds', (t) => {
  for (const record of [d2, exactDiffusion, extra, gradientTracking, powerGossip]) {
    t.deepEqual(refusals(record, { topology: complete, servers: [], codec: 'float32' }), [])
    for (const codec of ['bfloat16', 'delta-int8', 'auto']) {
      const found = refusals(record, { topology: complete, servers: [], codec })
      t.is(found.length, 1)
      t.true(found[0].startsWith(`${record.title} needs codec float32, and found ${codec}: `), found[0])
    }
  }
  t.deepEqual(refusals(dpsgd, { topology: complete, servers: [], codec: 'int8' }), [])
})

test('a rule that divides differences by the rate is refused with the coarsest codec', (t) => {
  const found = (codec: string) => refusals(qgDsgdm, { topology: complete, servers: [], codec })
  for (const codec of ['float32', 'int8', 'delta-int4', 'auto']) t.deepEqual(found(codec), [])
  t.regex(found('int4').join(), /^QG-DSGDm needs a codec other than int4: .*; choose delta-int4 or int8$/)
  t.deepEqual(refusals(dpsgd, { topology: complete, servers: [], codec: 'int4' }), [])
})

test('servers are refused by those who have no use for them, and missed by those who have', (t) => {
  t.regex(refusals(dpsgd, { topology: complete, servers })[0], /no servers, and found 1/)
  const served = { ...dpsgd, title: 'Served', server: dpsgd }
  t.deepEqual(refusals(served, { topology: complete, servers }), [])
  t.regex(refusals(served, { topology: complete, servers: [] })[0], /Served needs a server, and found 0/)
})

test('what compresses is read off the channels: packed vectors, and factors of low rank', (t) => {
  const found = allAlgorithms.filter(compresses).map(({ name }) => name)
  const byPacking = ['choco', 'motef', 'dcd-psgd', 'deepsqueeze', 'sparse-gossip', 'moniqua', 'robust-push-sum']
  const central = ['quantised-diloco', 'sparseloco', 'svm-blocks', 'cocktail-sgd']
  t.deepEqual(found.sort(), [...byPacking, ...central, 'power-gossip', 'power-sgd'].sort())
})

test('peers come and go where no message, no peer and no tree is needed for certain, also where rounds are nobody’s but a peer’s own', (t) => {
  const others = [gossipPga, relaySgd, { ...dpsgd, server: dpsgd }]
  t.deepEqual([dpsgd, adPsgd, divShare, sgp, moshpit].map(hasMembers), [true, true, true, true, true])
  t.deepEqual(others.map(hasMembers), [false, false, false])
  const { weights, delivery } = robustPushSum.needs
  t.deepEqual([robustPushSum, { ...robustPushSum, needs: { weights, delivery } }].map(hasMembers), [false, true])
})

test('D-PSGD keeps the mean only where the columns sum to 1, and who answers at any time keeps none of a round', (t) => {
  t.is(keptOn(dpsgd, complete), 'mean')
  t.is(keptOn(dpsgd, oneWay), 'mean')
  t.is(keptOn(dpsgd, rowsAlone), 'nothing')
  t.is(keptOn(sgp, columnsAlone), 'weighted mean')
  t.is(keptOn(adPsgd, complete), 'nothing')
})

test('a robust algorithm is refused where a peer has too few neighbours in some round to tell which are wrong', (t) => {
  const peers = Array.from({ length: 5 }, (_, index) => peerName(`p${index}`))
  const weight = 0.2
  /** Each peer has the `count` next ones as neighbours. */
  const near = (...counts: readonly number[]): Topology => ({
    peers,
    period: counts.length,
    mixing: (peer, round) => {
      const count = counts[round % counts.length]
      const all = Array.from({ length: count }, (_, step) => ({
        name: peers[(peers.indexOf(peer) + step + 1) % 5],
        weight
      }))
      return { selfWeight: 1 - count * weight, receiveFrom: all, sendTo: all }
    }
  })
  const found = (record: typeof krumSgd, topology: Topology, options = {}) =>
    refusals(record, { topology, servers: [], options })
  for (const [record, needed] of [
    [trimmedMeanSgd, 3],
    [csPlus, 3],
    [krumSgd, 4]
  ] as const) {
    t.deepEqual(found(record, near(needed)), [])
    t.regex(
      found(record, near(needed, needed - 1))[0],
      new RegExp(
        `needs at least ${needed} neighbours for each peer with these options, and found p0 \\(${needed - 1}\\).*; choose a graph`
      )
    )
  }
  t.regex(
    found(trimmedMeanSgd, near(4), { b: 2 })[0],
    /at least 5 neighbours .* p3 \(4\) and 1 more; that takes 6 peers$/
  )
  t.deepEqual(found(csPlus, near(1), { b: 0 }), [])
  t.deepEqual(found(krumSgd, { ...near(0), peers: peers.slice(0, 1) }), [])
})

test('what a loss means for each algorithm: rows end it, all but edges and services have epochs', (t) => {
  const named = (onLoss: string) =>
    allAlgorithms.filter((record) => lossRule(record).onLoss === onLoss).map(({ name }) => name)
  t.deepEqual(named('ends').sort(), ['adapm', 'classic-local-server', 'classic-server', 'lapse', 'petuum'])
  const withoutEdges = named('continues').filter((name) => !joining.has(name))
  t.deepEqual(withoutEdges, ['parameter-services'])
  for (const record of [relaySgd, robustPushSum, d2, gradientTracking, { ...dpsgd, server: dpsgd }])
    t.like(lossRule(record), { onLoss: 'continues in a new epoch', joins: true }, record.name)
})

const joining = new Set(allAlgorithms.filter(hasMembers).map(({ name }) => name))

test('with onLoss: stop a loss ends what would continue in an epoch, and changes nothing for the others', (t) => {
  for (const record of allAlgorithms) {
    const rule = lossRule(record)
    const stopped = lossRule(record, 'stop')
    if (rule.onLoss !== 'continues in a new epoch') t.deepEqual(stopped, rule, record.name)
    else t.like(stopped, { onLoss: 'ends', joins: false, because: 'the file says "onLoss: stop"' }, record.name)
    t.is(stopped.because === undefined, stopped.onLoss !== 'ends', record.name)
  }
})
