/** Algorithms whose parameters are keyed rows, in both worlds: what is added arrives once, and matrix factorisation is learned. */
import { type Algorithm, keyAlgorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type KeyCounts, type PeerName, peerName, type Task, type TaskRows } from '@murmuration/core'
import { createKnowledgeGraphTaskSet, createMatrixFactorisationTaskSet } from '@murmuration/tasks'
import { lengthOf } from '@murmuration/vectors'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { vectorWire, weighed } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { complete, inSimulator, overLibp2p, simulated, type WorldOptions, type Program } from './worlds.js'

type World = (options: WorldOptions, program: Program) => Promise<void>
const worlds: Readonly<Record<string, World>> = {
  'the simulator': inSimulator,
  'libp2p': (options, program) => overLibp2p(options, program)
}

/** `count` keys of two numbers; a sample is two keys, and adds its number to them, whatever the rows are. All sums are exact. */
function adding(count: number, place: number): Task {
  const samples = 60
  const keysOf = (sample: number) => [(sample * 7 + place) % count, (sample * sample + 3) % count]
  const rows: TaskRows = {
    count,
    width: 2,
    keysOf: (batch) => Uint32Array.from([...new Set([...batch].flatMap(keysOf))].sort((left, right) => left - right)),
    gradient: (_, keys, batch, out) => ({
      kind: 'gradient',
      samples: batch.length,
      run: () => {
        out.fill(0)
        for (const sample of batch) for (const key of keysOf(sample)) out[2 * keys.indexOf(key)] -= sample + 1
        return 1
      }
    })
  }
  return {
    schema: [{ name: 'rows', shape: [count, 2] }],
    samples,
    about: {},
    rows,
    initialise: () => ({
      kind: 'initialise',
      samples: 0,
      run: () => Float32Array.from({ length: 2 * count }, (_, n) => n)
    }),
    gradient: () => ({ kind: 'gradient', samples: 0, run: () => ({ loss: 1, vector: new Float32Array(2 * count) }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 1 }) })
  }
}

/** What all of `peers` have added after some epochs. */
function sumOf(count: number, peers: number, epochs: number): Float32Array {
  const sum = Float32Array.from({ length: 2 * count }, (_, n) => n)
  for (let place = 0; place < peers; place++)
    for (let sample = 0; sample < 60; sample++)
      for (const key of [(sample * 7 + place) % count, (sample * sample + 3) % count])
        sum[2 * key] += epochs * (sample + 1)
  return sum
}

interface Ends {
  readonly models: Map<PeerName, Float32Array>
  /** Rows by key, of the reports of each round. */
  readonly held: Map<number, Float32Array>[]
  readonly counts: Map<PeerName, KeyCounts>
  readonly losses: number[]
}

async function runOf(
  world: World,
  algorithm: Algorithm,
  peers: number,
  taskOf: (place: number) => Task,
  more: Partial<TrainingSettings>
): Promise<Ends> {
  const names = Array.from({ length: peers }, (_, place) => peerName(`p${place}`))
  const servers = ['s0', 's1'].slice(0, algorithm.server === undefined ? 0 : 2).map(peerName)
  const settings = {
    algorithm,
    seed: 1,
    batchSize: 4,
    rounds: 2,
    finalRounds: 1,
    rate: () => 1,
    timeout: timeLimit(20_000),
    workers: names,
    servers,
    ...more
  }
  const ends: Ends = { models: new Map(), held: [], counts: new Map(), losses: [] }
  const options = { topology: complete(...names), servers, seed: 1, length: lengthOf(taskOf(0).schema) }
  await world(options, async (fabric) => {
    const { self } = fabric
    const task = taskOf(Math.max(0, names.indexOf(self)))
    for await (const { holds, parameters, keys, phase, loss, round } of train(fabric, task, settings)) {
      if (loss !== undefined) ends.losses.push(loss)
      if (keys !== undefined) ends.counts.set(self, keys)
      if (phase === 'average') ends.models.set(self, parameters.slice())
      const width = task.rows?.width ?? 0
      for (const [place, key] of (holds ?? []).entries())
        void (ends.held[round] ??= new Map()).set(key, parameters.slice(place * width, (place + 1) * width))
    }
  })
  return ends
}

