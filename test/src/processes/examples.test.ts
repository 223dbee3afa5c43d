/** The examples run, each by the command in its file. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text as textFrom } from 'node:stream/consumers'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { algorithms, dpsgd, type EpochSettings, Members, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { peerName, StoppedError, type Topology } from '@murmuration/core'
import { loadModel } from '@murmuration/experiment/models'
import { trustingSigner } from '@murmuration/membership'
import { createTopology, structureFindings } from '@murmuration/topology'
import anyTest from 'ava'
import { build } from 'esbuild'
import { murmur, recordsOf, temporaryFolder } from './command.js'
import { pullingTask } from '../pulling-task.js'
import { root, textOf } from '../repository.js'
import { inSimulator } from '../worlds.js'

const test = anyTest.serial
const run = promisify(execFile)

/** The last value of each peer of the example, of its output. */
const lastValues = (stdout: string) =>
  new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0], Number(line.split(' ')[2])])
  )

test('a peer inside an application: three peers learn the mean of their secrets, in under 40 lines of code', async (t) => {
  const { stdout } = await run(process.execPath, [join(root, 'examples/embed/dist/main.js')], {
    timeout: timeLimit(60_000)
  })
  const last = lastValues(stdout)
  t.deepEqual([...last.keys()].sort(), ['ann', 'bob', 'cat'])
  for (const value of last.values()) t.true(Math.abs(value - 10) < 0.01, `${value}`)
  const code = textOf('examples/embed/src/main.ts')
    .split('\n')
    .filter((line) => !/^\s*(\/\*\*.*|)$/.test(line))
  t.true(code.length < 40, `${code.length} lines`)
})

