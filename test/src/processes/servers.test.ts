/** Servers are peers with a role in the topology file, and processes of their own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readResults } from '@murmuration/results'
import anyTest from 'ava'
import { freePorts, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial

const topology = 'graph: ring\npeers: [a, b, c, { name: s, role: server }, { name: t, role: server }]\n'
const training = 'task: softmax\ndata: { digits: 400 }\nalgorithm: parameter-server\nbatch: 16\nrounds: 20\n'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

test('a swarm with two servers trains as plain SGD on the joint batch does, their traffic counts, and the results name them', async (t) => {
  const folder = await folderWith({ 'topology.yaml': topology, 'training.yaml': training })
  const args = ['swarm', 'topology.yaml', '--train', 'training.yaml', '--out', 'out', '--json']
  const result = await murmur(args, folder, undefined, { cwd: folder }).result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  const summary = records.at(-1) as Record<string, number>
  t.is(summary.peers, 3)
  t.is(summary.consensusDistance, 0)
  t.true(Math.abs(summary.lossOfMean - summary.centralisedLoss) < 1e-4)
  // Each of 20 rounds moves 7850 numbers from each of 3 workers to the servers, and back.
  t.true(summary.bytesSent > 20 * 2 * 3 * 4 * 7850)
  t.true(records.some(({ kind, text }) => kind === 'note' && /^t serves 7,850 parameters/.test(String(text))))
  const { sweep, runs } = await readResults(join(folder, 'out'))
  t.is(sweep.facts.topology, 'ring, 3 peers, servers s, t')
  t.is(sweep.facts.rounds, '20')
  t.regex(runs[0].busiest?.name ?? '', /^[st]$/)
  t.deepEqual(Object.keys(runs[0].models ?? {}), ['a', 'b', 'c'])
})

test('a server started by hand serves peers that were started by hand', async (t) => {
  const names = ['a', 'b', 's']
  const ports = await freePorts(names.length)
  const entries = names.map((name, place) => {
    const role = name === 's' ? 'role: server, ' : ''
    return `  - { name: ${name}, ${role}addresses: [/ip4/127.0.0.1/tcp/${ports[place]}] }`
  })
  const file = `graph: ring\npeers:\n${entries.join('\n')}\n`
  const folder = await folderWith({ 'topology.yaml': file, 'training.yaml': training })
  const start = (name: string) =>
    murmur(['peer', 'topology.yaml', '--as', name, '--train', 'training.yaml', '--json'], folder, undefined, {
      cwd: folder
    })
  const results = await Promise.all(names.map((name) => start(name).result))
  for (const { code, stderr } of results) t.is(code, 0, stderr)
  const [a, b, server] = results.map((result) => recordsOf(result).at(-1) ?? {})
  t.is(a.model, b.model)
  t.true(typeof a.loss === 'number')
  t.false('loss' in server)
})

test('an algorithm that needs servers refuses a topology without, and the other way round; exit code 2', async (t) => {
  const bare = 'graph: ring\npeers: [a, b, c]\n'
  const folder = await folderWith({ 'bare.yaml': bare, 'topology.yaml': topology, 'training.yaml': training })
  const swarmOf = (file: string, algorithm: string) => [
    'swarm',
    file,
    '--train',
    'training.yaml',
    '--algorithm',
    algorithm
  ]
  const commands = [swarmOf('bare.yaml', 'parameter-server'), swarmOf('topology.yaml', 'dpsgd')]
  const [none, two] = await murmurInTurn(commands, folder, folder)
  t.deepEqual([none.code, two.code], [2, 2])
  t.regex(none.stderr, /needs a server, and found 0; add a peer such as \{ name: s/)
  t.regex(two.stderr, /D-PSGD has no servers, and found 2; leave out the peers with/)
})

test('a server that is killed is reported as lost, and that the others continue', async (t) => {
  const folder = await folderWith({
    'topology.yaml': topology,
    'training.yaml': training.replace('rounds: 20', 'rounds: 1000000')
  })
  const args = ['swarm', 'topology.yaml', '--train', 'training.yaml', '--json']
  const swarm = murmur(args, folder, undefined, { cwd: folder })
  const serving = await swarm.telling('that t serves', ({ text }) => /^t serves/.test(String(text)))
  await swarm.saying('"kind":"step"')
  process.kill(Number(/process (\d+)$/.exec(String(serving.text))?.[1]), 'SIGKILL')
  const lost = await swarm.telling('who is lost', ({ kind }) => kind === 'lost')
  t.like(lost, { peer: 't', reason: 'the process of peer t ended by SIGKILL', consequence: 'the others continue' })
  swarm.process.kill('SIGINT')
  await swarm.result
})
