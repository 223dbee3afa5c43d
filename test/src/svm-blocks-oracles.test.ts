/**
 * The record svm-blocks against LIBSVM, whose results are in ../shared/reference/svm, and against itself: on other
 * numbers of peers, in both worlds, from checkpoints, and on slow links.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Algorithm,
  ElasticSession,
  Members,
  sampleAlgorithms,
  type Saved,
  Session,
  type TrainingSettings
} from '@murmuration/algorithms'
import { checkpointing, type Drive, pausing, resuming, straight, timeLimit } from '@murmuration/contract'
import type { Fabric, PeerName, Task } from '@murmuration/core'
import type { LocalDataOptions } from '@murmuration/data'
import { createSvmTaskSet, type SvmTaskOptions } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { hashVector, lengthOf } from '@murmuration/vectors'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'
import test from 'ava'
import { peersOf } from './recursion.js'
import { root } from './repository.js'
import { overLibp2p, simulated, type WorldOptions, type WorldProgram } from './worlds.js'

const wanted = { name: 'svm-blocks' }
const svmBlocks = sampleAlgorithms.find(({ name }) => name === wanted.name) as Algorithm
const folder = join(root, '../shared/reference/svm')
const titled = existsSync(folder) ? test : test.skip
const note = existsSync(folder) ? '' : ' (skipped: ../shared is not here)'

/**
 * The maxima of the dual, as scikit-learn 1.9.1 finds them for the numbers rounded to float32:
 *
 *     m = SVC(C=c, gamma=gamma, tol=1e-9, cache_size=500).fit(x.astype('float32').astype(float), y)
 *     a, s = m.dual_coef_[0], x[m.support_]
 *     print(abs(a).sum() - a @ np.exp(-gamma * ((s[:, None] - s[None])**2).sum(-1)) @ a / 2, len(a))
 */
const sets = [
  { set: 'breast-cancer', c: 10, gamma: 0.5, objective: 320.45589826505466, support: 62, exchanges: 8 },
  { set: 'digits-3-8', c: 1, gamma: 0.05, objective: 50.92351542667067, support: 90, exchanges: 8 },
  { set: 'moons', c: 1, gamma: 2, objective: 213.1230785503232, support: 246, exchanges: 25 }
] as const

/** All samples are for training, on any number of peers, and so they are for testing. */
function optionsFor({ set, c, gamma }: (typeof sets)[number], peers: readonly PeerName[]): SvmTaskOptions {
  const path = join(folder, `${set}.csv`)
  const sha256 = { [`${set}.csv`]: createHash('sha256').update(readFileSync(path)).digest('hex') }
  const partition = { kind: 'dirichlet', alpha: 1000 } as const
  const localData = { data: { kind: 'files', path }, testFraction: 0, test: { path, sha256 }, peers, seed: 1 } as const
  return { localData: { ...localData, partition }, kernel: { rbf: { gamma } }, c }
}

