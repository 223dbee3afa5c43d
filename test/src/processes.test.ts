/** The command as people run it: real processes, real libp2p. One after the other, so that they do not starve each other. */

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import { freePorts, murmur, type RunningCommand, recordsOf, temporaryFolder } from './command.js'

const test = anyTest as TestFn<{ folder: string }>

const training = 'data: { digits: 600 }\ntask: softmax\nrounds: 30\nbatch: 16\n'

/** The same in TensorFlow.js, which takes seconds to start in every process: for what may hang on it. */
const network = training.replace('softmax', '{ kind: mlp, hidden: [16] }')

test.beforeEach(async (t) => {
  t.context.folder = await temporaryFolder()
  await writeFile(join(t.context.folder, 'training.yaml'), training)
})

test.serial('a swarm of four processes trains, agrees, and ends with one summary line', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'network.yaml'), network)
  const args = ['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'network.yaml'), '--json']
  const result = await murmur([...args, '--save', join(folder, 'model.safetensors')], folder).result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  const summary = records.at(-1) ?? {}
  t.like(summary, { kind: 'summary', peers: 4, rounds: 30, samples: 4 * 30 * 16 })
  t.deepEqual(summary.faults, [])
  t.true((summary.consensusDistance as number) < 1e-3)
  t.true((summary.accuracyOfMean as number) > 0.3, `accuracy ${summary.accuracyOfMean}`)
  t.true(Math.abs((summary.accuracyOfMean as number) - (summary.centralisedAccuracy as number)) < 0.1)
  const steps = records.filter(({ kind }) => kind === 'step')
  t.deepEqual([...new Set(steps.map(({ peer }) => peer))].sort(), ['a', 'b', 'c', 'd'])
  // Two neighbours, 30 + final averaging rounds, 784 × 16 + 16 + 16 × 10 + 10 parameters of 4 bytes each.
  const finalRounds = records.find(({ kind }) => kind === 'start')?.finalRounds as number
  t.is(summary.payloadSent, 4 * 2 * (30 + finalRounds) * 12_730 * 4)
  t.is((await stat(join(folder, 'model.safetensors'))).size % 8, 0)
})

test.serial('a swarm whose file asks for a codec sends fewer bytes, and agrees all the same', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'training.yaml'), `${training}codec: delta-int8\n`)
  const args = ['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'training.yaml'), '--no-baseline', '--json']
  const result = await murmur(args, folder).result
  t.is(result.code, 0, result.stderr)
  const summary = recordsOf(result).at(-1) as { payloadSent: number; rawSent: number; consensusDistance: number }
  // A quarter, and the first vector of each link as it is.
  t.true(summary.payloadSent < 0.3 * summary.rawSent, `${summary.payloadSent} of ${summary.rawSent}`)
  t.true(summary.consensusDistance < 1e-3)
})

test.serial('four peers started by hand, in any order and seconds apart, end with the same model', async (t) => {
  const { folder } = t.context
  const ports = await freePorts(4)
  const peers = ['a', 'b', 'c', 'd'].map(
    (name, k) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[k]}] }`
  )
  await writeFile(join(folder, 'ring.yaml'), `graph: ring\npeers:\n${peers.join('\n')}\n`)
  const start = (name: string) =>
    murmur(
      ['peer', join(folder, 'ring.yaml'), '--as', name, '--train', join(folder, 'training.yaml'), '--json'],
      folder
    )
  const late = start('c')
  await late.saying('"kind":"peer"')
  const running = [late]
  for (const name of ['a', 'd', 'b']) {
    await delay(700)
    running.push(start(name))
  }
  const results = await Promise.all(running.map(({ result }) => result))
  t.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0, 0],
    results.map(({ stderr }) => stderr).join('\n')
  )
  const summaries = results.map((result) => recordsOf(result).at(-1) ?? {})
  for (const summary of summaries) {
    t.is(summary.kind, 'summary')
    t.true((summary.neighbourDistance as number) < 1e-3)
  }
})

test.serial('a peer whose neighbours never come says which, and ends with its code', async (t) => {
  const { folder } = t.context
  const args = [
    'peer',
    'topologies/ring-4.yaml',
    '--as',
    'a',
    '--train',
    join(folder, 'training.yaml'),
    '--wait',
    '2 s'
  ]
  const result = await murmur(args, folder).result
  t.is(result.code, 3, result.stderr)
  t.regex(result.stderr, /b.*d/s)
})

test.serial('peers with different training files refuse each other and say why', async (t) => {
  const { folder } = t.context
  const ports = await freePorts(2)
  const peers = ['a', 'b'].map((name, k) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[k]}] }`)
  await writeFile(join(folder, 'two.yaml'), `graph: ring\npeers:\n${peers.join('\n')}\n`)
  await writeFile(join(folder, 'other.yaml'), training.replace('batch: 16', 'batch: 17'))
  const start = (name: string, file: string) =>
    murmur(['peer', join(folder, 'two.yaml'), '--as', name, '--train', join(folder, file), '--wait', '300 s'], folder)
  const results = await Promise.all([start('a', 'training.yaml').result, start('b', 'other.yaml').result])
  for (const { code, stderr } of results) {
    t.is(code, 4, stderr)
    t.regex(stderr, /batch is (16 here and 17|17 here and 16) there/)
  }
})

