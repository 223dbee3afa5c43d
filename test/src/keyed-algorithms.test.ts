/** Algorithms whose parameters are keyed rows, in both worlds: what is added arrives once. */
import { keyAlgorithms, packRows, type SavedRows, unpackRows } from '@murmuration/algorithms'
import { type PeerName, type Task, type TaskRows } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { vectorWire, weighed } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { type Ends, runOf, type KeyedWorld } from './keyed-runs.js'
import { inSimulator, overLibp2p, simulated } from './worlds.js'

const worlds: Readonly<Record<string, KeyedWorld>> = {
  'the simulator': inSimulator,
  'libp2p': (options, program) => overLibp2p(options, program)
}

/**
 * `count` keys of two numbers; a sample is two keys, and adds its number to them, independently of the rows. All sums
 * are exact.
 */
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

/** The sum of what all `peers` have added after some epochs. */
function sumOf(count: number, peers: number, epochs: number): Float32Array {
  const sum = Float32Array.from({ length: 2 * count }, (_, n) => n)
  for (let place = 0; place < peers; place++)
    for (let sample = 0; sample < 60; sample++)
      for (const key of [(sample * 7 + place) % count, (sample * sample + 3) % count])
        sum[2 * key] += epochs * (sample + 1)
  return sum
}

/** After each epoch, the peers together hold everything that was added until then, and nothing of the next epoch. */
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

/** A world where messages from p2 to some take 500 ms. */
function slowFromP2(isSlow: (to: string) => boolean): KeyedWorld {
  return async ({ topology, servers = [], seed, length }, program) => {
    const { access, path } = uniformLinks({})
    const latency = (from: string, to: string) => (from === 'p2' && isSlow(to) ? 500 : 1)
    const links = {
      access,
      path: (from: PeerName, to: PeerName) => ({ ...path(from, to), latency: latency(from, to) })
    }
    const wire = { ...vectorWire, ...weighed(length) }
    const options = { topology, servers: servers.map((name) => ({ name })), seed, wire, links, cost: () => 1 }
    await simulate(options, program)
  }
}

for (const algorithm of keyAlgorithms) {
  test(`${algorithm.title}: messages of the next epoch wait for peers that do not know of the end of this one`, async (t) => {
    const world = slowFromP2((to) => to !== 'p1')
    const { held } = await runOf(world, algorithm, 3, (place) => adding(11, place), { options: { workers: 2 } })
    checkHeld(t, held)
  })

  test(`${algorithm.title}: a peer waits for room in the queue to a slow peer, and loses nothing`, async (t) => {
    const world = slowFromP2(() => true)
    const settings = { batchSize: 1, options: { workers: 60 } }
    checkHeld(t, (await runOf(world, algorithm, 3, (place) => adding(11, place), settings)).held)
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

    test(`${name}: ${algorithm.title}: from the rows that all have saved a new run comes to the same sum`, async (t) => {
      const settings = { options: { workers: 2 } }
      const run = (more: object, from?: ReadonlyMap<PeerName, SavedRows>) =>
        runOf(world, algorithm, 3, (place) => adding(11, place), { ...settings, ...more }, from)
      const first = await run({ rounds: 1, finalRounds: 0 })
      const read = [...first.saved].map(([peer, rows]): [PeerName, SavedRows] => [
        peer,
        unpackRows(packRows(rows), { count: 11, width: 2 }, 2)
      ])
      t.deepEqual(new Map(read), first.saved)
      const { models, held, saved } = await run({}, first.saved)
      for (const peer of ['p0', 'p1', 'p2']) {
        t.deepEqual(models.get(peer as PeerName), sumOf(11, 3, 2), peer)
        t.is(saved.get(peer as PeerName)?.samples, 120)
      }
      checkHeld(t, [first.held[0], held[1]])
      const [[peer, rows], ...others] = read
      const none: SavedRows = { ...rows, keys: rows.keys.slice(1), rows: rows.rows.slice(2) }
      if (name === 'libp2p' || rows.keys.length === 0) return
      await t.throwsAsync(run({}, new Map([[peer, none], ...others])), {
        message: new RegExp(
          `the checkpoints of round 1 do not fit together: no peer has saved the rows of ${rows.keys[0]}`
        )
      })
    })
  }
}

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

test('the same seed gives the same run in the simulator, in which no peer waits for a timeout', async (t) => {
  const [, , lapse] = keyAlgorithms
  const once = async () => {
    let elapsed = 0
    const world: KeyedWorld = async (options, program) => void ({ elapsed } = await simulated(options, program))
    const { counts } = await runOf(world, lapse, 3, (place) => adding(5, place), { options: { workers: 3, ahead: 1 } })
    return { counts, elapsed }
  }
  const { counts, elapsed } = await once()
  t.deepEqual(await once(), { counts, elapsed })
  // 5 batches of 4 ms for each worker and epoch; what a batch waits for arrives after some messages of 10 ms.
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
