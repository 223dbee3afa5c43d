/** The timing of a synchronous algorithm, replayed without its numbers, is the timing of the run with them. */
import { algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { type PeerName, peerName, type Schema, type Task } from '@murmuration/core'
import { recordingWire, replayedTimes } from '@murmuration/experiment/sim'
import { createRandom } from '@murmuration/random'
import { computingCost, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import { codedWire, pooledVectorWire, weighed } from '@murmuration/wire'
import test from 'ava'

const peers = Array.from({ length: 6 }, (_, k) => peerName(`p${k}`))
const seed = 4
const dimension = 300
const rounds = 9
const factor = 12.5
const topK = { name: 'top-k', fraction: 0.05 }

/** A matrix, so that there are factors of low rank. */
const matrix: Schema = [{ name: 'x', shape: [20, dimension / 20] }]

/** Pulls each peer towards a point of its own. */
function taskOf(place: number): Task {
  const random = createRandom(seed, `point ${place}`)
  const point = Float32Array.from({ length: dimension }, () => random.normal())
  return {
    schema: matrix,
    samples: 8,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(dimension) }),
    gradient: (x, { length }) => ({
      kind: 'gradient',
      samples: length,
      run: () => ({ loss: 0, vector: x.map((value, i) => value - point[i]) })
    }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) })
  }
}

interface Cell {
  readonly latency: number
  readonly bandwidth: number
  readonly isUneven?: boolean
}

const ideal: Cell = { latency: 1, bandwidth: Number.POSITIVE_INFINITY }
const cells: readonly Cell[] = [
  { latency: 1, bandwidth: 1e5 },
  { latency: 150, bandwidth: 1e8, isUneven: true },
  { latency: 20, bandwidth: 1e6, isUneven: true }
]

interface Choice {
  readonly options?: TrainingSettings['options']
  readonly codec?: string
  readonly graph?: GraphDescription
  /** That of the task, where messages depend on its tensors. */
  readonly schema?: Schema
}

const ring: GraphDescription = { kind: 'ring' }

const cases: readonly (readonly [string, Choice])[] = [
  ['dpsgd', { codec: 'delta-int8' }],
  ['gasloc', { codec: 'int8', options: { period: 2 }, graph: { kind: 'random-matching', rounds: 8, seed: 1 } }],
  ['overlap-merge', { codec: 'int8', options: { period: 4 }, graph: { kind: 'random-matching', rounds: 8, seed: 1 } }],
  ['choco', { options: { period: 2, compressor: topK } }],
  ['sparseloco', { options: { period: 3, compressor: topK } }],
  ['diloco', { codec: 'int8', options: { period: 4, collective: 'direct', chunks: 1 } }],
  ['cocktail-sgd', { options: { random: 0.5 } }],
  ['power-sgd', { options: { collective: 'direct', chunks: 1 }, schema: matrix }],
  ['sparse-gossip', { graph: { kind: 'random-matching', rounds: 8, seed: 1 } }],
  ['moniqua', { options: { theta: 1e3 }, graph: { kind: 'random-matching', rounds: 8, seed: 1 } }],
  ['power-gossip', { schema: matrix }],
  ['all-reduce', { options: { collective: 'ring', chunks: 2 } }]
]

const links = ({ latency, bandwidth }: Cell) => uniformLinks({ latency, bandwidth })
const cost = ({ isUneven = false }: Cell) => {
  const slow = new Map(isUneven ? [[peers[2], 3.7]] : [])
  return computingCost({ perStep: 8, perSample: 0.1, slow, stragglers: { kind: 'log-normal', sigma: 0.4 } }, seed)
}

for (const [name, { options = {}, codec = 'float32', graph = ring, schema }] of cases) {
  test(`the rounds of ${name} end at the same times, replayed from what was recorded on other links, as with its numbers`, async (t) => {
    const topology = createTopology({ peers, graph })
    const algorithm = algorithms.find((each) => each.name === name) as (typeof algorithms)[number]
    const base = { algorithm, options, seed, batchSize: 2, rounds, rate: () => 0.05 }
    const settings: TrainingSettings = { ...base, timeout: 1e9, workers: peers }
    const run = async (cell: Cell) => {
      const coding = { codec, elements: dimension, random: (peer: PeerName) => createRandom(seed, peer) }
      const { wire, recording } = recordingWire(
        codedWire({ ...pooledVectorWire(), ...weighed(dimension) }, coding),
        (bytes) => bytes * factor
      )
      const times = Array.from({ length: rounds }, () => new Array<number>(peers.length).fill(0))
      const given = { topology, seed, wire, links: links(cell), cost: cost(cell) }
      const { bytes } = await simulate(given, async (fabric) => {
        const place = peers.indexOf(fabric.self)
        for await (const { round } of train(fabric, taskOf(place), settings)) times[round][place] = fabric.now()
      })
      return { times, bytes, recording }
    }
    const { recording, bytes } = await run(ideal)
    t.is(
      recording.bytesByRound.reduce((sum, each = 0) => sum + each, 0),
      bytes
    )
    for (const cell of cells) {
      const given = { topology, seed, links: links(cell), cost: cost(cell) }
      const replayed = await replayedTimes(recording, settings, given, schema)
      t.deepEqual(replayed, (await run(cell)).times)
    }
  })
}