test.serial('Ctrl-C stops all peers by themselves and leaves no process behind', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'long.yaml'), network.replace('rounds: 30', 'rounds: 1000000'))
  const swarm = murmur(['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'long.yaml'), '--json'], folder)
  await swarm.saying('"kind":"step"')
  const children = peerProcesses(swarm)
  t.is(children.length, 4)
  swarm.process.kill('SIGINT')
  const { code, stdout } = await swarm.result
  t.is(code, 130)
  t.notRegex(stdout, /was killed/, 'a peer did not stop by itself')
  t.deepEqual(children.filter(isAlive), [])
})

for (const [topology, threshold, expected] of [
  ['complete-4', ['--min-finished', '3'], 0],
  ['ring-4', ['--min-finished', '100%'], 3]
] as const) {
  test.serial(`a peer that is killed is named, and the others go on to the end: ${topology}`, async (t) => {
    const { folder } = t.context
    await writeFile(join(folder, 'training.yaml'), `${training.replace('rounds: 30', 'rounds: 400')}timeout: 2 s\n`)
    const train = ['--train', join(folder, 'training.yaml'), '--json']
    const swarm = murmur(['swarm', `topologies/${topology}.yaml`, ...train, ...threshold], folder)
    await swarm.saying('"kind":"step"')
    const killed = recordsOf({ stdout: swarm.output() }).filter(({ kind }) => kind === 'peer')[2]
    process.kill(Number(killed.pid), 'SIGKILL')
    const result = await swarm.result
    t.is(result.code, expected, result.stderr)
    const records = recordsOf(result)
    t.like(
      records.find(({ kind }) => kind === 'lost'),
      { peer: killed.peer, reason: `the process of peer ${killed.peer} ended by SIGKILL` }
    )
    const summary = { kind: 'summary', peers: 4, finished: 3, lost: [killed.peer] }
    t.like(
      records.findLast(({ kind }) => kind === 'summary'),
      summary
    )
    if (expected === 3) t.regex(result.stderr, new RegExp(`3 of 4 peers finished.*lost: ${killed.peer}`))
  })
}

test.serial(
  'a peer that stalls while the others finish gives up, and what they finished is kept; code 3',
  async (t) => {
    const { folder } = t.context
    await writeFile(join(folder, 'training.yaml'), `${training.replace('rounds: 30', 'rounds: 400')}timeout: 2 s\n`)
    const model = join(folder, 'model.safetensors')
    const options = ['--train', join(folder, 'training.yaml'), '--save', model, '--json']
    const swarm = murmur(['swarm', 'topologies/complete-4.yaml', ...options], folder)
    const records = () => recordsOf({ stdout: swarm.output() })
    await swarm.saying('"kind":"step"')
    const stalled = records().filter(({ kind }) => kind === 'peer')[2]
    process.kill(Number(stalled.pid), 'SIGSTOP')
    const last = 400 + Number(records().find(({ kind }) => kind === 'start')?.finalRounds) - 1
    for (const peer of ['a', 'b', 'c', 'd'].filter((name) => name !== stalled.peer))
      await swarm.saying(`"kind":"step","peer":"${peer}","round":${last},`)
    process.kill(Number(stalled.pid), 'SIGCONT')
    const result = await swarm.result
    t.is(result.code, 3, result.stderr)
    t.regex(result.stderr, new RegExp(`peer ${stalled.peer}: `))
    t.like(
      records().findLast(({ kind }) => kind === 'summary'),
      { peers: 4, finished: 3, lost: [stalled.peer] }
    )
    t.true((await stat(model)).size > 0)
  }
)

