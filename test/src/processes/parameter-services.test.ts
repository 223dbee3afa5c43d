/** Parameter services: what is kept and what is lost, in virtual time and over real stores. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MeteredStore, type StoreFigures, train } from '@murmuration/algorithms'
import { complete, quadratics } from '@murmuration/contract'
import { MemoryStore } from '@murmuration/core'
import { SharedStore, type SimulationOptions } from '@murmuration/simulator'
import { programPath, startRedis } from '@murmuration/stores/programs'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { algorithmOf, dedicated, inCentralWorld, namesOf } from '../central-worlds.js'
import { murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

const workers = namesOf(4)
const costs = { store: 1, storePerMB: 0, service: 4, servicePerMB: 0 }

interface Ran {
  readonly figures: readonly StoreFigures[]
  /** The distance of each worker's parameters from the optimum, as a fraction of the optimum's length. */
  readonly errors: readonly number[]
}

/** Trains four workers with `services` services in virtual time. */
async function simulated(
  services: number,
  options: Readonly<Record<string, unknown>> = {},
  { spread = 4, ...world }: Partial<SimulationOptions<VectorMessage>> & { readonly spread?: number } = {}
): Promise<Ran> {
  const { taskOf, optimum } = quadratics(complete(...workers), spread)
  const servers = dedicated(services)
  const store = new SharedStore(new MemoryStore(), { get: costs, set: costs, add: costs })
  const metered: MeteredStore[] = []
  const errors: number[] = []
  const length = Math.hypot(...optimum)
  const settings = {
    algorithm: algorithmOf('parameter-services'),
    options,
    seed: 1,
    batchSize: 4,
    rounds: 300,
    rate: (k: number) => 0.4 / (1 + k / 8),
    timeout: 1000,
    workers,
    servers: servers.map(({ name }) => name)
  }
  await inCentralWorld({ workers, servers, cost: () => 3, ...world }, async (fabric) => {
    const isWorker = workers.includes(fabric.self)
    const own = new MeteredStore(store.of(fabric), () => fabric.now())
    if (!isWorker) metered.push(own)
    const steps = train(fabric, taskOf(fabric.self), { ...settings, store: isWorker ? undefined : own })
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    if (isWorker) errors.push(Math.hypot(...optimum.map((value, d) => value - step.value[d])) / length)
  })
  return { figures: metered.map(({ figures }) => figures), errors }
}

const total = ({ figures }: Ran, field: keyof StoreFigures) => figures.reduce((sum, each) => sum + each[field], 0)

test('one service loses no update, several that write over each other do, and the end is the same', async (t) => {
  const one = await simulated(1)
  const three = await simulated(3)
  t.is(total(one, 'overwritten'), 0)
  t.is(total(one, 'sets'), 1200, 'each of 300 updates of 4 workers')
  t.is(total(three, 'sets'), 1200)
  t.true(total(three, 'overwritten') > 80, `${total(three, 'overwritten')} updates were overwritten`)
  for (const error of [...one.errors, ...three.errors]) t.true(error < 0.02, String(error))
})

test('where the store adds nothing is overwritten, by averages either', async (t) => {
  for (const options of [{ atomic: true }, { atomic: true, alpha: 0.7 }]) {
    const run = await simulated(3, options)
    t.is(total(run, 'overwritten'), 0)
    t.is(total(run, 'adds'), 1200)
    for (const error of run.errors) t.true(error < 0.02, `${error} with ${JSON.stringify(options)}`)
  }
})

test('in chunks, with averages and several steps between exchanges the result is the same, with fewer operations', async (t) => {
  const run = await simulated(2, { chunks: 3, alpha: 0.6, period: 4 }, { spread: 0 })
  t.is(total(run, 'sets'), 3 * 4 * 75, 'three objects, four workers, 75 exchanges')
  for (const error of run.errors) t.true(error < 0.02, String(error))
})

test('a service that crashes is passed over, and no worker is lost', async (t) => {
  const [first] = dedicated(2)
  const events = [{ at: 3000, kind: 'crash', peer: first.name }] as const
  const run = await simulated(2, {}, { faults: { events, rules: [] } })
  t.is(run.errors.length, 4)
  for (const error of run.errors) t.true(error < 0.02, String(error))
  const [, left] = run.figures
  t.true(left.sets > 700, `the other one has done ${left.sets} of 1200`)
})

