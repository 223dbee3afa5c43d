/** Real processes of algorithms that need every peer: the others continue when one is lost, and take it in again. */
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import anyTest, { type ExecutionContext } from 'ava'
import { type JsonLine, murmurInTurn, recordsOf } from './command.js'
import { PeerProcesses } from './peer-processes.js'

const test = anyTest.serial
const names = ['a', 'b', 'c', 'd']
/** Of which 66 % are the test set. */
const samples = 300
const momentum = 'optimiser: { name: sgd, momentum: 0.9 }\nrate: { initial: 0.01, decay: cosine }\n'

/** How an epoch differs from the one before it. */
interface Change {
  readonly lost?: readonly string[]
  readonly joined?: readonly string[]
}

/** Resolves once all of these have begun such an epoch after their marks; with that of the first one. */
async function changes(
  peers: PeerProcesses,
  marks: ReadonlyMap<string, number>,
  { lost = [], joined = [] }: Change
): Promise<JsonLine> {
  const has = (list: unknown, expected: readonly string[]) =>
    expected.every((name) => (list as string[]).includes(name))
  const isIt = (event: JsonLine) => event.kind === 'epoch' && has(event.lost, lost) && has(event.joined, joined)
  const what = `an epoch without ${lost} and with ${joined}`
  const begun = await Promise.all(
    [...marks].map(([name, from]) => peers.of(name).telling(`${what} (${name})`, isIt, from))
  )
  return begun[0]
}

/** All of these finish, with the same bits. Returns the hash of their model. */
async function endAlike(t: ExecutionContext, peers: PeerProcesses, finishing: readonly string[]): Promise<unknown> {
  await peers.finish()
  const models = new Set<unknown>()
  for (const name of finishing) {
    const { code, stderr, ...result } = await peers.of(name).result
    t.is(code, 0, `${name}: ${stderr}`)
    models.add(recordsOf(result).at(-1)?.model)
  }
  const [model, ...others] = models
  t.regex(String(model), /^[0-9a-f]{16,}$/)
  t.deepEqual(others, [])
  return model
}

test('all-reduce: one of four is killed, started again and taken in; another leaves; the rest end with the same bits', async (t) => {
  t.timeout(timeLimit(120_000))
  const training = 'rounds: 100\ntimeout: 5 s\n'
  const peers = await PeerProcesses.prepare(t, { names, graph: 'ring', algorithm: 'all-reduce', training, samples })
  for (const name of names) peers.start(name)
  await Promise.all(names.map((name) => peers.advances(name)))

  const others = ['a', 'c', 'd']
  let marks = peers.marks(others)
  const round = peers.roundOf('a')
  peers.signal('b', 'SIGKILL')
  const second = await changes(peers, marks, { lost: ['b'] })
  t.deepEqual(second.members, others)
  t.true(Number(second.round) >= round)
  await Promise.all(others.map((name) => peers.advances(name)))

  marks = peers.marks(others)
  peers.start('b')
  await changes(peers, new Map([...marks, ['b', 0]]), { joined: ['b'] })
  await Promise.all(names.map((name) => peers.advances(name)))

  const last = ['a', 'b', 'c']
  marks = peers.marks(last)
  peers.signal('d', 'SIGINT')
  t.is((await peers.of('d').result).code, 130)
  await changes(peers, marks, { lost: ['d'] })
  await endAlike(t, peers, last)
})

test('parameter-server: a worker takes the role of a killed server, and all end with the same bits', async (t) => {
  t.timeout(timeLimit(120_000))
  const workers = ['a', 'b']
  const training = 'rounds: 40\ntimeout: 5 s\n'
  const all = { names: [...workers, 's'], servers: ['s'] }
  const peers = await PeerProcesses.prepare(t, {
    ...all,
    graph: 'ring',
    algorithm: 'parameter-server',
    training,
    samples
  })
  for (const name of all.names) peers.start(name)
  await Promise.all(workers.map((name) => peers.advances(name)))
  const marks = peers.marks(workers)
  peers.signal('s', 'SIGKILL')
  const { members, servers } = await changes(peers, marks, { lost: ['s'] })
  t.deepEqual([members, servers], [workers, ['b']])
  await peers.advances('a')
  await endAlike(t, peers, workers)
})

const saving = (peers: PeerProcesses) => ['--checkpoint', join(peers.folder, 'saved'), '--every', '4 rounds']

/** Kills all of these at once. */
async function killAll(peers: PeerProcesses, killed: readonly string[]): Promise<void> {
  for (const name of killed) peers.signal(name, 'SIGKILL')
  await Promise.all(killed.map((name) => peers.of(name).result))
}

test('all-reduce: peers that are all killed, and resume, end with the bits of the simulation', async (t) => {
  t.timeout(timeLimit(120_000))
  const some = ['a', 'b']
  const training = `rounds: 40\ntimeout: 5 s\n${momentum}`
  const peers = await PeerProcesses.prepare(t, {
    names: some,
    graph: 'ring',
    algorithm: 'all-reduce',
    training,
    samples
  })
  for (const name of some) peers.start(name, ...saving(peers))
  await Promise.all(some.map((name) => peers.advances(name, 10)))
  await killAll(peers, some)
  for (const name of some) peers.start(name, ...saving(peers), '--resume')
  await Promise.all(some.map((name) => peers.of(name).saying('continues from round')))
  const model = await endAlike(t, peers, some)
  for (const name of some) t.notRegex(peers.of(name).output(), /"kind":"epoch"/)
  const files = [peers.topology('a'), '--train', peers.train, '--out', join(peers.folder, 'sim')]
  const [simulated] = await murmurInTurn([['sim', ...files, '--threads', '1', '--json']], peers.folder, peers.folder)
  const { models } = recordsOf(simulated).find((record) => record.models !== undefined) ?? {}
  t.deepEqual(new Set(Object.values(models as object)), new Set([model]))
})

test('local-sgd: peers that are all killed after a loss resume without the one that was lost', async (t) => {
  t.timeout(timeLimit(120_000))
  const some = ['a', 'b', 'c']
  const training = `rounds: 60\ntimeout: 5 s\n${momentum}`
  const peers = await PeerProcesses.prepare(t, {
    names: some,
    graph: 'ring',
    algorithm: 'local-sgd',
    training,
    samples
  })
  for (const name of some) peers.start(name, ...saving(peers))
  await Promise.all(some.map((name) => peers.advances(name)))
  const others = ['a', 'b']
  const marks = peers.marks(others)
  peers.signal('c', 'SIGKILL')
  const { round } = await changes(peers, marks, { lost: ['c'] })
  await Promise.all(others.map((name) => peers.advances(name, 10)))
  await killAll(peers, others)

  for (const name of others) peers.start(name, ...saving(peers), '--resume')
  await Promise.all(others.map((name) => peers.advances(name)))
  const [from, ...more] = new Set(others.map((name) => /continues from round (\d+)/.exec(peers.of(name).output())?.[1]))
  t.deepEqual(more, [])
  t.true(Number(from) > Number(round), `${from}, in the epoch that begins in round ${String(round)}`)
  await endAlike(t, peers, others)
})