/** 112 samples of two classes, which 1, 2, 4 and 7 peers divide equally, in the same order. */
const drawn: Omit<LocalDataOptions, 'peers'> = {
  data: { kind: 'gaussians', samples: 140, features: 6 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  seed: 3
}

interface Trained {
  /** The parameters of each peer after each round, as hashes. */
  readonly models: ReadonlyMap<PeerName, readonly string[]>
  readonly rounds: number
  readonly objective: number
  readonly support: number
  /** How many values of the kernel peers have computed. */
  readonly values: number
  /** Milliseconds of virtual time. */
  readonly elapsed: number
}

interface Training {
  readonly peers: number
  readonly options?: Readonly<Record<string, unknown>>
  readonly task?: (peers: readonly PeerName[]) => SvmTaskOptions
  readonly world?: (options: WorldOptions, program: WorldProgram) => Promise<unknown>
  readonly drive?: Drive
}

const ofDrawn = (peers: readonly PeerName[]): SvmTaskOptions => ({
  localData: { ...drawn, peers },
  kernel: { rbf: { gamma: 0.05 } },
  c: 2
})

function settingsFor(workers: readonly PeerName[]): TrainingSettings {
  const timeout = timeLimit(20_000)
  return { algorithm: svmBlocks, seed: 1, batchSize: 1, rounds: 5000, rate: () => 1, timeout, workers }
}

async function trained({
  peers,
  options = {},
  task = ofDrawn,
  world = simulated,
  drive = straight
}: Training): Promise<Trained> {
  const topology = createTopology({ peers: peersOf(peers), graph: { kind: 'complete' } })
  const tasks = await createSvmTaskSet(task(topology.peers))
  const settings = { ...settingsFor(topology.peers), options }
  const models = new Map<PeerName, string[]>()
  let last = new Float32Array()
  let values = 0
  const program = async (fabric: Fabric<VectorMessage>) => {
    const own = counted(tasks.of(fabric.self), (count) => (values += count))
    const hashes: string[] = []
    models.set(fabric.self, hashes)
    const open = (saved?: Saved) =>
      saved === undefined ? new Session(fabric, own, settings) : Session.resume(fabric, own, settings, saved)
    for await (const [, { parameters }] of drive(fabric, open)) {
      hashes.push(hashVector(parameters))
      if (fabric.self === topology.peers[0]) last = parameters.slice()
    }
  }
  const result = await world({ topology, seed: 1, length: lengthOf(tasks.schema) }, program)
  const { measures = {} } = await tasks.union.evaluate(last).run()
  const elapsed = (result as { readonly elapsed?: number } | undefined)?.elapsed ?? 0
  const rounds = models.get(topology.peers[0])?.length ?? 0
  return { models, rounds, objective: measures.objective ?? 0, support: measures.supportVectors ?? 0, values, elapsed }
}

/** 20 Mbit/s, 10 ms, and 10 µs for a row of the kernel. */
function onSlowLinks({ topology, seed, length }: WorldOptions, program: WorldProgram): Promise<unknown> {
  const links = uniformLinks({ latency: 10, bandwidth: 20e6 })
  const wire = { ...vectorWire, ...weighed(length) }
  return simulate({ topology, servers: [], seed, wire, links, cost: ({ samples }) => samples / 100 }, program)
}

/** The task, whose values of the kernel between its samples and others are counted. */
function counted(task: Task, count: (values: number) => void): Task {
  const { kernel, schema, samples, about } = task
  if (kernel === undefined) return task
  return {
    schema,
    samples,
    about,
    initialise: (seed) => task.initialise(seed),
    gradient: (...given) => task.gradient(...given),
    evaluate: (x) => task.evaluate(x),
    kernel: {
      c: kernel.c,
      width: kernel.width,
      shardOf: (peer) => kernel.shardOf(peer),
      sample: (index) => kernel.sample(index),
      label: (index) => kernel.label(index),
      among: (...given) => kernel.among(...given),
      accumulate: (points, factors, which, ...sums) => {
        const work = kernel.accumulate(points, factors, which, ...sums)
        count(work.samples * which.length)
        return work
      }
    }
  }
}

const apart = (found: number, expected: number) => Math.abs(found / expected - 1)

for (const each of sets) {
  const task = (peers: readonly PeerName[]) => optionsFor(each, peers)

  titled(
    `blocks of 16 on 8 peers reach the optimum of ${each.set} in ${each.exchanges} exchanges${note}`,
    async (t) => {
      const { rounds, objective, support } = await trained({ peers: 8, options: { block: 16 }, task })
      t.log(rounds, objective / each.objective - 1)
      t.true(rounds <= each.exchanges, `${rounds}`)
      t.true(apart(objective, each.objective) < 1e-6)
      t.is(support, each.support)
    }
  )

  titled(`with τ 5e-6 blocks reach LIBSVM's optimum of ${each.set} within 1e-9${note}`, async (t) => {
    for (const peers of [1, 4]) {
      const { objective, support } = await trained({ peers, options: { tau: 5e-6 }, task })
      t.true(apart(objective, each.objective) < 1e-9, `${objective / each.objective - 1}`)
      t.is(support, each.support)
    }
  })
}

titled(
  `elimination after 5 % saves half of the kernel's values on breast-cancer, and moves nothing${note}`,
  async (t) => {
    const [each] = sets
    const task = (peers: readonly PeerName[]) => optionsFor(each, peers)
    const all = await trained({ peers: 1, options: { block: 2 }, task })
    const some = await trained({ peers: 1, options: { block: 2, eliminate: { first: 0.05 } }, task })
    t.log(some.values / all.values)
    t.true(some.values < 0.5 * all.values)
    for (const { objective, support } of [all, some]) {
      t.true(apart(objective, each.objective) < 1e-6)
      t.is(support, each.support)
    }
  }
)

const pairs = { block: 2, eliminate: { first: 0.05 } }

test('1, 2, 4 and 7 peers step along the same pairs to the same α bit by bit, and eliminate the same samples', async (t) => {
  for (const options of [{ block: 2 }, pairs, { block: 2, eliminate: { first: 2, again: 'single' } }]) {
    const alone = await trained({ peers: 1, options })
    const hashes = alone.models.get(peersOf(1)[0])
    t.true(alone.rounds > 50, `${alone.rounds}`)
    for (const peers of [2, 4, 7]) {
      const { models } = await trained({ peers, options })
      for (const [peer, found] of models) t.deepEqual(found, hashes, `${peer} of ${peers}`)
    }
  }
})

for (const again of ['multi', 'single'] as const)
  test(`samples that were eliminated too early come back before the end: ${again}`, async (t) => {
    const all = await trained({ peers: 2, options: { tau: 5e-6 } })
    const { objective, support } = await trained({ peers: 2, options: { block: 2, eliminate: { first: 2, again } } })
    t.true(apart(objective, all.objective) < 1e-6, `${objective / all.objective - 1}`)
    t.is(support, all.support)
  })

for (const [name, options] of [
  ['blocks', { block: 8, tau: 5e-6 }],
  ['pairs with elimination', { ...pairs, tau: 0.05 }]
] as const) {
  test(`${name} give the same bits on libp2p and in the simulator`, async (t) => {
    const inSimulation = await trained({ peers: 3, options })
    const real = await trained({ peers: 3, options, world: overLibp2p })
    t.deepEqual([...real.models].sort(), [...inSimulation.models].sort())
  })

  test(`${name} continue with the same bits in the same run and from checkpoints`, async (t) => {
    const whole = await trained({ peers: 3, options })
    t.true(whole.rounds > 7)
    const replaced = await trained({ peers: 3, options, drive: pausing(() => 'replace') })
    t.deepEqual(replaced.models, whole.models)
    const checkpoints: Map<PeerName, Saved> = new Map()
    const saving = await trained({ peers: 3, options, drive: checkpointing(4, checkpoints) })
    t.deepEqual(saving.models, whole.models)
    const resumed = await trained({ peers: 3, options, drive: resuming(checkpoints) })
    for (const [peer, hashes] of resumed.models) t.deepEqual(hashes, whole.models.get(peer)?.slice(4))
  })
}

test('samples and their numbers may be of any size: nobody is reported for them', async (t) => {
  const peers = peersOf(2)
  const topology = createTopology({ peers, graph: { kind: 'complete' } })
  const data = { kind: 'gaussians', samples: 2500, features: 2 } as const
  const tasks = await createSvmTaskSet({ ...ofDrawn(peers), localData: { ...drawn, data, peers } })
  await simulated({ topology, seed: 1, length: lengthOf(tasks.schema) }, async (fabric) => {
    const session = new Session(fabric, tasks.of(fabric.self), { ...settingsFor(peers), rounds: 2 })
    for await (const { outliers, distances } of session.steps()) t.deepEqual([...outliers, ...distances], [])
  })
})

test('after a loss the others begin anew, and end as if the lost samples had never been there', async (t) => {
  const peers = peersOf(4)
  const [lost, ...others] = peers
  const tasks = await createSvmTaskSet(ofDrawn(peers))
  const settings = { ...settingsFor(peers), options: { block: 4, tau: 5e-6 } }
  const topologyOf = (names: readonly PeerName[]) => createTopology({ peers: names, graph: { kind: 'complete' } })
  let lostAfter = -1
  const run = async (names: readonly PeerName[], events: readonly FaultEvent[]) => {
    const models = new Map<PeerName, string>()
    const topology = topologyOf(names)
    const links = uniformLinks({ latency: 5 })
    const faults = { ...noFaults, events }
    await simulate({ topology, seed: 1, wire: vectorWire, links, cost: () => 20, faults }, async (fabric) => {
      const wait = { start: 30_000, pause: 30_000 }
      const everyone = { peers: names, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
      const members = new Members(fabric, { topology: everyone, signer: trustingSigner, wait })
      const epochs = { topology, areEqual: true }
      const own = { ...settings, workers: names, timeout: 2000, members, epochs }
      const steps = new ElasticSession(fabric, tasks.of(fabric.self), own).steps()
      let step = await steps.next()
      for (; step.done !== true; step = await steps.next()) if (fabric.self === lost) lostAfter = step.value.round
      models.set(fabric.self, hashVector(step.value))
      members.end()
    })
    return models
  }
  const without = await run(others, [])
  const after = await run(peers, [{ at: 700, kind: 'crash', peer: lost }])
  t.true(lostAfter > 0, `${lostAfter}`)
  t.deepEqual([...after.keys()].sort(), others)
  t.deepEqual(new Set(after.values()), new Set(without.values()))
  t.is(new Set(after.values()).size, 1)
})

test('at 20 Mbit/s and 10 ms blocks are more than ten times as fast as pair by pair', async (t) => {
  const slow = await trained({ peers: 4, options: pairs, world: onSlowLinks })
  const fast = await trained({ peers: 4, world: onSlowLinks })
  t.log(slow.elapsed, fast.elapsed)
  t.true(fast.elapsed > 0 && slow.elapsed > 10 * fast.elapsed)
})
