/**
 * Hop in virtual time: D-PSGD when no peer is skipped, rounds that do not wait for late peers, and no peer too far
 * ahead.
 */
import { refusals } from '@murmuration/algorithms'
import { createRandom } from '@murmuration/random'
import { uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { type Fabric, fabricWith, type Milliseconds, type PeerName, type StepReport } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { apart, recordOf, runAtOwnPace } from './own-pace.js'
import { peersOf } from './recursion.js'

const hop = recordOf('hop')
const dpsgd = recordOf('dpsgd')
const peers = peersOf(6)
const topology = createTopology({ peers, graph: { kind: 'complete' } })

/** When all have ended 60 rounds, and the maximum distance of two neighbours in rounds. */
async function runOf(algorithm: typeof hop, cost: (peer: PeerName) => Milliseconds, options = {}) {
  const at = new Map<PeerName, number>(peers.map((peer) => [peer, 0]))
  let most = 0
  const onStep = (peer: PeerName, { round, phase }: { round: number; phase: string }) => {
    if (phase !== 'train') return
    at.set(peer, round + 1)
    most = Math.max(most, ...[...at.values()].map((other) => round + 1 - other))
  }
  const run = await runAtOwnPace(algorithm, { topology, cost, onStep, spread: 1, settings: { options, rounds: 60 } })
  return { ...run, most }
}

/** A gradient takes 10 ms, one of eight 40 ms. */
function sometimesLate() {
  const random = createRandom(2, 'late')
  return () => (random.uniform() < 1 / 8 ? 40 : 10)
}

test('without backup workers, or with a gap of one, it is D-PSGD', async (t) => {
  const joint = await runOf(dpsgd, () => 10)
  for (const options of [{ backup: 0 }, { gap: 1 }]) {
    const { models } = await runOf(hop, sometimesLate(), options)
    for (const [peer, model] of joint.models) t.true(apart(models.get(peer) ?? [], model) < 1e-5, peer)
  }
})

test('a round averages by weight what was sent in that round and has arrived, and lacks no more than the backup workers', async (t) => {
  const inbox = new Map<PeerName, Map<string, readonly number[]>>(peers.map((peer) => [peer, new Map()]))
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      receive: async (until) => {
        const envelope = await fabric.receive(until)
        const { vector, round } = envelope?.message ?? { vector: [], round: 0 }
        if (vector.length > 0) inbox.get(fabric.self)?.set(`${round} ${envelope?.from}`, [...vector])
        return envelope
      }
    })
  const before = new Map<PeerName, readonly number[]>(peers.map((peer) => [peer, [0, 0, 0, 0]]))
  const counts = new Set<number>()
  // All but one pair are neighbours, so that weights differ.
  const edges = peers.flatMap((a, i) => peers.slice(i + 1).map((b): [string, string] => [a, b])).slice(1)
  const near = createTopology({ peers, graph: { kind: 'edges', edges } })
  const onStep = (peer: PeerName, { round, moves, parameters }: StepReport) => {
    const { selfWeight, receiveFrom } = near.mixing(peer, round)
    const all = [{ weight: selfWeight, x: before.get(peer) ?? [] }]
    for (const { name, weight } of receiveFrom) {
      const x = inbox.get(peer)?.get(`${round} ${name}`)
      if (x !== undefined) all.push({ weight, x })
    }
    const whole = all.reduce((sum, { weight }) => sum + weight, 0)
    const mean = all[0].x.map((_, d) => all.reduce((sum, { weight, x }) => sum + (weight / whole) * x[d], 0))
    t.true(apart(mean, moves[0].from.values as unknown as number[]) < 1e-5, `${peer}, round ${round}`)
    before.set(peer, [...parameters])
    counts.add(receiveFrom.length + 1 - all.length)
  }
  const settings = { options: { backup: 2, gap: 3 } }
  await runAtOwnPace(hop, { topology: near, spread: 4, cost: sometimesLate(), seen, onStep, settings })
  t.deepEqual([...counts].sort(), [0, 1, 2])
})

test('one step of eight takes four times as long: with backup workers all wait half as long', async (t) => {
  const waits = async (algorithm: typeof hop, options = {}) => {
    const own = new Map<PeerName, number>()
    const late = sometimesLate()
    const cost = (peer: PeerName) => {
      const time = late()
      own.set(peer, (own.get(peer) ?? 0) + time)
      return time
    }
    const { ends } = await runOf(algorithm, cost, options)
    return peers.reduce((sum, peer) => sum + (ends.get(peer) ?? 0) - (own.get(peer) ?? 0), 0)
  }
  const joint = await waits(dpsgd)
  const hopping = await waits(hop, { backup: 3, gap: 3 })
  t.true(hopping < joint / 2, `${hopping} ms of waiting, D-PSGD ${joint}`)
})

test('a peer that is late once delays others only by what exceeds their allowed lead, and the peers with the maximum lead wait for one that is always slow', async (t) => {
  for (const gap of [1, 2, 3]) {
    let steps = 0
    const once = await runOf(hop, (peer) => (peer === peers[0] && ++steps === 20 ? 35 : 10), { gap })
    // Others end round r when the model of round r + 1 - G has arrived: that of round 20 is sent after 35 ms, and takes
    // 1 ms.
    const wait = Math.max(0, 36 - 10 * (gap + 1))
    for (const peer of peers.slice(1)) t.is(once.ends.get(peer), 600 + wait, `gap ${gap}`)
    const { most, ends } = await runOf(hop, (peer) => (peer === peers[0] ? 100 : 10), { gap })
    t.is(most, gap)
    t.true((ends.get(peers[1]) ?? 0) >= 100 * (60 - gap))
  }
})

test('it ends on drawn graphs, paces and options, and no peer is further ahead of a neighbour than the gap', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = createRandom(seed, 'hop')
    const own = peersOf(3 + random.integer(5))
    const kind = (['ring', 'complete', 'star'] as const)[random.integer(3)]
    const drawn = createTopology({ peers: own, graph: { kind } })
    const options = { backup: random.integer(4), staleness: random.integer(3), gap: 1 + random.integer(3) }
    const paces = new Map(own.map((peer) => [peer, 1 + random.integer(30)]))
    const links = uniformLinks({ latency: 1 + random.integer(30) })
    const cost = (peer: PeerName) => (paces.get(peer) ?? 0) * (random.uniform() < 0.1 ? 8 : 1)
    const at = new Map<PeerName, number>()
    const onStep = (peer: PeerName, { round }: StepReport) => {
      at.set(peer, round + 1)
      const least = Math.min(...drawn.mixing(peer, 0).receiveFrom.map(({ name: other }) => at.get(other) ?? 0))
      t.true(round + 1 - least <= options.gap, `seed ${seed}: ${peer} begins round ${round + 1}, a neighbour ${least}`)
    }
    const settings = { options, rounds: 20, timeout: 1e5 }
    const { ends } = await runAtOwnPace(hop, { topology: drawn, links, cost, onStep, settings })
    t.is(ends.size, own.length, `seed ${seed}: ${JSON.stringify(options)}`)
  }
})

test('links that go one way are refused: a peer would not know how far ahead it is', (t) => {
  const oneWay = createTopology({ peers, graph: { kind: 'exponential' } })
  t.regex(refusals(hop, { topology: oneWay, servers: [] }).join(), /same weight/)
  t.deepEqual(refusals(hop, { topology, servers: [] }), [])
})

test('a gap that the queues do not hold is refused, with the reason', async (t) => {
  await t.throwsAsync(
    runOf(hop, () => 10, { gap: 4 }),
    { message: /at most 3: a peer 4 rounds ahead would overflow/ }
  )
})
