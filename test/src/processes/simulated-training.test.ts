/** `murmur sim TOPOLOGY --train FILE` takes the steps that real peers take with these files. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import type { PeerSummary } from '@murmuration/experiment'
import { runPeerCommand } from '@murmuration/experiment/peers'
import anyTest from 'ava'
import { type CommandResult, freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial

const workers = ['a', 'b']
const slow = 'links: { default: { latency: 10 ms, bandwidth: 25 Mbit/s } }'
const training = 'data: { digits: 400 }\nbatch: 16\nrounds: 12\n'
const dense = `export const createModel = (tf, { inputShape, classes }) => tf.sequential({ layers: [
  tf.layers.flatten({ inputShape }),
  tf.layers.dense({ units: 16, activation: 'tanh' }),
  tf.layers.dropout({ rate: 0.2 }),
  tf.layers.dense({ units: classes, activation: 'softmax' })
] })
`

type Line = Readonly<Record<string, unknown>>

/** A topology file whose peers can be reached on this machine. */
async function topologyOf(...servers: readonly string[]): Promise<string> {
  const ports = await freePorts(workers.length + servers.length)
  const peers = [...workers, ...servers].map((name, place) => {
    const role = servers.includes(name) ? 'role: server, ' : ''
    return `  - { name: ${name}, ${role}addresses: [/ip4/127.0.0.1/tcp/${ports[place]}] }`
  })
  return `graph: ring\npeers:\n${peers.join('\n')}\n${slow}\n`
}

