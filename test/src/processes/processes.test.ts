/**
 * The command as people run it: real processes, real libp2p. One after the other, so that they do not compete for the
 * processor.
 */

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'
import { isAlive, peerProcesses } from './swarm-processes.js'
import { hurry, paced } from './paced.js'

const test = anyTest as TestFn<{ folder: string }>

const training = 'data: { digits: 600 }\ntask: softmax\nrounds: 30\nbatch: 16\n'

test.beforeEach(async (t) => {
  t.context.folder = await temporaryFolder()
  await writeFile(join(t.context.folder, 'training.yaml'), training)
  await writeFile(join(t.context.folder, 'two.yaml'), 'graph: ring\npeers: [a, b]\n')
  await writeFile(join(t.context.folder, 'three.yaml'), 'graph: complete\npeers: [a, b, c]\n')
})

test.serial('a swarm of four processes trains, agrees, and ends with one summary line', async (t) => {
  const { folder } = t.context
  const args = ['swarm', 'topologies/ring-4.yaml', '--train', join(folder, 'training.yaml'), '--json']
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
  // Two neighbours, 30 + final averaging rounds, 784 × 10 + 10 parameters of 4 bytes each.
  const finalRounds = records.find(({ kind }) => kind === 'start')?.finalRounds as number
  t.is(summary.payloadSent, 4 * 2 * (30 + finalRounds) * 7_850 * 4)
  t.is((await stat(join(folder, 'model.safetensors'))).size % 8, 0)
})

