/** DivShare in virtual time: what each number becomes, and what a slow link or a slow peer costs the others. */
import { fabricWith, type Fabric, type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { apart, recordOf, runAtOwnPace } from './own-pace.js'
import { peersOf } from './recursion.js'

const divShare = recordOf('divshare')
const peers = peersOf(6)
const topology = createTopology({ peers, graph: { kind: 'complete' } })
const options = { fragments: 4, receivers: 2, period: 2 }

test('each number becomes the mean of one’s own and the newest that came of each sender, whatever is late or lost', async (t) => {
  const inbox = new Map<PeerName, Map<string, number>>(peers.map((peer) => [peer, new Map()]))
  const random = createRandom(1, 'loss')
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      send: (to, message) => (random.uniform() < 0.2 ? 'queued' : fabric.send(to, message)),
      receive: async (until) => {
        const envelope = await fabric.receive(until)
        const { vector, part } = envelope?.message ?? { vector: [] }
        if (vector.length > 0) inbox.get(fabric.self)?.set(`${part} ${envelope?.from}`, vector[0])
        return envelope
      }
    })
  const counts = new Set<number>()
  await runAtOwnPace(divShare, {
    topology,
    spread: 4,
    seen,
    settings: { options },
    cost: (peer) => 1 + random.integer(4) + (peer === peers[0] ? 5 : 0),
    onStep: (peer, { round, moves, parameters }) => {
      const come = inbox.get(peer) as Map<string, number>
      for (const [d, own] of moves[0].to.values.entries()) {
        const theirs = round % 2 === 0 ? [] : [...come].filter(([key]) => key.startsWith(`${d} `))
        const sum = theirs.reduce((total, [, value]) => total + value, own)
        t.true(Math.abs(sum / (1 + theirs.length) - parameters[d]) < 1e-6)
        counts.add(theirs.length)
      }
      if (round % 2 === 1) come.clear()
    }
  })
  t.true(counts.size > 3, [...counts].join())
})

test('a slow uplink delays no other peer, and its queue holds at most what two exchanges send', async (t) => {
  // A fragment takes 8 ms over the slow line, and 8 are sent after every 20 ms.
  const { path } = uniformLinks({ latency: 1 })
  const line = (peer: PeerName) => (peer === peers[0] ? 1e6 : Number.POSITIVE_INFINITY)
  const links = { access: (peer: PeerName) => ({ up: line(peer), down: Number.POSITIVE_INFINITY }), path }
  const rounds = new Map<PeerName, number>()
  const ages: number[] = []
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      receive: async (until) => {
        const envelope = await fabric.receive(until)
        const { vector, round } = envelope?.message ?? { vector: [], round: 0 }
        const now = rounds.get(fabric.self) ?? 0
        if (vector.length > 0 && envelope?.from === peers[0] && now < 99) ages.push(now - round)
        return envelope
      }
    })
  const onStep = (peer: PeerName, { round }: { round: number }) => rounds.set(peer, round)
  const run = { topology, settings: { options, rounds: 100 }, extraBytes: 1000, cost: () => 10, links, seen, onStep }
  const { ends } = await runAtOwnPace(divShare, run)
  for (const peer of peers) t.is(ends.get(peer), 1000)
  t.true(ages.length > 80 && Math.max(...ages) < 40, `${ages.length} came, up to ${Math.max(...ages)} rounds old`)
})

test('a neighbour that acknowledges nothing gets the fragments of two exchanges, and is tried again after 16', async (t) => {
  const [a, b] = peers
  const sent: number[] = []
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      send: (to, message) => {
        const isFragment = message.vector.length > 0
        if (isFragment && fabric.self === a && message.round < 70) sent.push(message.round)
        return !isFragment && fabric.self === b ? 'queued' : fabric.send(to, message)
      }
    })
  const settings = { options: { fragments: 1, receivers: 1, period: 2 }, rounds: 70 }
  const pair = createTopology({ peers: [a, b], graph: { kind: 'complete' } })
  await runAtOwnPace(divShare, { topology: pair, seen, settings, cost: () => 10 })
  t.deepEqual(sent, [1, 3, 33, 35, 65, 67])
})

test('a peer that computes ten times as long delays no other, and all end with one model at the optimum, also where a queue is full', async (t) => {
  const told = new Set<string>()
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabricWith(fabric, {
      // The first notice that a peer has ended finds no room.
      send: (to, message) => {
        const isRefused = message.kind === 0 && !told.has(`${fabric.self} ${to}`)
        if (isRefused) told.add(`${fabric.self} ${to}`)
        return isRefused ? 'full' : fabric.send(to, message)
      }
    })
  const { models, ends, optimum } = await runAtOwnPace(divShare, {
    topology,
    settings: { options, rounds: 60, finalRounds: 1, rate: (k) => 0.5 / (1 + k / 20), timeout: 500 },
    cost: (peer) => (peer === peers[0] ? 100 : 10),
    seen,
    onStep: (peer, { phase }, now) => t.true(phase === 'train' || now < 6500, `${peer} ends at ${now} ms`)
  })
  for (const peer of peers) t.is(ends.get(peer), peer === peers[0] ? 6000 : 600)
  for (const [peer, model] of models) {
    t.true(apart(model, models.get(peers[0]) ?? []) < 1e-5, `${peer} ends apart`)
    t.true(apart(model, optimum) < 0.02 * Math.hypot(...optimum), `${peer}: ${model}, and the optimum is ${optimum}`)
  }
})
