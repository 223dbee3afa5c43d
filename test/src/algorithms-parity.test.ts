/** Every algorithm of the registry on libp2p and in the simulator. */
import { type Algorithm, algorithms, optionsOn, type TrainingSettings, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type PeerName, peerName, type Topology } from '@murmuration/core'
import { createQuadraticTask, createSoftmaxTask, createSvmTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { bodyOf, distance, mean, norm } from '@murmuration/vectors'
import test, { type ExecutionContext } from 'ava'
import { caseOf, onLinks } from './algorithm-cases.js'
import { inSimulator, overLibp2p, type WorldProgram, type WorldOptions } from './worlds.js'

const adPsgd = algorithms.find(({ name }) => name === 'ad-psgd') as Algorithm
const peers = ['p0', 'p1', 'p2', 'p3'].map(peerName)

/** Algorithms whose result depends on the order of arrival, which differs from run to run on real links. */
const asynchronous = new Set([
  'ad-psgd',
  'a2cid2',
  'divshare',
  'async-diloco',
  'decoupled-diloco',
  'async-parameter-server',
  'stale-synchronous',
  'parameter-services'
])

/** Options that make a record wait for late peers instead of continuing without them. */
const inStep: Readonly<Record<string, object>> = { hop: { backup: 0 } }

function topologyOf({ needs, name }: Algorithm): Topology {
  const kind = needs.graph === 'tree' ? 'star' : caseOf(name).isComplete === true ? 'complete' : 'ring'
  return createTopology({ peers, graph: { kind } })
}

const serversOf = ({ needs: { servers = 0 } }: Algorithm): readonly PeerName[] =>
  Array.from({ length: servers }, (_, place) => peerName(`s${place}`))

function settingsOf(algorithm: Algorithm, more: Partial<TrainingSettings>): TrainingSettings {
  return {
    algorithm,
    options: { ...caseOf(algorithm.name).options, ...inStep[algorithm.name] },
    seed: 1,
    batchSize: 8,
    rounds: 12,
    finalRounds: 2,
    rate: (k) => 0.1 / (1 + k / 10),
    timeout: timeLimit(20_000),
    workers: peers,
    servers: serversOf(algorithm),
    ...more
  }
}

type World = (options: WorldOptions, program: WorldProgram) => Promise<void>

/** Each peer's part of what is learned; tests follow each other, so that none computes while another does. */
const tasks = peers.map((self) => {
  const data = { kind: 'digits', samples: 150 } as const
  const partition = { kind: 'dirichlet', alpha: 0.5 } as const
  const localData = { data, testFraction: 0.2, partition, peers, seed: 5, self }
  return { softmax: createSoftmaxTask({ localData }), svm: createSvmTask({ localData, l2: 0.01 }) }
})

/** Trains a softmax regression, or an SVM where a dual is needed. Returns the final parameters of each worker. */
async function trained(
  world: World,
  algorithm: Algorithm,
  more: Partial<TrainingSettings> = {}
): Promise<readonly (Float32Array | undefined)[]> {
  const ends = new Map<PeerName, Float32Array>()
  const options = { topology: topologyOf(algorithm), servers: serversOf(algorithm), seed: 11, length: 7850 }
  await world(options, async (fabric) => {
    const isWorker = peers.includes(fabric.self)
    const { softmax, svm } = tasks[isWorker ? peers.indexOf(fabric.self) : 0]
    const task = await (algorithm.needs.dual === true ? svm : softmax)
    for await (const { parameters } of train(fabric, task, settingsOf(algorithm, more))) {
      if (isWorker) ends.set(fabric.self, parameters.slice())
    }
  })
  return peers.map((peer) => ends.get(peer))
}

for (const algorithm of algorithms.filter(({ name }) => !asynchronous.has(name))) {
  test.serial(`${algorithm.title} gives the same bits on libp2p and in the simulator`, async (t) => {
    checkSame(t, await trained(inSimulator, algorithm), await trained(overLibp2p, algorithm))
  })
}

for (const { algorithm, options, links, variant } of onLinks(algorithms)) {
  test.serial(`${algorithm.title} by ${variant} gives the same bits on libp2p and in the simulator`, async (t) => {
    const followed = { options: optionsOn(algorithm, topologyOf(algorithm), options, links), finalRounds: 0 }
    const simulated = await trained(inSimulator, algorithm, followed)
    checkSame(t, simulated, await trained(overLibp2p, algorithm, followed))
    for (const x of simulated) t.deepEqual(x, simulated[0])
  })
}

function checkSame(
  t: ExecutionContext,
  simulated: readonly (Float32Array | undefined)[],
  real: readonly (Float32Array | undefined)[]
): void {
  for (const [place, x] of simulated.entries()) {
    t.is(x?.length, 7850)
    t.true(x?.some((value) => value !== 0))
    t.is(Buffer.compare(bodyOf(real[place] as Float32Array), bodyOf(x as Float32Array)), 0)
  }
}

for (const [name, world] of [
  ['libp2p', overLibp2p],
  ['the simulator', inSimulator]
] as const) {
  test.serial(
    `AD-PSGD reaches the optimum in ${name}, and the sum of all parameters is that of the gradient steps`,
    async (t) => {
      const dimension = 16
      const tasks = new Map(
        peers.map((self) => [self, createQuadraticTask({ peers, self, seed: 8, heterogeneity: 0.5, dimension })])
      )
      const ends = new Map<PeerName, Float32Array>()
      const sum = new Float64Array(dimension)
      const settings = settingsOf(adPsgd, { rounds: 600, finalRounds: 0, rate: (k) => 0.3 / (1 + k / 20) })
      await world({ topology: topologyOf(adPsgd), seed: 3, length: dimension }, async (fabric) => {
        const task = tasks.get(fabric.self) as ReturnType<typeof createQuadraticTask>
        const start = await fabric.work(task.initialise(1))
        for (let d = 0; d < dimension; d++) sum[d] += start[d]
        const steps = train(fabric, task, settings)
        let step = await steps.next()
        for (; step.done !== true; step = await steps.next()) {
          for (const { from, to } of step.value.moves) {
            for (let d = 0; d < dimension; d++) sum[d] += to.values[d] - from.values[d]
          }
        }
        ends.set(fabric.self, step.value.slice())
      })
      const all = peers.map((peer) => ends.get(peer) as Float32Array)
      const kept = mean(all).map((value) => value * peers.length)
      t.true(distance(kept, Float32Array.from(sum)) < 1e-3, `${distance(kept, Float32Array.from(sum))}`)
      const optimum = Float32Array.from(tasks.get(peers[0])?.optimum ?? [])
      t.true(distance(mean(all), optimum) < 0.1 * norm(optimum), `${distance(mean(all), optimum) / norm(optimum)}`)
    }
  )
}
