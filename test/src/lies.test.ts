/** The effect of two liars among ten on plain averaging, and on algorithms that expect them. */
import { algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { type PeerName, peerName, type Task } from '@murmuration/core'
import { type Lie, lies, lyingWire } from '@murmuration/experiment/sim'
import { createRandom } from '@murmuration/random'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { distance, mean } from '@murmuration/vectors'
import { vectorWire, weighed } from '@murmuration/wire'
import test from 'ava'

const peers = Array.from({ length: 10 }, (_, k) => peerName(`p${k}`))
const liars = new Set([peers[2], peers[7]])
const seed = 5
const dimension = 8

/** The peers' optima lie around the same point, at a distance of ten from the common start, and gradients are noisy. */
function taskOf(peer: PeerName): Task {
  const near = createRandom(seed, peer)
  const point = Float32Array.from({ length: dimension }, () => 10 / Math.sqrt(dimension) + 0.1 * near.normal())
  const gradient = (x: Float32Array) => x.map((value, i) => value - point[i] + 0.1 * near.normal())
  return {
    schema: [{ name: 'x', shape: [dimension] }],
    samples: 4,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(dimension) }),
    gradient: (x) => ({ kind: 'gradient', samples: 1, run: () => ({ loss: 0, vector: gradient(x) }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) })
  }
}

/** The distance of the honest peers' mean from the point. */
async function missOf(name: string, lie: Lie, options: TrainingSettings['options'] = {}): Promise<number> {
  const algorithm = algorithms.find((each) => each.name === name) as (typeof algorithms)[number]
  const topology = createTopology({ peers, graph: { kind: 'complete' } })
  const wire = lyingWire({ ...vectorWire, ...weighed(dimension) }, liars, lie, createRandom(seed, 'lies'))
  const ends = new Map<PeerName, Float32Array>()
  const settings = { algorithm, options, seed, batchSize: 1, rounds: 80, rate: () => 0.1, timeout: 1e6 }
  const given = { topology, seed, wire, links: uniformLinks({ latency: 1 }), cost: () => 1 }
  try {
    await simulate(given, async (fabric) => {
      const steps = train(fabric, taskOf(fabric.self), { ...settings, workers: peers })
      for await (const { parameters } of steps) if (!liars.has(fabric.self)) ends.set(fabric.self, parameters.slice())
    })
  } catch (error) {
    if ((error as Error).name !== 'DivergedError') throw error
    return Number.POSITIVE_INFINITY
  }
  return distance(mean([...ends.values()]), new Float32Array(dimension).fill(10 / Math.sqrt(dimension)))
}

for (const lie of lies) {
  test(`two liars of ten that send ${lie} vectors move a trimmed mean, ClippedGossip and CS+ by less than a tenth of the way`, async (t) => {
    for (const [name, options] of [
      ['trimmed-mean', { b: 2 }],
      ['clipped-gossip', { b: 2 }],
      ['cs-plus', { b: 2 }]
    ] as const) {
      const miss = await missOf(name, lie, options)
      t.true(miss < 1, `${name}: ${miss} of 10`)
    }
  })
}

for (const lie of ['sign-flipped', 'scaled', 'random'] as const) {
  test(`two liars of ten that send ${lie} vectors lead plain averaging astray`, async (t) => {
    const miss = await missOf('dpsgd', lie)
    t.true(miss > 2, `${miss} of 10`)
  })
}
