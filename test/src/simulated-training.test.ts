/** `murmur sim TOPOLOGY --train FILE` takes the steps that `murmur swarm TOPOLOGY --train FILE` takes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type ExecutionContext } from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial

const topology = `graph: ring
peers: [a, b, c, d]
links: { default: { latency: 10 ms, bandwidth: 25 Mbit/s } }
`
const withServer = topology.replace('d]', 'd, { name: s, role: server }]')
const training = 'data: { digits: 400 }\nbatch: 16\nrounds: 12\n'
const dense = `export const createModel = (tf, { inputShape, classes }) => tf.sequential({ layers: [
  tf.layers.flatten({ inputShape }),
  tf.layers.dense({ units: 16, activation: 'tanh' }),
  tf.layers.dropout({ rate: 0.2 }),
  tf.layers.dense({ units: classes, activation: 'softmax' })
] })
`

type Line = Readonly<Record<string, unknown>>

async function folderWith(train: string): Promise<string> {
  const folder = await temporaryFolder()
  const files = { 'ring.yaml': topology, 'server.yaml': withServer, 'train.yaml': train, 'dense.js': dense }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** The last lines of both kinds. */
async function both(t: ExecutionContext, train: string, file = 'ring.yaml'): Promise<readonly [Line, Line]> {
  const folder = await folderWith(train)
  const run = async (args: readonly string[]) => {
    const result = await murmur([...args, '--json'], folder, undefined, { cwd: folder }).result
    t.is(result.code, 0, result.stderr)
    return recordsOf(result)
  }
  const simulated = await run(['sim', file, '--train', 'train.yaml'])
  const real = await run(['swarm', file, '--train', 'train.yaml', '--no-baseline'])
  const [record] = simulated.filter(({ kind }) => kind === 'run')
  return [record, real.at(-1) ?? {}]
}

/** Of those that keep equality, a weighted mean and equality without a codec. */
const coded = ['all-reduce', 'sgp', 'parameter-server']

/** The training with these lines in place of its own; a field without a value is left out. */
function merged(text: string): string {
  const lines = [...training.split('\n'), ...text.split('\n')].filter((line) => line !== '')
  const fields = new Map(lines.map((line) => [line.split(':')[0], line]))
  return [...fields.values()].filter((line) => !line.endsWith(':')).join('\n')
}

const cases: readonly (readonly [string, string, string?])[] = [
  ['a perceptron with momentum', 'task: { kind: mlp, hidden: [16] }\n'],
  ['a small convolutional network, int8 on the links', 'task: cnn\ncodec: int8\nrounds: 4\n'],
  ['a module of one’s own that draws at random', 'task: { module: ./dense.js }\n'],
  [
    'softmax regression by gossip with Adam',
    'task: softmax\noptimiser: adam\nrate: { initial: 0.01 }\nalgorithm: gossip-pga\n'
  ],
  ['softmax regression with a server', 'task: softmax\nalgorithm: parameter-server\n', 'server.yaml'],
  ['logistic regression', 'task: logistic\ndata: { gaussians: 400, features: 9 }\nrate: { scale: 1/peers }\n'],
  ['quadratics', 'task: { kind: quadratic, heterogeneity: 1, noise: 0.5 }\ndata:\n']
]
for (const [what, text, file] of cases) {
  test(`${what}: the simulation ends with the same parameters as the swarm, bit for bit`, async (t) => {
    const [simulated, real] = await both(t, merged(text), file)
    t.deepEqual(simulated.models, real.models)
    t.is(Object.keys(simulated.models as object).length, 4)
    t.is(simulated.rounds, real.rounds)
  })
}

for (const algorithm of coded) {
  test(`${algorithm} with int8 on the links breaks no promise, and all agree in the end`, async (t) => {
    const file = algorithm === 'parameter-server' ? 'server.yaml' : 'ring.yaml'
    const folder = await folderWith(`${training}task: softmax\ncodec: int8\nalgorithm: ${algorithm}\n`)
    const args = ['sim', file, '--train', 'train.yaml', '--json']
    const result = await murmur(args, folder, undefined, { cwd: folder }).result
    t.is(result.code, 0, result.stdout)
    const [{ curve }] = recordsOf(result).filter(({ kind }) => kind === 'run')
    const { consensusDistance } = (curve as readonly { readonly consensusDistance: number }[]).at(-1) ?? {}
    t.true((consensusDistance ?? 1) < 0.05, `${consensusDistance}`)
  })
}