/** What all peers hold after each epoch is what all have added until then, and nothing of the next one. */
function checkHeld(t: ExecutionContext, held: Ends['held']): void {
  t.is(held.length, 2)
  for (const [round, rows] of held.entries()) {
    const expected = sumOf(11, 3, round + 1)
    t.deepEqual(
      [...rows.keys()].sort((left, right) => left - right),
      [...Array(11).keys()],
      'each row is held'
    )
    for (const [key, row] of rows) t.deepEqual([...row], [...expected.subarray(2 * key, 2 * key + 2)], `round ${round}`)
  }
}

/** Messages from p2 take far longer to p0 than to others. */
async function unevenWorld({ topology, servers = [], seed, length }: WorldOptions, program: Program): Promise<void> {
  const { access, path } = uniformLinks({})
  const latency = (from: string, to: string) => (from === 'p2' && to !== 'p1' ? 500 : 1)
  const links = { access, path: (from: PeerName, to: PeerName) => ({ ...path(from, to), latency: latency(from, to) }) }
  const wire = { ...vectorWire, ...weighed(length) }
  const options = { topology, servers: servers.map((name) => ({ name })), seed, wire, links, cost: () => 1 }
  await simulate(options, program)
}

for (const algorithm of keyAlgorithms) {
  test(`${algorithm.title}: what comes of the next epoch waits for peers that have not heard of the end of this one`, async (t) => {
    const { held } = await runOf(unevenWorld, algorithm, 3, (place) => adding(11, place), { options: { workers: 2 } })
    checkHeld(t, held)
  })
}

for (const [name, world] of Object.entries(worlds)) {
  for (const algorithm of keyAlgorithms) {
    test(`${name}: ${algorithm.title}: what workers add arrives once each, and all end with the sum`, async (t) => {
      const { models, held } = await runOf(world, algorithm, 3, (place) => adding(11, place), {
        options: { workers: 2 }
      })
      const expected = sumOf(11, 3, 2)
      for (const peer of ['p0', 'p1', 'p2']) t.deepEqual(models.get(peer as PeerName), expected, peer)
      checkHeld(t, held)
    })
  }
}

const ratings = { users: 40, items: 30, ratings: 1500, rank: 2, noise: 0.2, zipf: 1, l2: 0.01, seed: 5 }

const graph = {
  ...{ seed: 5, entities: 40, rules: 1, scoring: 'complex' as const, rank: 16, negatives: 5, adversarial: 0.5 },
  ...{ l2: 0, n3: 0, clustered: true, ranked: 100 }
}

for (const algorithm of keyAlgorithms) {
  test(`the simulator: ${algorithm.title}: a knowledge graph is learned as well by 3 peers of 2 workers as by one worker`, async (t) => {
    const mrrOf = async (peers: readonly string[], options: Readonly<Record<string, unknown>>) => {
      const set = await createKnowledgeGraphTaskSet({ ...graph, peers })
      const settings = { rounds: 20, options, rate: () => 0.5 }
      const { models } = await runOf(inSimulator, algorithm, peers.length, (place) => set.of(`p${place}`), settings)
      const { measures } = await set.union.evaluate(models.get('p0' as PeerName) as Float32Array).run()
      return measures?.mrr ?? 0
    }
    const [one, three] = [await mrrOf(['p0'], {}), await mrrOf(['p0', 'p1', 'p2'], { workers: 2 })]
    t.true(one > 0.6, `${one}`)
    t.true(three > 0.85 * one, `${three} with three peers, ${one} with one worker`)
  })
}

test('relations that are clustered stay at the peer that uses them: with Lapse fewer rows move', async (t) => {
  const movedWith = async (clustered: boolean) => {
    const peers = ['p0', 'p1', 'p2']
    const set = await createKnowledgeGraphTaskSet({ ...graph, clustered, negatives: 1, peers })
    const settings = { rounds: 2, finalRounds: 0, rate: () => 0.1 }
    const { counts } = await runOf(inSimulator, keyAlgorithms[2], 3, (place) => set.of(`p${place}`), settings)
    return [...counts.values()].reduce((sum, { moved }) => sum + moved, 0)
  }
  const [clustered, mixed] = [await movedWith(true), await movedWith(false)]
  t.true(clustered < 0.9 * mixed, `${clustered}, and ${mixed} at random`)
})

