/** An edge is used by both ends or by none, even if messages are late: the mean over the peers does not move. */
import { testEdges } from '@murmuration/contract'
import { type Algorithm, dpsgd, Session } from '@murmuration/algorithms'
import { type Fabric, type PeerName, peerName, type Task } from '@murmuration/core'
import { type Faults, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import { vectorWire } from '@murmuration/wire'
import test from 'ava'
import { libp2pWorld, simulatedWorld } from './worlds.js'

testEdges(test, simulatedWorld)
testEdges(test, libp2pWorld)

const length = 8
const peers = Array.from('abcdef', peerName)
const rounds = 120

/**
 * Gradients that never change, pull neighbours apart, and sum to 0 over the peers: the sum stays, and the peers never
 * agree.
 */
function taskOf(peer: PeerName): Task {
  const sign = peers.indexOf(peer) % 2 === 0 ? 1 : -1
  const vector = () => Float32Array.from({ length }, (_, d) => sign * (1 + d / 8))
  return {
    schema: [{ name: 'x', shape: [length] }],
    samples: 1,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(length) }),
    gradient: () => ({ kind: 'gradient', samples: 1, run: () => ({ loss: 0, vector: vector() }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 1, run: () => ({ loss: 0 }) })
  }
}

/** Start values of all peers, far apart. */
function startOf(peer: PeerName): Float32Array {
  return Float32Array.from({ length }, (_, d) => Math.sin(1 + peers.indexOf(peer) * length + d))
}

interface Run {
  readonly algorithm?: Algorithm
  readonly faults: Faults
  readonly graph?: GraphDescription
  readonly order?: 'combine-then-adapt' | 'adapt-then-combine'
  /** How long a gradient takes; 20 ms when absent. */
  readonly cost?: (peer: PeerName) => number
}

interface Ends {
  readonly models: ReadonlyMap<PeerName, Float32Array>
  /** Rounds in which a peer continued without a neighbour. */
  readonly missed: number
  readonly owing: readonly PeerName[]
}

/** D-PSGD with 5 ms from peer to peer and a timeout of 100 ms. */
async function run({
  algorithm = dpsgd,
  faults,
  graph = { kind: 'ring' },
  order,
  cost = () => 20
}: Run): Promise<Ends> {
  const topology = createTopology({ peers, graph })
  const models = new Map<PeerName, Float32Array>()
  const owing: PeerName[] = []
  let missed = 0
  const program = async (fabric: Fabric<never>) => {
    const settings = { algorithm, options: { order }, seed: 1, batchSize: 1, rounds, finalRounds: 10 }
    const more = { rate: () => 0.125, timeout: 100, workers: peers }
    const session = new Session(fabric, taskOf(fabric.self), { ...settings, ...more }, () => startOf(fabric.self))
    for await (const { missing, parameters, round } of session.steps()) {
      missed += missing.length
      if (round === rounds + 9) models.set(fabric.self, parameters.slice())
    }
    await session.edges.answer(fabric.now() + 2000)
    owing.push(...session.edges.owing)
  }
  const links = uniformLinks({ latency: 5 })
  const charge = ({ samples }: { samples: number }, peer: PeerName) => samples * cost(peer)
  await simulate({ topology, seed: 1, wire: vectorWire, links, cost: charge, faults }, program as never)
  return { models, missed, owing }
}

/** How far the sum over the peers has moved: the maximum over the elements. */
function drift({ models }: Ends): number {
  let most = 0
  for (let d = 0; d < length; d++) {
    let sum = 0
    for (const peer of peers) sum += (models.get(peer)?.[d] ?? NaN) - startOf(peer)[d]
    if (!(Math.abs(sum) <= most)) most = Math.abs(sum)
  }
  return most
}

/** Each round rounds each peer's numbers, which are below 2, to float32 twice; a late flow once more. */
const bound = 3 * peers.length * (rounds + 10) * 2 ** -24

const [a, b, c] = peers
const cases: readonly [string, Run][] = [
  ['nothing is late', { faults: { rules: [], events: [] } }],
  [
    'a link is stopped for ten timeouts',
    {
      faults: {
        rules: [],
        events: [
          { at: 500, kind: 'clog', from: a, to: b },
          { at: 510, kind: 'clog', from: b, to: a },
          { at: 1500, kind: 'unclog', from: a, to: b },
          { at: 1500, kind: 'unclog', from: b, to: a }
        ]
      }
    }
  ],
  [
    'one direction of a link is stopped',
    {
      faults: {
        rules: [],
        events: [
          { at: 500, kind: 'clog', from: a, to: b },
          { at: 1000, kind: 'unclog', from: a, to: b }
        ]
      }
    }
  ],
  [
    'a peer is frozen for four timeouts, and catches up',
    {
      cost: (peer) => (peer === c ? 1 : 20),
      faults: {
        rules: [],
        events: [
          { at: 500, kind: 'freeze', peer: c },
          { at: 900, kind: 'thaw', peer: c }
        ]
      }
    }
  ],
  [
    'some messages are late by up to two timeouts',
    {
      faults: {
        rules: [110, 150, 200].map((delay) => ({ until: 2500, fraction: 0.001, verdict: { delay } })),
        events: []
      }
    }
  ]
]

for (const [what, given] of cases) {
  for (const order of ['combine-then-adapt', 'adapt-then-combine'] as const) {
    for (const graph of [{ kind: 'ring' }, { kind: 'complete' }] as const) {
      // Where all wait for all, one late message makes all late.
      if (given.faults.rules.length > 0 && graph.kind === 'complete') continue
      test(`D-PSGD, ${order}, ${graph.kind}: where ${what}, the sum over the peers stays`, async (t) => {
        const ends = await run({ ...given, order, graph })
        t.log(`${ends.missed} missed, off by ${drift(ends)}, owing ${ends.owing}`)
        t.is(ends.models.size, peers.length)
        t.is(ends.missed > 0, given.faults.rules.length + given.faults.events.length > 0)
        t.true(drift(ends) < bound, `the sum moved by ${drift(ends)}, by rounding at most ${bound}`)
        t.deepEqual(ends.owing, [])
      })
    }
  }
}

test('where what is late is dropped at one end alone, the sum moves when one direction of a link is stopped', async (t) => {
  const algorithm: Algorithm = { ...dpsgd, edges: {} }
  const moved = drift(await run({ ...cases[2][1], algorithm }))
  t.true(moved > 100 * bound, `the sum moved by ${moved}`)
})
