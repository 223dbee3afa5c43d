/** Real processes that are killed, stopped and started again from their checkpoints. One after the other, so that they do not starve each other. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { timeLimit } from '@murmuration/contract'
import { createRandom } from '@murmuration/random'
import anyTest, { type ExecutionContext } from 'ava'
import { type CommandResult, freePorts, murmur, type RunningCommand, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial
const posixTest = process.platform === 'win32' ? test.skip : test
const seed = Number(process.env.MURMURATION_SEED ?? 1)
const random = createRandom(seed, 'kills')

const training = `data: { digits: 300 }
task: softmax
rounds: 200
batch: 8
timeout: 20 s
`

const savingTo = (folder: string) => ['--checkpoint', folder, '--every', '10 rounds']

/** What every run of a test is given. */
async function prepare() {
  const folder = await temporaryFolder()
  const train = join(folder, 'training.yaml')
  await writeFile(train, training)
  const checkpoints = join(folder, 'checkpoints')
  const args = ['swarm', 'topologies/ring-4.yaml', '--train', train, '--no-baseline', '--json']
  const swarm = (...more: readonly string[]) => murmur([...args, ...more], folder, timeLimit(150_000))
  const saving = (...more: readonly string[]) => swarm(...savingTo(checkpoints), ...more)
  return { folder, train, checkpoints, swarm, saving }
}

const modelsOf = (result: CommandResult) => recordsOf(result).findLast(({ kind }) => kind === 'summary')?.models
const notesOf = (result: CommandResult) =>
  recordsOf(result).flatMap(({ kind, text }) => (kind === 'note' ? [String(text)] : []))
const resumedFrom = (result: CommandResult) => [
  ...new Set(notesOf(result).flatMap((text) => /goes on from round (\d+)/.exec(text)?.[1] ?? []))
]

/** The processes of the peers. */
function peerProcesses(swarm: RunningCommand): readonly { readonly peer: string; readonly pid: number }[] {
  return recordsOf({ stdout: swarm.output() })
    .filter(({ kind }) => kind === 'peer')
    .map(({ peer, pid }) => ({ peer: String(peer), pid: Number(pid) }))
}

/** Resolves when a peer has reported a step of this round or a later one. */
async function reaching(swarm: RunningCommand, round: number): Promise<void> {
  const isThere = () =>
    recordsOf({ stdout: swarm.output() }).some((event) => event.kind === 'step' && Number(event.round) >= round)
  for (let ended = false; !isThere() && !ended;) {
    ended = await Promise.race([swarm.result.then(() => true), delay(20).then(() => false)])
  }
}

