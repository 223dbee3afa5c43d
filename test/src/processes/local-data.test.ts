/** Data that only one machine has: the optimum that D-PSGD then approaches, and four real peers with four files. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PeerName, peerName, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { createLogisticTask, gradientWeight, withGradientWeight } from '@murmuration/tasks'
import { distance } from '@murmuration/vectors'
import test from 'ava'
import { freePorts, murmur, recordsOf, temporaryFolder } from './command.js'
import { dpsgd } from '../gossip.js'
import { plainSgd } from '../plain-sgd.js'
import { complete, inSimulator } from '../worlds.js'

/** Two classes around different points for each peer, so that the peers' own optima differ. */
function csvOf(seed: string, count: number, shift: number): string {
  const random = createRandom(1, seed)
  const row = (index: number) => {
    const label = index % 3 === 0 ? 1 : 0
    return `${shift + label + random.normal()},${label - shift + random.normal()},${label}`
  }
  return `x,y,label\n${Array.from({ length: count }, (_, index) => row(index)).join('\n')}\n`
}

const sizes = { a: 20, b: 30, c: 60 } as const
const names = Object.keys(sizes).map(peerName)

/** Each peer's task over its own file, and the union's over all files. */
async function tasks(): Promise<{ readonly own: ReadonlyMap<PeerName, Task>; readonly union: Task }> {
  const folder = await temporaryFolder()
  const common = csvOf('test', 50, 0)
  await writeFile(join(folder, 'test.csv'), common)
  const paths = new Map(names.map((name) => [name, join(folder, `${name}.csv`)]))
  for (const [place, [name, path]] of [...paths].entries()) {
    await writeFile(path, csvOf(name, sizes[name as keyof typeof sizes], place - 1))
  }
  const sha256 = { 'test.csv': createHash('sha256').update(common).digest('hex') }
  const split = { test: { path: join(folder, 'test.csv'), sha256 }, testFraction: 0, seed: 1 }
  const taskOf = (
    path: string | string[],
    rest: { partition: { kind: 'local' | 'equal' }; peers: string[]; self: string }
  ) => createLogisticTask({ localData: { ...split, ...rest, data: { kind: 'files', path } }, l2: 0.1 })
  const own = new Map<PeerName, Task>()
  for (const [name, path] of paths)
    own.set(name, await taskOf(path, { partition: { kind: 'local' }, peers: names, self: name }))
  const union = await taskOf([...paths.values()], { partition: { kind: 'equal' }, peers: ['all'], self: 'all' })
  return { own, union }
}

const options = { seed: 1, momentum: 0, nesterov: false, weightDecay: 0, rounds: 600, rate: () => 0.3 }

/** The parameters of all peers after training on whole batches: 60 samples are three times 20, twice 30, once 60. */
async function trained(taskOf: (name: PeerName) => Task): Promise<Float32Array[]> {
  const ends: Float32Array[] = []
  await inSimulator({ topology: complete(...names), seed: 1, length: 3 }, async (fabric) => {
    const run = { ...options, batchSize: 60, finalRounds: 0, order: 'adapt-then-combine', timeout: 1000 } as const
    const steps = dpsgd(fabric, taskOf(fabric.self), run)
    for await (const { parameters } of steps) ends[names.indexOf(fabric.self)] = parameters.slice()
  })
  return ends
}

test('with gradients weighed by sample counts, peers with data of their own end where the union of the data does', async (t) => {
  const { own, union } = await tasks()
  t.is(union.samples, 110)
  let optimum = new Float32Array(3)
  const central = plainSgd(union, { ...options, batchSize: 110, shards: [{ name: peerName('all'), samples: 110 }] })
  for await (const { parameters } of central) optimum = Float32Array.from(parameters)
  const counts = new Map([...own].map(([name, { samples }]) => [name, samples]))
  const taskOf = (name: PeerName): Task => own.get(name) as Task
  const weighed = await trained((name) => withGradientWeight(taskOf(name), gradientWeight(counts, name)))
  for (const end of weighed) t.true(distance(end, optimum) < 1e-3, `${distance(end, optimum)} from the union's optimum`)
  // If every peer had the same weight, whatever its number of samples, they would end elsewhere.
  for (const end of await trained(taskOf)) t.true(distance(end, optimum) > 0.05, `${distance(end, optimum)}`)
})

const counts = { a: 40, b: 100, c: 260, d: 8 } as const

test('four real peers with data of their own use all of it, test on one set in common, and say their counts', async (t) => {
  const folder = await temporaryFolder()
  const common = csvOf('test', 90, 0)
  await writeFile(join(folder, 'test.csv'), common)
  const sha256 = createHash('sha256').update(common).digest('hex')
  const ports = await freePorts(4)
  const peers = Object.keys(counts).map(
    (name, k) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[k]}] }`
  )
  await writeFile(join(folder, 'ring.yaml'), `graph: ring\npeers:\n${peers.join('\n')}\n`)
  const running = await Promise.all(
    Object.entries(counts).map(async ([name, count], place) => {
      await writeFile(join(folder, `${name}.csv`), csvOf(name, count, place / 2))
      const training = `partition: local\ntest: { path: test.csv, sha256: { test.csv: ${sha256} } }\ndata: { path: ${name}.csv }\n`
      await writeFile(join(folder, `${name}.yaml`), `${training}task: softmax\nrounds: 30\nrate: { initial: 0.05 }\n`)
      return murmur(
        ['peer', join(folder, 'ring.yaml'), '--as', name, '--train', join(folder, `${name}.yaml`), '--json'],
        folder
      )
    })
  )
  const results = await Promise.all(running.map(({ result }) => result))
  t.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0, 0],
    results.map(({ stderr }) => stderr).join('\n')
  )
  const losses = new Set<unknown>()
  for (const [place, [name, count]] of Object.entries(counts).entries()) {
    const records = recordsOf(results[place])
    const { about } = records.find(({ kind }) => kind === 'peer') as { about: Record<string, string> }
    t.is(about.data, `${count} rows of 2 numbers, all this peer's own, 90 to test in common`)
    const notes = records.filter(({ kind }) => kind === 'note').map(({ text }) => text as string)
    const beside = [names4[(place + 3) % 4], names4[(place + 1) % 4]].sort()
    const neighbours = beside.map((other) => `${other} ${counts[other]}`).join(', ')
    t.true(
      notes.includes(
        `${name} has ${count} local samples, its neighbours ${neighbours}, all peers together 408; all samples have the same weight`
      ),
      notes.join('\n')
    )
    losses.add((records.at(-1) as { readonly loss: number }).loss.toFixed(3))
  }
  t.is(losses.size, 1, 'one model on one test set has one loss')
})

const names4 = ['a', 'b', 'c', 'd'] as const
