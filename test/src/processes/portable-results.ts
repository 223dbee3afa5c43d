/**
 * What the portable packages compute, as hashes by what they are of: the same in Node and in a page. No file here may
 * use what only one of them has.
 */
import { algorithms, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { type DataDescription, inputsIn, loadLocalData, readWords } from '@murmuration/data'
import { sha256 } from '@murmuration/platform'
import { createRandom } from '@murmuration/random'
import { computingCost, Simulation, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTaskSet, softmaxTaskModule, startTaskWorker } from '@murmuration/tasks'
import { tfjsTaskModule } from '@murmuration/tfjs'
import { createTopology } from '@murmuration/topology'
import { codecKinds, codecRandom, hashVector, LinkEncoder, parseCodec } from '@murmuration/vectors'
import { vectorWire } from '@murmuration/wire'

/** Results by what they are of. */
export type PortableResults = Record<string, string>

/** All results of the pure packages. */
export async function pureResults(): Promise<PortableResults> {
  const results: PortableResults = {}
  for (const name of ['dpsgd', 'sgp', 'choco', 'ad-psgd', 'relay-sgd', 'd2'])
    results[`simulated run of ${name}`] = await simulated(name)
  return { ...draws(), ...encoded(), ...results }
}

function draws(): PortableResults {
  const random = createRandom(7, 'draws')
  const list = Array.from({ length: 500 }, () => [random.uniform(), random.integer(1000), random.normal()])
  return { 'random streams': sha256(JSON.stringify([list, random.shuffle(Array.from({ length: 100 }, (_, k) => k))])) }
}

/** The bytes of three messages in a row, for each codec. */
function encoded(): PortableResults {
  const length = 3000
  const results: PortableResults = {}
  for (const { name, parameter } of codecKinds) {
    const codec = parseCodec(parameter === undefined ? name : `${name}:${parameter.example}`)
    const encoder = new LinkEncoder(codec, length, codecRandom(createRandom(3, 'a'), 'b'))
    const values = Float32Array.from({ length }, (_, k) => ((k * k) % 101) / 7 - 6)
    const bodies = Array.from({ length: 3 }, (_, round) => {
      const out = new Uint8Array(Math.max(codec.maxBytes(length), 4 * length))
      const { id, bytes } = encoder.encode(
        { kind: 0, field: 0 },
        values.map((value) => value + round / 9),
        0,
        out
      )
      return sha256(String(id), out.subarray(0, bytes))
    })
    results[`bytes of ${name}`] = sha256(...bodies)
  }
  return results
}

/** Every arrival and every end of a computation, and the models. */
async function simulated(name: string): Promise<string> {
  const peers = ['a', 'b', 'c', 'd'].map(peerName)
  const tree = createTopology({ peers, graph: { kind: 'tree', degree: 2 } })
  const topology = name === 'relay-sgd' ? tree : createTopology({ peers, graph: { kind: 'ring' } })
  const algorithm = algorithms.find((each) => each.name === name)
  if (algorithm === undefined) throw new Error(name)
  const tasks = createQuadraticTaskSet({ peers, seed: 1, heterogeneity: 1, dimension: 40 })
  const settings = { algorithm, workers: peers, seed: 1, batchSize: 1, rounds: 30, rate: () => 0.1, timeout: 30_000 }
  const cost = computingCost(
    { perSample: 0.1, perStep: 1, slow: new Map(), stragglers: { kind: 'log-normal', sigma: 0.3 } },
    5
  )
  const links = uniformLinks({ latency: 10, bandwidth: 25e6 })
  const ends = new Map<string, string>()
  const simulation = new Simulation({ topology, seed: 1, wire: vectorWire, links, cost }, async (fabric) => {
    for await (const step of train(fabric, tasks.of(fabric.self), settings))
      ends.set(fabric.self, hashVector(step.parameters))
  })
  await simulation.run()
  return sha256(simulation.log.text(), JSON.stringify([...ends].sort()))
}

const split = { testFraction: 0.2, partition: { kind: 'dirichlet', alpha: 0.5 }, seed: 3 } as const

/** Local data of a peer, and their fingerprint, read from files. */
export async function dataResults(pathOf: (name: string) => string): Promise<PortableResults> {
  const results: PortableResults = {}
  const add = async (name: string, data: DataDescription) => {
    const {
      train: own,
      fingerprint,
      shardSizes
    } = await loadLocalData({ ...split, data, peers: ['a', 'b'], self: 'b' })
    results[name] = [fingerprint, hashVector(own.inputs), hashVector(own.targets), shardSizes].join(' ')
  }
  await add('digits', { kind: 'digits', samples: 60 })
  for (const name of ['table.csv', 'table.csv.gz', 'sparse.libsvm', 'images', 'idx', 'utf-16'])
    await add(name, { kind: 'files', path: pathOf(name) })
  const preprocessing = { kind: 'image' } as const
  for (const name of ['images/cats/1.png', 'images/dogs/2.jpg']) {
    const [{ values }] = await inputsIn(pathOf(name), { inputShape: [9, 9, 3], preprocessing } as never)
    results[`pixels of ${name}`] = hashVector(values)
  }
  const { words, word } = await readWords(pathOf('text.txt'), 1)
  results['words of a text'] = sha256(JSON.stringify([words, [...word]]))
  return results
}

/** Gradients of tasks in threads of their own. */
export async function taskResults(): Promise<PortableResults> {
  const localData = { ...split, data: { kind: 'digits', samples: 100 }, peers: ['a', 'b'], self: 'b' } as const
  const results: PortableResults = {}
  for (const [name, description] of [
    ['softmax', { module: softmaxTaskModule, options: { localData } }],
    ['mlp', { module: tfjsTaskModule, options: { localData, model: { kind: 'mlp', hidden: [16] }, backend: 'wasm' } }],
    ['cnn', { module: tfjsTaskModule, options: { localData, model: { kind: 'cnn' }, backend: 'wasm' } }]
  ] as const) {
    const task = await startTaskWorker(description)
    const x = (await task.initialise(1).run()).slice()
    const losses: number[] = []
    for (let round = 0; round < 5; round++) {
      const batch = Uint32Array.from({ length: 8 }, (_, k) => (7 * round + 3 * k) % task.samples)
      const { loss, vector } = await task.gradient(x, batch, round).run()
      losses.push(loss)
      for (let k = 0; k < x.length; k++) x[k] -= 0.1 * vector[k]
    }
    const evaluation = await task.evaluate(x).run()
    results[`the task ${name}`] = sha256(hashVector(x), JSON.stringify([losses, evaluation]))
    await task.close()
  }
  return results
}