test.serial('wrong files and options end with code 2 and say where', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'typo.yaml'), 'graph: rnig\npeers: 4\n')
  const typo = await murmur(['topology', join(folder, 'typo.yaml')], folder).result
  t.is(typo.code, 2)
  t.regex(typo.stderr, /typo\.yaml:1:8: .*rnig.*ring/s)
  await writeFile(join(folder, 'bad.yaml'), 'rate: { inital: 1 }\n')
  const bad = await murmur(['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'bad.yaml')], folder).result
  t.is(bad.code, 2)
  t.regex(bad.stderr, /bad\.yaml:1:9: .*inital.*initial/s)
  const nobody = await murmur(['peer', 'topologies/ring-4.yaml', '--as', 'z'], folder).result
  t.is(nobody.code, 2)
  t.regex(nobody.stderr, /a, b, c, d/)
  t.is((await murmur(['swram'], folder).result).code, 2)
  const many = await murmur(['swarm', 'topologies/ring-4.yaml', '--min-finished', '5'], folder).result
  t.is(many.code, 2)
  t.regex(many.stderr, /--min-finished 5: the topology has 4 peers/)
  const name = await murmur(['identity', '../a'], folder).result
  t.is(name.code, 2)
  t.notRegex(name.stderr, /\n +at /)
})

test.serial('a place where no model can be written is told before the training, also to a single peer', async (t) => {
  const { folder } = t.context
  const save = ['--train', join(folder, 'training.yaml'), '--save', join(folder, 'nowhere/model.safetensors')]
  for (const run of [['swarm'], ['peer', '--as', 'a']]) {
    const result = await murmur([...run, 'topologies/ring-4.yaml', ...save], folder).result
    t.is(result.code, 2)
    t.regex(result.stderr, /--save .*nowhere.*ENOENT/)
    t.is(result.stdout, '')
  }
})

test.serial('a reader that has seen enough stops the run in good order', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'long.yaml'), training.replace('rounds: 30', 'rounds: 20000'))
  const swarm = murmur(['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'long.yaml'), '--json'], folder)
  await swarm.saying('"kind":"step"')
  const children = peerProcesses(swarm)
  swarm.process.stdout?.destroy()
  const { code, stderr } = await swarm.result
  t.is(code, 130)
  t.is(stderr, 'murmur: the output ended: write EPIPE\n')
  t.deepEqual(children.filter(isAlive), [])
})

test.serial('a model that is never built holds up neither Ctrl-C nor the end', async (t) => {
  const { folder } = t.context
  const module = join(folder, 'endless.mjs')
  await writeFile(module, 'export function createModel() { console.log("building"); for (;;); }')
  const swarm = murmur(['swarm', 'topologies/ring-4.yaml', '--task', module], folder)
  await swarm.saying('rounds:')
  swarm.process.kill('SIGINT')
  const { code, stderr } = await swarm.result
  t.is(code, 130)
  t.is(stderr, 'murmur: stopped by a signal\n')
})

test.serial('a new key is readable by its owner alone, and stays', async (t) => {
  const { folder } = t.context
  const key = join(folder, 'a.key')
  const [first] = recordsOf(await murmur(['identity', 'a', '--key', key, '--json'], folder).result)
  t.is((await stat(key)).mode & 0o777, 0o600)
  const before = await readFile(key, 'utf8')
  const [second] = recordsOf(await murmur(['identity', 'a', '--key', key, '--json'], folder).result)
  t.is(second.id, first.id)
  t.is(await readFile(key, 'utf8'), before)
})

/** The processes of the peers that a swarm has reported. */
function peerProcesses(swarm: RunningCommand): number[] {
  return recordsOf({ stdout: swarm.output() })
    .filter(({ kind }) => kind === 'peer')
    .map(({ pid }) => Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