test('what a simulation cannot have is refused, with exit code 2', async (t) => {
  const refused = async (line: string) => {
    const folder = await folderWith(training + line)
    const args = ['sim', 'ring.yaml', '--train', 'train.yaml']
    const { code, stderr } = await murmur(args, folder, undefined, { cwd: folder }).result
    t.is(code, 2)
    return stderr
  }
  t.regex(await refused('codec: auto\n'), /codec "auto" chooses by the measured speed of real links/)
  t.regex(await refused('algorithm: sgd\n'), /sgd exchanges nothing/)
  t.regex(
    await refused('partition: local\ntest: { path: x.csv, sha256: { x.csv: "00" } }\n'),
    /partition "local" is of data that other machines have/
  )
})

test('a scenario compares methods on a model with the words of training files', async (t) => {
  const folder = await folderWith(training)
  const scenario = `title: networks
topology: { graph: ring, peers: 3 }
task: { module: ./dense.js }
data: { digits: 300 }
partition: label
optimiser: sgd
weightDecay: 0
rate: { decay: constant }
methods: [{ algorithm: dpsgd }, { algorithm: all-reduce }]
rounds: 3
`
  await writeFile(join(folder, 'networks.yaml'), scenario)
  const result = await murmur(['sim', 'networks.yaml', '--json'], folder, undefined, { cwd: folder }).result
  t.is(result.code, 0, result.stderr)
  const runs = recordsOf(result).filter(({ kind }) => kind === 'run')
  t.deepEqual(new Set(runs.map(({ method }) => method)), new Set(['D-PSGD', 'SGD on an all-reduce']))
  t.true(runs.every(({ findings }) => (findings as readonly unknown[]).length === 0))
})

test('a method of a scenario runs on real peers, over links as slow as it says, and takes as many rounds as its simulation', async (t) => {
  const folder = await folderWith(training)
  const scenario = `title: one of each
topology: { graph: ring, peers: 3, links: { default: { latency: 5 ms, bandwidth: 50 Mbit/s } } }
task: softmax
data: { digits: 300 }
vary: { rate: [0.05, 0.1] }
methods:
  - dpsgd
  - { algorithm: parameter-server, batch: 8 }
  - { name: shared, algorithm: parameter-server, on: workers }
rounds: 5
`
  await writeFile(join(folder, 's.yaml'), scenario)
  const run = async (...args: string[]) => murmur(args, folder, undefined, { cwd: folder }).result
  const simulated = recordsOf(await run('sim', 's.yaml', '--json')).filter(({ kind }) => kind === 'run')
  for (const label of ['D-PSGD', 'Parameter server (batch 8)']) {
    const real = await run('swarm', 's.yaml', '--method', label, '--no-baseline', '--json')
    t.is(real.code, 0, real.stderr)
    t.true(real.stdout.includes('links are shaped as s.yaml says'))
    const [first] = simulated.filter(({ method, settings }) => method === label && (settings as Line).rate === 0.05)
    t.is(recordsOf(real).at(-1)?.rounds, first.rounds)
  }
  const shared = await run('swarm', 's.yaml', '--method', 'shared')
  t.is(shared.code, 2)
  t.regex(shared.stderr, /its servers share machines with workers \(on: workers\)/)
  const unknown = await run('swarm', 's.yaml', '--method', 'D-PGSD')
  t.regex(unknown.stderr, /expected a method of s\.yaml: "D-PSGD", .*did you mean "D-PSGD"/)
  t.regex(
    (await run('swarm', 's.yaml', '--method', 'D-PSGD', '--task', 'mlp')).stderr,
    /--task: found it beside --method/
  )
})

test('people see what the swarm would show them, and that the time of computing is assumed', async (t) => {
  const folder = await folderWith(`${training}task: softmax\n`)
  const args = ['sim', 'ring.yaml', '--train', 'train.yaml']
  const { code, stdout } = await murmur(args, folder, undefined, { cwd: folder }).result
  t.is(code, 0)
  t.regex(stdout, /1 ms per sample is assumed; --calibrate measures it/)
  t.regex(stdout, /ring\.yaml with train\.yaml: 1 run on/)
  t.regex(stdout, /the mean model +\d+\.\d+ % +loss \d/)
  t.regex(stdout, /consensus distance +\d/)
})
