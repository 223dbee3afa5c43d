import { averaging } from '@murmuration/algorithms'
import { poisonedSteps } from '@murmuration/contract'
import { type PeerName, peerName, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask, createSoftmaxTask, type QuadraticTask } from '@murmuration/tasks'
import { applyMixing, contraction, createTopology, type GraphDescription, mixingMatrix } from '@murmuration/topology'
import { consensusDistance, distance, mean, norm } from '@murmuration/vectors'
import { vectorWire } from '@murmuration/wire'
import test from 'ava'
import { type DpsgdOptions, dpsgd } from './gossip.js'
import { plainSgd } from './plain-sgd.js'
import { complete, inSimulator } from './worlds.js'

const peersOf = (count: number) => Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(2, '0')}`))
const options = {
  seed: 1,
  batchSize: 8,
  rounds: 30,
  finalRounds: 0,
  rate: () => 0.1,
  order: 'combine-then-adapt',
  momentum: 0,
  nesterov: false,
  weightDecay: 0,
  timeout: 1000
} as const

/** Runs D-PSGD in the simulator and returns every peer's parameters after every round. */
async function train(
  topology: ReturnType<typeof complete>,
  taskOf: (peer: PeerName) => Task | Promise<Task>,
  given: Partial<DpsgdOptions>
): Promise<Float32Array[][]> {
  const history: Float32Array[][] = []
  await inSimulator({ topology, seed: 1, length: 7850 }, async (fabric) => {
    const place = topology.peers.indexOf(fabric.self)
    const steps = poisonedSteps(dpsgd(fabric, await taskOf(fabric.self), { ...options, ...given }))
    for await (const { round, parameters } of steps) {
      history[round] ??= []
      history[round][place] = parameters.slice()
    }
  })
  return history
}

test('two peers that disagree meet at the mean (Lian 2017, eq. 3)', async (t) => {
  const ends: Float32Array[] = []
  const topology = complete('a', 'b')
  await inSimulator({ topology, seed: 1, length: 1 }, async (fabric) => {
    const start = Float32Array.of(fabric.self === 'a' ? 0 : 8)
    const steps = averaging(fabric, start, { rounds: 1, timeout: 100 })
    for await (const { parameters } of steps) ends.push(parameters.slice())
  })
  t.deepEqual(ends, [Float32Array.of(4), Float32Array.of(4)])
})

const graphs: readonly (readonly [string, GraphDescription, number])[] = [
  ['a ring of 8', { kind: 'ring' }, 8],
  ['a torus of 3 × 4', { kind: 'torus', rows: 3, columns: 4 }, 12],
  ['a random 4-regular graph of 12', { kind: 'random-regular', degree: 4, seed: 5 }, 12],
  ['a star of 6', { kind: 'star' }, 6],
  ['a hypercube of 8', { kind: 'hypercube' }, 8],
  ['the static exponential graph of 7', { kind: 'exponential' }, 7],
  ['the one-peer exponential graph of 8', { kind: 'one-peer-exponential' }, 8]
]

for (const [title, graph, size] of graphs) {
  test(`averaging computes W^k x₀ and forgets disagreement as fast as the spectral gap promises: ${title}`, async (t) => {
    const topology = createTopology({ peers: peersOf(size), graph })
    const rounds = 3 * topology.period
    const length = 50
    const starts = topology.peers.map((peer) => {
      const draws = createRandom(9, peer)
      return Float32Array.from({ length }, () => draws.normal())
    })
    const ends: Float32Array[] = []
    await inSimulator({ topology, seed: 1, length }, async (fabric) => {
      const place = topology.peers.indexOf(fabric.self)
      const steps = averaging(fabric, starts[place], { rounds, timeout: 100 })
      for await (const { parameters } of steps) ends[place] = parameters.slice()
    })

    for (let element = 0; element < length; element++) {
      let exact: Float64Array = Float64Array.from(starts, (start) => start[element])
      for (let k = 0; k < rounds; k++) exact = applyMixing(mixingMatrix(topology, k), exact)
      for (const [place, value] of exact.entries()) t.true(Math.abs(ends[place][element] - value) < 1e-5)
    }
    const promised = contraction(topology).perPeriod ** (rounds / topology.period) * consensusDistance(starts)
    t.true(consensusDistance(ends) <= promised + 1e-6, `${consensusDistance(ends)} after ${promised} was promised`)
    t.true(distance(mean(ends), mean(starts)) < 1e-6, 'the mean has moved')
  })
}

const digits = { kind: 'digits', samples: 400 } as const

test('adapt-then-combine on the complete graph with equal shards is plain SGD on the joint batch, momentum and weight decay included', async (t) => {
  const topology = complete('a', 'b', 'c')
  const localData = {
    data: digits,
    testFraction: 0.2,
    partition: { kind: 'equal' },
    peers: topology.peers,
    seed: 3
  } as const
  const given = { order: 'adapt-then-combine', momentum: 0.9, nesterov: true, weightDecay: 1e-3 } as const
  const history = await train(topology, (self) => createSoftmaxTask({ localData: { ...localData, self } }), given)

  const union = await createSoftmaxTask({ localData })
  const shards = topology.peers.map((name) => ({ name, samples: union.samples / 3 }))
  let round = 0
  for await (const { parameters } of plainSgd(union, { ...options, ...given, shards })) {
    for (const x of history[round]) t.true(distance(x, parameters) < 1e-5 * norm(parameters), `in round ${round}`)
    round++
  }
  t.is(round, options.rounds)
})

test('combine-then-adapt on the complete graph is plain SGD for the mean model where gradients are linear and alike', async (t) => {
  const topology = complete('a', 'b', 'c', 'd')
  const quadratics = { peers: topology.peers, seed: 2, smallestSingular: 0.7, largestSingular: 0.7, heterogeneity: 4 }
  const history = await train(topology, (self) => createQuadraticTask({ ...quadratics, self }), { momentum: 0.5 })

  const shards = topology.peers.map((name) => ({ name, samples: 64 }))
  let round = 0
  for await (const { parameters } of plainSgd(createQuadraticTask(quadratics), { ...options, momentum: 0.5, shards })) {
    t.true(distance(mean(history[round]), parameters) < 1e-5, `in round ${round}`)
    round++
  }
})

for (const order of ['combine-then-adapt', 'adapt-then-combine'] as const) {
  const form = order === 'combine-then-adapt' ? 'X ← W X − γ (G + λ X)' : 'X ← W (X − γ (G + λ X))'
  test(`${order} is its matrix form in float64, with weight decay at X: ${form}`, async (t) => {
    const topology = createTopology({ peers: peersOf(5), graph: { kind: 'ring' } })
    const tasks = topology.peers.map((self) =>
      createQuadraticTask({ peers: topology.peers, self, seed: 4, heterogeneity: 1 })
    )
    const weightDecay = 0.5
    const taskOf = (self: PeerName) => tasks[topology.peers.indexOf(self)]
    const history = await train(topology, taskOf, { order, rounds: 10, weightDecay })
    const matrix = mixingMatrix(topology, 0)
    let X: Float64Array[] = tasks.map((task) => new Float64Array(task.optimum.length))
    for (const models of history) {
      const gradients = await Promise.all(tasks.map((task, i) => gradientAt(task, X[i])))
      const G = gradients.map((gradient, i) => gradient.map((value, e) => value + weightDecay * X[i][e]))
      const stepped = X.map((x, i) => x.map((value, e) => value - 0.1 * G[i][e]))
      const mixedX = mixColumns(matrix, order === 'combine-then-adapt' ? X : stepped)
      X = order === 'combine-then-adapt' ? mixedX.map((x, i) => x.map((value, e) => value - 0.1 * G[i][e])) : mixedX
      for (const [i, x] of X.entries()) t.true(distance(models[i], Float32Array.from(x)) < 1e-4)
    }
  })
}

test('D-PSGD on a ring reaches the known optimum of all peers’ objectives, and the final averaging rounds reach one model', async (t) => {
  const topology = createTopology({ peers: peersOf(6), graph: { kind: 'ring' } })
  const tasks = topology.peers.map((self) =>
    createQuadraticTask({ peers: topology.peers, self, seed: 8, heterogeneity: 0.1 })
  )
  const taskOf = (self: PeerName) => tasks[topology.peers.indexOf(self)]
  const rate = (round: number) => 0.2 / (1 + round / 50)
  const history = await train(topology, taskOf, { rounds: 3000, finalRounds: 40, rate })
  const ends = history[history.length - 1]
  const optimum = Float32Array.from(tasks[0].optimum)
  t.true(distance(mean(ends), optimum) < 0.01 * norm(optimum))
  t.true(consensusDistance(ends) < 1e-5)
})

test('a neighbour that is lost is named, its weight goes to the peer’s own parameters, and a peer without any neighbour left says so', async (t) => {
  const missing: string[] = []
  const topology = complete('a', 'b', 'c')
  const start = Float32Array.of(3)
  await simulate(
    { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 1 },
    async (fabric) => {
      const rounds = { a: 3, b: 6, c: 2 }[fabric.self as string] ?? 0
      const own = fabric.self === 'b' ? Float32Array.of(9) : start
      try {
        for await (const step of averaging(fabric, own, { rounds, timeout: 500 })) {
          if (fabric.self === 'b') missing.push(`${step.round} ${step.missing.join(' ')} ${step.parameters[0]}`)
        }
      } catch (error) {
        missing.push(String(error))
      }
    }
  )
  t.deepEqual(missing.slice(0, 4), [
    '0  5',
    '1  5',
    '2 c 5',
    'NeighboursMissingError: b received nothing from a, c in round 3 and has no other neighbour left; it does not train alone'
  ])
})

test('on a ring, the loss of one peer does not part the others, which wait for those that wait for it', async (t) => {
  const ended: string[] = []
  const topology = createTopology({ peers: ['a', 'b', 'c', 'd'].map(peerName), graph: { kind: 'ring' } })
  await simulate(
    { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 1 },
    async (fabric) => {
      const rounds = fabric.self === 'b' ? 2 : 20
      for await (const { round } of averaging(fabric, Float32Array.of(1), { rounds, timeout: 500 })) {
        if (round === 19) ended.push(fabric.self)
      }
    }
  )
  t.deepEqual(ended.sort(), ['a', 'c', 'd'])
})

test('where a peer has one neighbour a round, the loss of one does not end the others', async (t) => {
  const ended: string[] = []
  const topology = createTopology({ peers: peersOf(8), graph: { kind: 'one-peer-exponential' } })
  await simulate(
    { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 1 },
    async (fabric) => {
      const rounds = fabric.self === 'p03' ? 4 : 20
      for await (const { round } of averaging(fabric, Float32Array.of(1), { rounds, timeout: 500 })) {
        if (round === 19) ended.push(fabric.self)
      }
    }
  )
  t.is(ended.length, 7)
})

test('a neighbour that no longer receives anything is named as unsent, and delays the others only once', async (t) => {
  const topology = complete('a', 'b', 'c')
  const reports: { readonly unsent: string; readonly waited: number }[] = []
  await simulate(
    { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 1 },
    async (fabric) => {
      const rounds = fabric.self === 'c' ? 2 : 20
      for await (const { unsent, waited } of averaging(fabric, Float32Array.of(1), { rounds, timeout: 500 })) {
        if (fabric.self === 'a') reports.push({ unsent: unsent.join(' '), waited })
      }
    }
  )
  t.is(reports.length, 20)
  t.is(reports[19].unsent, 'c')
  t.deepEqual(
    reports.map(({ waited }) => waited).filter((waited) => waited > 10),
    [500]
  )
})

async function gradientAt(task: QuadraticTask, x: Float64Array): Promise<Float64Array> {
  const { vector } = await task.gradient(Float32Array.from(x), Uint32Array.of(0)).run()
  return Float64Array.from(vector)
}

function mixColumns(matrix: ReturnType<typeof mixingMatrix>, X: readonly Float64Array[]): Float64Array[] {
  const mixed = X.map((x) => new Float64Array(x.length))
  for (let e = 0; e < X[0].length; e++) {
    for (const [i, value] of applyMixing(
      matrix,
      Float64Array.from(X, (x) => x[e])
    ).entries())
      mixed[i][e] = value
  }
  return mixed
}