test('a round reaches the keys and the gradient of a task that draws anew in each', async (t) => {
  const seen = { keys: new Set<number | undefined>(), gradient: new Set<number | undefined>() }
  const task = (place: number): Task => {
    const plain = adding(5, place)
    const { keysOf, gradient } = plain.rows as TaskRows
    const rows: TaskRows = {
      ...(plain.rows as TaskRows),
      keysOf: (batch, round) => (seen.keys.add(round), keysOf(batch)),
      gradient: (own, keys, batch, out, round) => (seen.gradient.add(round), gradient(own, keys, batch, out))
    }
    return { ...plain, rows }
  }
  await runOf(inSimulator, keyAlgorithms[2], 2, task, { rounds: 3 })
  t.deepEqual(seen, { keys: new Set([0, 1, 2]), gradient: new Set([0, 1, 2]) })
})

for (const algorithm of keyAlgorithms) {
  test(`the simulator: ${algorithm.title}: matrix factorisation comes as near the noise with 3 peers of 2 workers as with one worker`, async (t) => {
    const lossOf = async (peers: number, options: Readonly<Record<string, unknown>>) => {
      const set = await createMatrixFactorisationTaskSet({
        ...ratings,
        peers: Array.from({ length: peers }, (_, place) => `p${place}`)
      })
      const settings = { rounds: 20, options, rate: (round: number) => 0.25 * 0.9 ** round }
      const { models, losses } = await runOf(inSimulator, algorithm, peers, (place) => set.of(`p${place}`), settings)
      const { loss } = await set.union.evaluate(models.get('p0' as PeerName) as Float32Array).run()
      t.true(losses[losses.length - 1] < losses[0] / 3)
      return loss
    }
    const [one, three] = [await lossOf(1, {}), await lossOf(3, { workers: 2, blocking: true })]
    t.true(one < 3 * ratings.noise ** 2, `${one}`)
    t.true(three < 1.15 * one, `${three} with three peers, ${one} with one worker`)
  })
}

test('with blocks that move, nearly all accesses are local; where rows stay, a third at most', async (t) => {
  const set = await createMatrixFactorisationTaskSet({ ...ratings, peers: ['p0', 'p1', 'p2'] })
  const fractionOf = async (name: string) => {
    const algorithm = keyAlgorithms.find((each) => each.name === name) as Algorithm
    const options = { workers: 2, blocking: true }
    const { counts } = await runOf(inSimulator, algorithm, 3, (place) => set.of(`p${place}`), {
      rounds: 3,
      options,
      finalRounds: 0,
      rate: () => 0.1
    })
    const all = [...counts.values()]
    const sum = (of: (each: KeyCounts) => number) => all.reduce((total, each) => total + of(each), 0)
    return {
      local: sum(({ local }) => local) / sum(({ local, remote, queued }) => local + remote + queued),
      moved: sum(({ moved }) => moved)
    }
  }
  const [lapse, local, classic] = [
    await fractionOf('lapse'),
    await fractionOf('classic-local-server'),
    await fractionOf('classic-server')
  ]
  t.is(lapse.local, 1)
  t.true(lapse.moved > 100)
  t.true(local.local > 0.2 && local.local < 0.45, `${local.local}`)
  t.deepEqual(classic, { local: 0, moved: 0 })
})

test('the same seed gives the same run in the simulator, in which nobody waits for a timeout', async (t) => {
  const [, , lapse] = keyAlgorithms
  const once = async () => {
    let elapsed = 0
    const world: World = async (options, program) => void ({ elapsed } = await simulated(options, program))
    const { counts } = await runOf(world, lapse, 3, (place) => adding(5, place), { options: { workers: 3, ahead: 1 } })
    return { counts, elapsed }
  }
  const { counts, elapsed } = await once()
  t.deepEqual(await once(), { counts, elapsed })
  // 5 batches of 4 ms for each worker and epoch; what a batch waits for is there after some messages of 10 ms.
  t.true(elapsed < 2000, `${elapsed} ms`)
})

test('a task without keyed rows is refused, and what is not plain SGD, in words', async (t) => {
  const [classic, local] = keyAlgorithms
  const dense = { ...adding(5, 0), rows: undefined }
  await t.throwsAsync(
    runOf(inSimulator, classic, 2, () => dense, {}),
    { message: /Classic server needs a task whose parameters are keyed rows/ }
  )
  const momentum = { optimiser: { name: 'sgd', momentum: 0.9 } }
  await t.throwsAsync(
    runOf(inSimulator, local, 2, (place) => adding(5, place), momentum),
    { message: /takes plain steps of SGD/ }
  )
  await t.throwsAsync(
    runOf(inSimulator, local, 2, (place) => adding(5, place), { options: { blocking: true } }),
    {
      message: /do not fall into blocks/
    }
  )
})