test('the example runs as one bundled file, away from all packages, in a worker thread', async (t) => {
  const outfile = join(await temporaryFolder(), 'main.mjs')
  const [, options = ''] =
    /`esbuild main.ts (--[^`]*) --outfile=main.mjs`/.exec(textOf('docs/use/in-a-program.md')) ?? []
  t.is(options, '--bundle --platform=node --format=esm')
  const entryPoints = [join(root, 'examples/embed/src/main.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' })
  const worker = new Worker(outfile, { stdout: true })
  const [stdout, [code]] = await Promise.all([textFrom(worker.stdout), once(worker, 'exit')])
  t.is(code, 0)
  t.is(lastValues(stdout).size, 3)
  for (const value of lastValues(stdout).values()) t.true(Math.abs(value - 10) < 0.01, `${value}`)
})

/** What the block of code in docs/use/in-a-program.md exports that exports `name`. */
async function documentedModule<T>(name: string): Promise<T> {
  const blocks = [...textOf('docs/use/in-a-program.md').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code)
  const code = blocks.find((block) => block.includes(`export const ${name} =`)) ?? ''
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as T
}

test('the topology in the documents averages in pairs, to the mean of all', async (t) => {
  const { pairs } = await documentedModule<{ readonly pairs: Topology }>('pairs')
  t.deepEqual(
    structureFindings(pairs).filter(({ level }) => level !== 'ok'),
    []
  )
  // Two rounds of averaging over a hypercube of four reach the mean.
  const ends = new Set<string>()
  const settings = { algorithm: dpsgd, seed: 1, batchSize: 1, rounds: 4, finalRounds: 3, timeout: 1000 }
  await inSimulator({ topology: pairs, seed: 1, length: 4 }, async (fabric) => {
    const task = pullingTask(pairs.peers, fabric.self, 4)
    const steps = train(fabric, task, { ...settings, workers: pairs.peers, rate: () => 0.1 })
    let end = ''
    for await (const { parameters } of steps) end = Array.from(parameters, (value) => value.toFixed(6)).join()
    ends.add(end)
  })
  t.is(ends.size, 1, [...ends].join('\n'))
})

test('with the epochs in the documents an all-reduce goes on without a peer that leaves', async (t) => {
  type EpochsOf = (topology: Topology, log: (text: string) => void) => EpochSettings
  const { epochsOf } = await documentedModule<{ readonly epochsOf: EpochsOf }>('epochsOf')
  const peers = ['ann', 'bob', 'cat', 'dan'].map(peerName)
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const [allReduce] = algorithms.filter(({ name }) => name === 'all-reduce')
  const settings = { algorithm: allReduce, seed: 1, batchSize: 1, rounds: 40, timeout: 1000, rate: () => 0.1 }
  const lines: string[] = []
  const ends: string[] = []
  await inSimulator({ topology, seed: 1, length: 4 }, async (fabric) => {
    const { self } = fabric
    const members = new Members(fabric, { topology, signer: trustingSigner, wait: { start: 5000, pause: 60_000 } })
    const epochs = epochsOf(topology, (text) => lines.push(`${self}: ${text}`))
    const ending = new AbortController()
    const all = { ...settings, workers: peers, members, epochs }
    const steps = train(fabric, pullingTask(peers, self, 4), all, { signal: ending.signal })
    try {
      for await (const { round, parameters } of steps) {
        if (self === 'bob' && round === 10) ending.abort(new StoppedError())
        if (round === settings.rounds - 1) ends.push(parameters.join())
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  })
  t.deepEqual(
    lines.sort(),
    ['ann', 'cat', 'dan'].map((self) => `${self}: epoch 1 without bob`)
  )
  t.is(ends.length, 3)
  t.is(new Set(ends).size, 1)
})

test('the peer that docs/use/in-a-program.md shows is given what that of the example is', (t) => {
  const given = (text: string, maker: string) =>
    [...(text.split(maker)[1]?.split(' })')[0] ?? '').matchAll(/(?<=[{,] )\w+/g)].map(([name]) => name)
  for (const maker of ['createPeer(', 'new Members(']) {
    const names = given(textOf('docs/use/in-a-program.md'), maker)
    t.true(names.length > 0)
    t.deepEqual(names, given(textOf('examples/embed/src/main.ts'), maker), maker)
  }
})

/** The smallest number of peers: each loads TensorFlow.js. */
async function pair(folder: string): Promise<string> {
  const path = join(folder, 'pair.yaml')
  await writeFile(path, 'graph: ring\npeers: 2\n')
  return path
}

test('a model of one’s own trains on every peer', async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'short.yaml'), 'data: { digits: 800 }\nrounds: 40\nrate: { initial: 0.05 }\n')
  const args = ['swarm', await pair(folder), '--task', 'examples/own-model/my-task.js', '--no-baseline', '--json']
  const result = await murmur([...args, '--train', join(folder, 'short.yaml')], folder).result
  t.is(result.code, 0, result.stderr)
  const summary = recordsOf(result).at(-1) ?? {}
  t.true((summary.accuracyOfMean as number) > 0.3, `accuracy ${summary.accuracyOfMean}`)
})

test('a model of one’s own trains in the simulator, too', async (t) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'short.yaml'), 'data: { digits: 400 }\nrounds: 20\nrate: { initial: 0.05 }\n')
  const args = ['sim', await pair(folder), '--task', 'examples/own-model/my-task.js', '--out', join(folder, 'out')]
  const training = ['--train', join(folder, 'short.yaml'), '--threads', '1', '--json']
  const result = await murmur([...args, ...training], folder).result
  t.is(result.code, 0, result.stderr)
  const { curve } = recordsOf(result).find(({ kind }) => kind === 'run') as {
    readonly curve: readonly { readonly accuracy: number }[]
  }
  t.true((curve.at(-1)?.accuracy ?? 0) > 0.3)
})

test('the language model trains over its shaped links as it is simulated: texts on the way, perplexity in the end, a bit for a number', async (t) => {
  const folder = await temporaryFolder()
  // Two peers, a tiny model and a text that needs no network; everything else is as in the example.
  const text = textOf('examples/language-model/train.yaml')
    .replace(/^task: .*$/m, 'task: { kind: gpt, layers: 1, width: 16, heads: 2, context: 16 }')
    .replace(/^data: .*$/m, 'data: { sentences: 200 }')
    .replace('period: 5', 'period: 2')
    .replace(/^rounds: .*$/m, 'rounds: 4')
    .replace(/warmup: \d+/, 'warmup: 2')
  const training = ['--train', join(folder, 'train.yaml')]
  await writeFile(training[1], text)
  const save = join(folder, 'model.safetensors')
  const args = ['swarm', await pair(folder), ...training, '--save', save, '--no-baseline', '--json']
  const result = await murmur([...args, '--links', 'examples/language-model/links.yaml'], folder).result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  const texts = records.filter(({ kind }) => kind === 'text')
  t.true(texts.length > 0)
  for (const each of texts) t.is((each.text as string).length, 160)
  const { kind, models, ...figures } = records.at(-1) ?? {}
  t.is(kind, 'summary')
  const { perplexityOfMean, lossOfMean, payloadSent, rawSent } = figures as Record<string, number>
  t.is(perplexityOfMean, Math.exp(lossOfMean))
  // Two messages of signs and one of the averaging at the end, in float32.
  t.true(payloadSent < 0.37 * rawSent, `${payloadSent} bytes for ${rawSent}`)
  const simulating = [
    'sim',
    join(folder, 'pair.yaml'),
    ...training,
    '--threads',
    '1',
    '--out',
    join(folder, 'out'),
    '--json'
  ]
  const simulated = await murmur(simulating, folder).result
  t.is(simulated.code, 0, simulated.stderr)
  t.deepEqual(recordsOf(simulated).find(({ kind }) => kind === 'run')?.models, models)
  t.like((await loadModel(save)).facts.signature, { inputShape: [16], classes: 26, preprocessing: { kind: 'text' } })
})

const mnist = join(root, '../shared/data/mnist')
const withDigits = existsSync(mnist) ? test : test.skip

/** Puts the files where a run that fetched them would have put them, so that the test needs no network. */
async function fillCache(home: string): Promise<void> {
  for (const name of ['t10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz']) {
    const sha256 = createHash('sha256')
      .update(await readFile(join(mnist, name)))
      .digest('hex')
    await mkdir(join(home, 'data', sha256), { recursive: true })
    await copyFile(join(mnist, name), join(home, 'data', sha256, name))
  }
}

withDigits(
  'real digits (skipped where ../shared/data/mnist is missing): the ring is as good as plain SGD',
  async (t) => {
    const folder = await temporaryFolder()
    await fillCache(folder)
    // The example with half of its rounds.
    const training = textOf('examples/mnist/mlp.yaml').replace('rounds: 600', 'rounds: 300')
    await writeFile(join(folder, 'mlp.yaml'), training)
    const args = ['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'mlp.yaml')]
    args.push('--data', 'mnist-t10k', '--json')
    const result = await murmur(args, folder, timeLimit(240_000)).result
    t.is(result.code, 0, result.stderr)
    const { accuracyOfMean, accuracyOfWorst, centralisedAccuracy } = recordsOf(result).at(-1) as Record<string, number>
    t.true(accuracyOfMean >= 0.94)
    t.true(accuracyOfMean >= centralisedAccuracy - 0.005, `${accuracyOfMean} against ${centralisedAccuracy}`)
    t.true(Math.abs(accuracyOfMean - accuracyOfWorst) < 0.001)
  }
)