/** A topology file of peers that are started by hand. */
async function byHand(path: string, graph: string, names: readonly string[]): Promise<void> {
  const ports = await freePorts(names.length)
  const peers = names.map((name, k) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[k]}] }`)
  await writeFile(path, `graph: ${graph}\npeers:\n${peers.join('\n')}\n`)
}

test.serial(
  'peers started by hand, in any order and seconds apart, send fewer bytes by a codec and end with the same model',
  async (t) => {
    const { folder } = t.context
    const path = join(folder, 'path.yaml')
    const train = join(folder, 'training.yaml')
    await byHand(path, '{ kind: edges, edges: [[a, b], [b, c]] }', ['a', 'b', 'c'])
    await writeFile(train, `${training}codec: delta-int8\n`)
    const start = (name: string) => murmur(['peer', path, '--as', name, '--train', train, '--json'], folder)
    const late = start('c')
    await late.saying('"kind":"peer"')
    const running = [late]
    for (const name of ['a', 'b']) {
      await delay(700)
      running.push(start(name))
    }
    for (const { code, stderr, ...result } of await Promise.all(running.map(({ result }) => result))) {
      t.is(code, 0, stderr)
      const summary = recordsOf(result).at(-1) as Record<string, number>
      t.is(typeof summary.neighbourDistance, 'number')
      t.true(summary.neighbourDistance < 1e-3)
      // A quarter, and the first vector of each link in float32.
      t.true(summary.payloadSent < 0.3 * summary.rawSent, `${summary.payloadSent} of ${summary.rawSent}`)
    }
  }
)

test.serial('a peer whose neighbours never arrive names them, and ends with its code', async (t) => {
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
  await byHand(join(folder, 'two.yaml'), 'ring', ['a', 'b'])
  await writeFile(join(folder, 'other.yaml'), training.replace('batch: 16', 'batch: 17'))
  const start = (name: string, file: string) =>
    murmur(['peer', join(folder, 'two.yaml'), '--as', name, '--train', join(folder, file), '--wait', '300 s'], folder)
  const results = await Promise.all([start('a', 'training.yaml').result, start('b', 'other.yaml').result])
  for (const { code, stderr } of results) {
    t.is(code, 4, stderr)
    t.regex(stderr, /batch is (16 here and 17|17 here and 16) there/)
  }
})

test.serial(
  'a peer with another training file ends; the others wait, and begin with it once it has theirs',
  async (t) => {
    const { folder } = t.context
    await byHand(join(folder, 'three.yaml'), 'complete', ['a', 'b', 'c'])
    await writeFile(join(folder, 'other.yaml'), training.replace('batch: 16', 'batch: 17'))
    const start = (name: string, file = 'training.yaml') =>
      murmur(['peer', join(folder, 'three.yaml'), '--as', name, '--train', join(folder, file), '--json'], folder)
    const others = ['a', 'b'].map((name) => start(name))
    const wrong = await start('c', 'other.yaml').result
    t.is(wrong.code, 4, wrong.stderr)
    t.regex(wrong.stderr, /batch is 17 here and 16 there/)
    for (const other of others)
      await other.telling('that c is refused', ({ kind, neighbour, state, reason }) => {
        return (
          kind === 'neighbour' &&
          neighbour === 'c' &&
          state === 'refused' &&
          String(reason).includes('batch is 16 here')
        )
      })
    const results = await Promise.all([...others, start('c')].map(({ result }) => result))
    for (const { code, stderr } of results) t.is(code, 0, stderr)
  }
)

/** The arguments of a swarm of three whose rounds take a while until the test hurries them. */
async function pacedSwarm(folder: string, name?: string, membership = '{}'): Promise<readonly string[]> {
  const train = join(folder, 'training.yaml')
  const algorithm = await paced(folder, name)
  await writeFile(
    train,
    `${training.replace('rounds: 30', 'rounds: 40')}timeout: 2 s\nmembership: ${membership}\n${algorithm}`
  )
  return ['swarm', join(folder, 'three.yaml'), '--train', train, '--no-baseline', '--json']
}

test.serial(
  'a peer that is killed is named, and the others continue to the end: code 3 as --min-finished says',
  async (t) => {
    const { folder } = t.context
    const swarm = murmur([...(await pacedSwarm(folder)), '--min-finished', '100%'], folder)
    await swarm.saying('"kind":"step"')
    const killed = recordsOf({ stdout: swarm.output() }).filter(({ kind }) => kind === 'peer')[2]
    process.kill(Number(killed.pid), 'SIGKILL')
    await swarm.saying('"kind":"lost"')
    await hurry(folder)
    const result = await swarm.result
    t.is(result.code, 3, result.stderr)
    const records = recordsOf(result)
    t.like(
      records.find(({ kind }) => kind === 'lost'),
      { peer: killed.peer, reason: `the process of peer ${killed.peer} ended by SIGKILL` }
    )
    t.like(
      records.findLast(({ kind }) => kind === 'summary'),
      { peers: 3, finished: 2, lost: [killed.peer] }
    )
    t.regex(result.stderr, new RegExp(`2 of 3 peers finished.*lost: ${killed.peer}`))
  }
)

test.serial(
  'a peer that stalls while the others finish gives up, and what they finished is kept; code 3',
  async (t) => {
    const { folder } = t.context
    const model = join(folder, 'model.safetensors')
    const swarm = murmur([...(await pacedSwarm(folder)), '--save', model], folder)
    const records = () => recordsOf({ stdout: swarm.output() })
    await swarm.saying('"kind":"step"')
    const stalled = records().filter(({ kind }) => kind === 'peer')[2]
    process.kill(Number(stalled.pid), 'SIGSTOP')
    await hurry(folder)
    const last = 40 + Number(records().find(({ kind }) => kind === 'start')?.finalRounds) - 1
    for (const peer of ['a', 'b', 'c'].filter((name) => name !== stalled.peer))
      await swarm.saying(`"kind":"step","peer":"${peer}","round":${last},`)
    // While one of the others runs, it would take that one's model, and end with it.
    const others = records().filter(({ kind, peer }) => kind === 'peer' && peer !== stalled.peer)
    while (others.some(({ pid }) => isAlive(Number(pid)))) await delay(100)
    process.kill(Number(stalled.pid), 'SIGCONT')
    const result = await swarm.result
    t.is(result.code, 3, result.stderr)
    t.regex(result.stderr, new RegExp(`peer ${stalled.peer}: `))
    t.like(
      records().findLast(({ kind }) => kind === 'summary'),
      { peers: 3, finished: 2, lost: [stalled.peer] }
    )
    t.true((await stat(model)).size > 0)
  }
)

test.serial(
  'where every peer is needed and a loss stops the run, all name the one that was killed, and what they have learned is kept; code 3',
  async (t) => {
    const { folder } = t.context
    const model = join(folder, 'unfinished.safetensors')
    const swarm = murmur([...(await pacedSwarm(folder, 'all-reduce', '{ onLoss: stop }')), '--save', model], folder)
    // Who has ended no round has learned nothing to keep.
    for (const peer of ['a', 'b', 'c']) await swarm.saying(`"kind":"step","peer":"${peer}"`)
    const killed = recordsOf({ stdout: swarm.output() }).filter(({ kind }) => kind === 'peer')[2]
    process.kill(Number(killed.pid), 'SIGKILL')
    const result = await swarm.result
    t.is(result.code, 3, result.stderr)
    const records = recordsOf(result)
    const others = records.filter(({ kind, peer }) => kind === 'lost' && peer !== killed.peer)
    t.is(others.length, 2)
    for (const { reason } of others) t.regex(String(reason), new RegExp(`${killed.peer} is dead: .* cannot reach it`))
    const kept =
      /^nobody has finished; the mean of what 2 of 3 peers have learned, in \d+ rounds or more, is in .*unfinished\.safetensors$/
    t.true(records.some(({ text }) => kept.test(String(text))))
    t.true((await stat(model)).size > 0)
  }
)

test.serial('wrong files and options end with code 2 and say where', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'typo.yaml'), 'graph: rnig\npeers: 4\n')
  await writeFile(join(folder, 'bad.yaml'), 'rate: { inital: 1 }\n')
  const ring = 'topologies/ring-4.yaml'
  const save = ['--train', join(folder, 'training.yaml'), '--save', join(folder, 'nowhere/model.safetensors')]
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [['topology', join(folder, 'typo.yaml')], /typo\.yaml:1:8: .*rnig.*ring/s],
    [['swarm', ring, '--train', join(folder, 'bad.yaml')], /bad\.yaml:1:9: .*inital.*initial/s],
    [['peer', ring, '--as', 'z'], /a, b, c, d/],
    [['swram'], /swram/],
    [['swarm', ring, '--min-finished', '5'], /--min-finished 5: found 4 peers in the topology, expected at least 5/],
    [['identity', '../a'], /\.\.\/a/],
    // A path where no model can be written is reported before the training, even to a single peer.
    [['swarm', ring, ...save], /--save .*nowhere.*ENOENT/],
    [['peer', ring, '--as', 'a', ...save], /--save .*nowhere.*ENOENT/]
  ]
  const results = await murmurInTurn(
    wrong.map(([command]) => command),
    folder
  )
  for (const [place, { code, stdout, stderr }] of results.entries()) {
    const [command, answer] = wrong[place]
    t.is(code, 2, command.join(' '))
    t.regex(stderr, answer)
    t.notRegex(stderr, /\n +at /)
    if (command.includes('--save')) t.is(stdout, '')
  }
})

test.serial('a reader that has seen enough stops the run in good order', async (t) => {
  const { folder } = t.context
  await writeFile(join(folder, 'long.yaml'), training.replace('rounds: 30', 'rounds: 20000'))
  const swarm = murmur(['swarm', join(folder, 'two.yaml'), '--train', join(folder, 'long.yaml'), '--json'], folder)
  await swarm.saying('"kind":"step"')
  const children = peerProcesses(swarm)
  swarm.process.stdout?.destroy()
  const { code, stderr } = await swarm.result
  t.is(code, 130)
  t.is(stderr, 'murmur: the reader closed the output: write EPIPE\n')
  t.deepEqual(children.filter(isAlive), [])
})

test.serial('a model that is never built holds up neither Ctrl-C nor the end', async (t) => {
  const { folder } = t.context
  const module = join(folder, 'endless.mjs')
  await writeFile(module, 'export function createModel() { console.log("building"); for (;;); }')
  const swarm = murmur(['swarm', join(folder, 'two.yaml'), '--task', module], folder)
  await swarm.saying('rounds:')
  swarm.process.kill('SIGINT')
  const { code, stderr } = await swarm.result
  t.is(code, 130)
  t.is(stderr, 'murmur: stopped by a signal\n')
})

test.serial('a new key is readable by its owner alone, and stays', async (t) => {
  const { folder } = t.context
  const key = join(folder, 'a.key')
  const command = ['identity', 'a', '--key', key, '--json']
  const [first] = (await murmurInTurn([command], folder)).flatMap(recordsOf)
  t.is((await stat(key)).mode & 0o777, 0o600)
  const before = await readFile(key, 'utf8')
  const [second] = (await murmurInTurn([command], folder)).flatMap(recordsOf)
  t.is(second.id, first.id)
  t.is(await readFile(key, 'utf8'), before)
})