function killAll(swarm: RunningCommand): void {
  swarm.process.kill('SIGKILL')
  for (const { pid } of peerProcesses(swarm)) kill(pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

let reference: Promise<unknown> | undefined
/** The models of a run that is not interrupted. */
async function uninterrupted(t: ExecutionContext): Promise<unknown> {
  const run = async () => {
    const result = await (await prepare()).swarm().result
    t.is(result.code, 0, result.stderr)
    return modelsOf(result)
  }
  return (reference ??= run())
}

test(`peers that are all killed, twice and at random moments, go on and end with the same bits: seed ${seed} (MURMURATION_SEED)`, async (t) => {
  t.timeout(timeLimit(300_000))
  const { saving } = await prepare()
  for (const more of [[], ['--resume']]) {
    const swarm = saving(...more)
    const round = (more.length === 0 ? 15 : 80) + random.integer(40)
    await reaching(swarm, round)
    await delay(100 * random.uniform())
    killAll(swarm)
    t.log(`killed after round ${round}`)
    await swarm.result
  }
  const result = await saving('--resume').result
  t.is(result.code, 0, result.stderr)
  const [from, ...others] = resumedFrom(result).map(Number)
  t.true(from >= 70 && others.length === 0, `${from}`)
  t.deepEqual(modelsOf(result), await uninterrupted(t))
})

test('Ctrl-C saves the same round of all peers, and a run that goes on from there ends with the same bits', async (t) => {
  t.timeout(timeLimit(300_000))
  const { saving } = await prepare()
  const swarm = saving()
  await reaching(swarm, 33)
  swarm.process.kill('SIGINT')
  const stopped = await swarm.result
  t.is(stopped.code, 130, stopped.stderr)
  const rounds = notesOf(stopped).flatMap((text) => /stops before round (\d+)/.exec(text)?.[1] ?? [])
  t.is(rounds.length, 4, notesOf(stopped).join('\n'))
  t.is(new Set(rounds).size, 1)
  const result = await saving('--resume').result
  t.is(result.code, 0, result.stderr)
  t.deepEqual(resumedFrom(result), [rounds[0]])
  t.deepEqual(modelsOf(result), await uninterrupted(t))
})

test('where one peer was killed and the others went on, all go on from what it had saved', async (t) => {
  t.timeout(timeLimit(300_000))
  const { saving, train, checkpoints } = await prepare()
  await writeFile(train, training.replace('timeout: 20 s', 'timeout: 2 s').replace('rounds: 200', 'rounds: 2000'))
  const swarm = saving()
  await reaching(swarm, 25)
  const [{ peer, pid }] = peerProcesses(swarm)
  kill(pid)
  // Until its end is known it may still put a whole file in its place.
  await swarm.saying('"kind":"lost"')
  const killedAt = Math.max(...(await roundsOf(join(checkpoints, peer))))
  await reaching(swarm, killedAt + 150)
  killAll(swarm)
  await swarm.result
  await writeFile(train, training.replace('timeout: 20 s', 'timeout: 2 s').replace('rounds: 200', 'rounds: 2000'))
  const again = saving('--resume')
  await reaching(again, killedAt + 5)
  again.process.kill('SIGINT')
  const result = await again.result
  // The others keep the newest round that they know it to have: it may have died before it told of its last.
  const [round, ...more] = resumedFrom(result).map(Number)
  t.deepEqual(more, [], result.stderr)
  t.true(round === killedAt || round === killedAt - 10, `${round} after ${killedAt}: ${result.stderr}`)
})

test('a newest checkpoint that is damaged is said, and all go on from the one before', async (t) => {
  t.timeout(timeLimit(300_000))
  const { saving, checkpoints } = await prepare()
  const swarm = saving()
  await reaching(swarm, 45)
  killAll(swarm)
  await swarm.result
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((peer) => roundsOf(join(checkpoints, peer))))
  const common = all[0].filter((round) => all.every((rounds) => rounds.includes(round))).sort((x, y) => y - x)
  const path = join(checkpoints, 'b', `round-${String(common[0]).padStart(9, '0')}.safetensors`)
  const file = await readFile(path)
  file[file.byteLength - 5] ^= 64
  await writeFile(path, file)
  const result = await saving('--resume').result
  t.is(result.code, 0, result.stderr)
  t.true(notesOf(result).some((text) => text.includes(`${path} is damaged, and passed over: found the SHA-256`)))
  t.deepEqual(resumedFrom(result), [String(common[1])])
  t.deepEqual(modelsOf(result), await uninterrupted(t))
})

test('checkpoints of other settings, of nobody, and of a run that is not to be resumed are refused', async (t) => {
  t.timeout(timeLimit(200_000))
  const { saving, train } = await prepare()
  const none = await saving('--resume').result
  t.is(none.code, 2)
  t.regex(
    none.stderr,
    /no checkpoint is of a round that all peers have saved: a has none; b has none; c has none; d has none/
  )
  const swarm = saving()
  await reaching(swarm, 15)
  killAll(swarm)
  await swarm.result
  const again = await saving().result
  t.is(again.code, 2)
  t.regex(again.stderr, /found a checkpoint of "a", of round \d+: --resume goes on from it/)
  await writeFile(train, training.replace('batch: 8', 'batch: 9'))
  const other = await saving('--resume').result
  t.is(other.code, 2)
  t.regex(other.stderr, /checkpoint of another run: the settings differ: batch is 9 here and 8 there/)
})

test('two peers that are started by hand and killed go on from the round that both have', async (t) => {
  t.timeout(timeLimit(200_000))
  const { folder, train, checkpoints } = await prepare()
  const ports = await freePorts(2)
  const peers = ['a', 'b'].map((name, k) => `  - { name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[k]}] }`)
  const topology = join(folder, 'two.yaml')
  await writeFile(topology, `graph: ring\npeers:\n${peers.join('\n')}\n`)
  const start = (...more: readonly string[]) =>
    ['a', 'b'].map((name) =>
      murmur(
        ['peer', topology, '--as', name, '--train', train, '--json', ...savingTo(checkpoints), ...more],
        folder,
        timeLimit(120_000)
      )
    )
  const first = start()
  await reaching(first[0], 30)
  for (const { process: child } of first) child.kill('SIGKILL')
  await Promise.all(first.map(({ result }) => result))
  const results = await Promise.all(start('--resume').map(({ result }) => result))
  for (const { code, stderr } of results) t.is(code, 0, stderr)
  t.deepEqual(resumedFrom(results[0]), resumedFrom(results[1]))
  t.true(Number(resumedFrom(results[0])[0]) >= 10)
})

posixTest('checkpoints for which there is no room are said once, and training ends as it would', async (t) => {
  t.timeout(timeLimit(200_000))
  const { folder, train, checkpoints } = await prepare()
  const [port] = await freePorts(1)
  const topology = join(folder, 'alone.yaml')
  await writeFile(topology, `graph: complete\npeers: [{ name: a, addresses: [/ip4/127.0.0.1/tcp/${port}] }]\n`)
  const args = ['peer', topology, '--as', 'a', '--train', train, '--json', ...savingTo(checkpoints)]
  const result = await murmur(args, folder, undefined, { fileLimit: 20 }).result
  t.is(result.code, 0, result.stderr)
  const said = notesOf(result).filter((text) => text.includes('cannot be written'))
  t.is(said.length, 1, said.join('\n'))
  t.regex(said[0], /^a: the checkpoint of round 10: .*EFBIG.*; training goes on, and the next one is tried$/)
  t.deepEqual(await readdir(join(checkpoints, 'a')), [])
})

async function roundsOf(path: string): Promise<readonly number[]> {
  await mkdir(path, { recursive: true })
  return (await readdir(path)).flatMap((name) => /^round-(\d+)\.safetensors$/.exec(name)?.[1] ?? []).map(Number)
}