const topology = 'graph: ring\npeers: [a, b, c, { name: s, role: server }, { name: t, role: server }]\n'
const training =
  'task: softmax\ndata: { digits: 400 }\nalgorithm: parameter-services\nbatch: 16\nrounds: 60\nrate: { scale: 1/peers }\n'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

test('what real services cannot do with a store is refused before anything starts; a password is not shown', async (t) => {
  const folder = await folderWith({
    'topology.yaml': topology,
    'bare.yaml': 'graph: ring\npeers: [a, b]\n',
    'memory.yaml': training,
    'secret.yaml': `${training}store: redis://somebody:hide-me@localhost:6379\n`,
    'gossip.yaml': 'task: softmax\nstore: redis://localhost\n'
  })
  const commands = [
    ['swarm', 'topology.yaml', '--train', 'memory.yaml'],
    ['swarm', 'topology.yaml', '--train', 'secret.yaml'],
    ['swarm', 'bare.yaml', '--train', 'gossip.yaml']
  ]
  const results = await murmurInTurn(commands, folder, folder)
  for (const { code, stderr } of results) t.is(code, 2, stderr)
  const [memory, secret, gossip] = results.map(({ stderr }) => stderr)
  t.regex(memory, /found 2 services and a store in memory, .* "store: redis:\/\/localhost:6379"/)
  t.regex(secret, /secret\.yaml:7.*store.*MURMUR_STORE_PASSWORD/s)
  t.notRegex(secret, /hide-me/)
  t.regex(gossip, /D-PSGD uses no store/)
})

const withRedis = programPath('redis-server') === undefined ? test.skip : test.serial

test('the files of the example simulate what it runs, with a store as fast as Redis', async (t) => {
  const folder = await temporaryFolder()
  const files = ['examples/redis/topology.yaml', '--train', 'examples/redis/train.yaml']
  const result = await murmur(['sim', ...files, '--threads', '1', '--out', join(folder, 'out')], folder).result
  t.is(result.code, 0, result.stderr)
  const [record] = (await readFile(join(folder, 'out/runs.jsonl'), 'utf8'))
    .split('\n')
    .flatMap((line) =>
      line.includes('"method"') ? [JSON.parse(line) as { readonly store: { readonly sets: number } }] : []
    )
  t.is(record.store.sets, 400, 'each of 100 updates of 4 workers')
})

withRedis('a swarm goes on when a service is killed, and when Redis is killed and started again', async (t) => {
  const redis = await startRedis({ save: '1 1', password: 'hide-me' })
  t.teardown(() => redis.end())
  const store = `store: ${redis.url}\ntimeout: 8 s\nrounds: 200\n`
  const folder = await folderWith({ 'topology.yaml': topology, 'train.yaml': training.replace('rounds: 60\n', store) })
  const args = ['swarm', 'topology.yaml', '--train', 'train.yaml', '--json', '--no-baseline']
  const env = { MURMUR_STORE_PASSWORD: 'hide-me' }
  const run = murmur(args, folder, undefined, { cwd: folder, env })
  const serves = await run.telling('a service is up', ({ text }) => /^s serves/.test(String(text)))
  await run.telling('a step', ({ kind, round }) => kind === 'step' && Number(round) > 5)
  await redis.kill()
  await run.telling('the store is unreachable', ({ text }) => /: redis:.* is unreachable/.test(String(text)))
  await redis.start()
  await run.telling('the store is back', ({ text }) => /: redis:.* is back/.test(String(text)))
  process.kill(Number(/process (\d+)/.exec(String(serves.text))?.[1]), 'SIGKILL')
  const result = await run.result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  t.like(records.at(-1), { kind: 'summary', finished: 3, lost: [] })
  t.deepEqual(
    records.filter(({ kind }) => kind === 'lost').map(({ peer }) => peer),
    ['s']
  )
  t.like(
    records.find(({ kind }) => kind === 'store'),
    { peer: 't' }
  )
  t.notRegex(result.stdout + result.stderr, /hide-me/)
})