async function folderWith(train: string): Promise<string> {
  const folder = await temporaryFolder()
  const ring = await topologyOf()
  const server = await topologyOf('s')
  const files = { 'ring.yaml': ring, 'server.yaml': server, 'train.yaml': train, 'dense.js': dense }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** Trains on real peers, all in this process. Returns the summary of each. */
async function trained(folder: string, file: string): Promise<readonly PeerSummary[]> {
  process.env.MURMURATION_HOME = folder
  const request = { topology: join(folder, file), train: join(folder, 'train.yaml') }
  const { signal } = new AbortController()
  const options = { wait: timeLimit(60_000), emit: () => {}, signal }
  const names = file === 'server.yaml' ? [...workers, 's'] : workers
  return Promise.all(names.map((name) => runPeerCommand(request, { ...options, as: peerName(name) })))
}

/** Algorithms that keep equality, a weighted mean, and, only without a codec, equality. */
const coded = ['all-reduce', 'sgp', 'parameter-server']

/** The training file with these lines in place of its own; a field without a value is removed. */
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
/** Lines of training files that a simulation refuses, and why. */
const refused: readonly (readonly [line: string, RegExp])[] = [
  ['codec: auto\n', /codec "auto" chooses by the measured speed of real links/],
  ['algorithm: sgd\n', /sgd exchanges nothing/],
  [
    'partition: local\ntest: { path: x.csv, sha256: { x.csv: "00" } }\n',
    /partition "local" uses the data of other machines/
  ]
]

/** A scenario with the words of training files. */
const networks = `title: networks
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

/** What `murmur sim` answers, and the folder with its files. */
interface Simulation {
  readonly folder: string
  readonly result: CommandResult
}

/** By what they are for: all simulations of this file, which one process makes in turn. */
const simulations = new Map<string, Simulation>()

function simulationOf(what: string): Simulation {
  const found = simulations.get(what)
  if (found === undefined) throw new Error(`${what} was not simulated`)
  return found
}

test.before('the simulator runs the files of all tests', async (t) => {
  t.timeout(timeLimit(200_000))
  const all = [
    ...cases.map(([what, text, file]) => [what, merged(text), file] as const),
    ...coded.map((algorithm) => {
      const file = algorithm === 'parameter-server' ? 'server.yaml' : 'ring.yaml'
      return [algorithm, `${training}task: softmax\ncodec: int8\nalgorithm: ${algorithm}\n`, file] as const
    }),
    ...refused.map(([line]) => [line, training + line] as const),
    ['what people see', `${training}task: softmax\n`] as const
  ]
  const folders = await Promise.all(all.map(([, text]) => folderWith(text)))
  const commands = all.map(([what, , file = 'ring.yaml'], place) => {
    const files = [join(folders[place], file), '--train', join(folders[place], 'train.yaml')]
    const form = what === 'what people see' ? [] : ['--json']
    return ['sim', ...files, '--out', join(folders[place], 'out'), '--threads', '1', ...form]
  })
  await writeFile(join(folders[0], 'networks.yaml'), networks)
  const scenario = ['sim', join(folders[0], 'networks.yaml'), '--threads', '1', '--json']
  const results = await murmurInTurn([...commands, scenario], folders[0], folders[0])
  for (const [place, [what]] of all.entries()) simulations.set(what, { folder: folders[place], result: results[place] })
  simulations.set('a scenario', { folder: folders[0], result: results[all.length] })
})

for (const [what, , file = 'ring.yaml'] of cases) {
  test(`${what}: the simulation ends with the same parameters as real peers, bit for bit`, async (t) => {
    t.timeout(timeLimit(100_000))
    const { folder, result } = simulationOf(what)
    t.is(result.code, 0, result.stderr)
    const real = await trained(folder, file)
    const [{ models, rounds }] = recordsOf(result).filter(({ kind }) => kind === 'run')
    const peers = real.filter(({ peer }) => workers.includes(peer))
    t.deepEqual(models, Object.fromEntries(peers.map(({ peer, model }) => [peer, model])))
    for (const peer of peers) t.is(rounds, peer.rounds)
  })
}

test('int8 on the links breaks no promise, and all agree in the end', (t) => {
  for (const algorithm of coded) {
    const { result } = simulationOf(algorithm)
    t.is(result.code, 0, `${algorithm}: ${result.stdout}`)
    const [{ curve }] = recordsOf(result).filter(({ kind }) => kind === 'run')
    const { consensusDistance } = (curve as readonly { readonly consensusDistance: number }[]).at(-1) ?? {}
    t.true((consensusDistance ?? 1) < 0.05, `${algorithm}: ${consensusDistance}`)
  }
})

test('what a simulation cannot have is refused, with exit code 2', (t) => {
  for (const [line, reason] of refused) {
    const { code, stderr } = simulationOf(line).result
    t.is(code, 2)
    t.regex(stderr, reason)
  }
})

test('a scenario compares methods on a model with the words of training files', (t) => {
  const { result } = simulationOf('a scenario')
  t.is(result.code, 0, result.stderr)
  const runs = recordsOf(result).filter(({ kind }) => kind === 'run')
  t.deepEqual(new Set(runs.map(({ method }) => method)), new Set(['D-PSGD', 'SGD on an all-reduce']))
  t.true(runs.every(({ findings }) => (findings as readonly unknown[]).length === 0))
})

test('a method of a scenario runs on real peers, over links as slow as it says, and takes as many rounds as its simulation', async (t) => {
  t.timeout(timeLimit(200_000))
  const folder = await folderWith(training)
  const scenario = `title: one of each
topology: { graph: ring, peers: 2, links: { default: { latency: 5 ms, bandwidth: 50 Mbit/s } } }
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
  const swarmOf = (label: string) => ['swarm', 's.yaml', '--method', label]
  const wrong = [swarmOf('shared'), swarmOf('D-PGSD'), [...swarmOf('D-PSGD'), '--task', 'mlp']]
  const [sim, shared, unknown, task] = await murmurInTurn(
    [['sim', 's.yaml', '--threads', '1', '--json'], ...wrong],
    folder,
    folder
  )
  const runs = recordsOf(sim).filter(({ kind }) => kind === 'run')
  const label = 'Parameter server (batch 8)'
  const args = [...swarmOf(label), '--no-baseline', '--json']
  const real = await murmur(args, folder, undefined, { cwd: folder }).result
  t.is(real.code, 0, real.stderr)
  t.true(real.stdout.includes('links are shaped as in s.yaml'))
  const [first] = runs.filter(({ method, settings }) => method === label && (settings as Line).rate === 0.05)
  t.is(recordsOf(real).at(-1)?.rounds, first.rounds)
  t.is(shared.code, 2)
  t.regex(shared.stderr, /its servers share machines with workers \(on: workers\)/)
  t.regex(unknown.stderr, /expected a method of s\.yaml: "D-PSGD", .*did you mean "D-PSGD"/)
  t.regex(task.stderr, /--task: cannot be combined with --method/)
})

test('people see what the swarm would show them, and that the time of computing is assumed', (t) => {
  const { code, stdout } = simulationOf('what people see').result
  t.is(code, 0)
  t.regex(stdout, /assumes 1 ms per sample; --calibrate measures it/)
  t.regex(stdout, /ring\.yaml with train\.yaml: 1 run on/)
  t.regex(stdout, /the mean model +\d+\.\d+ % +loss \d/)
  t.regex(stdout, /consensus distance +\d/)
})
