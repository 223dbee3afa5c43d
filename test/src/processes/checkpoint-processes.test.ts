/**
 * Real processes that are killed, stopped and restarted from their checkpoints. One after the other, so that they do
 * not compete for the processor.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { timeLimit } from '@murmuration/contract'
import { createRandom } from '@murmuration/random'
import anyTest from 'ava'
import {
  type CommandResult,
  freePorts,
  murmur,
  murmurInTurn,
  type RunningCommand,
  recordsOf,
  temporaryFolder
} from './command.js'
import { hurry, paced } from './paced.js'
import { PeerProcesses } from './peer-processes.js'

const test = anyTest.serial
const posixTest = process.platform === 'win32' ? test.skip : test
const seed = Number(process.env.MURMURATION_SEED ?? 1)
const random = createRandom(seed, 'kills')

const training = `data: { digits: 300 }
task: softmax
rounds: 60
batch: 8
timeout: 20 s
`

/** Rounds between two checkpoints. */
const every = 4

const savingTo = (folder: string) => ['--checkpoint', folder, '--every', `${every} rounds`]

/** The files of every run of a test, with these peers, each a neighbour of the others. */
async function prepare(...names: readonly string[]) {
  const folder = await temporaryFolder()
  const train = join(folder, 'training.yaml')
  await writeFile(train, training)
  const topology = join(folder, 'topology.yaml')
  await writeFile(topology, `graph: complete\npeers: [${names}]\n`)
  const checkpoints = join(folder, 'checkpoints')
  const files = [topology, '--train', train, '--json']
  const args = ['swarm', ...files, '--no-baseline', ...savingTo(checkpoints)]
  const saving = (...more: readonly string[]) => murmur([...args, ...more], folder, timeLimit(150_000))
  return { folder, train, checkpoints, files, args, saving }
}

const modelsOf = (result: CommandResult) => recordsOf(result).findLast(({ models }) => models !== undefined)?.models
const notesOf = (result: Pick<CommandResult, 'stdout'>) =>
  recordsOf(result).flatMap(({ kind, text }) => (kind === 'note' ? [String(text)] : []))
const resumedFrom = (result: Pick<CommandResult, 'stdout'>) => [
  ...new Set(notesOf(result).flatMap((text) => /continues from round (\d+)/.exec(text)?.[1] ?? []))
]

/** The processes of the peers. */
function peerProcesses(swarm: RunningCommand): readonly { readonly peer: string; readonly pid: number }[] {
  return recordsOf({ stdout: swarm.output() })
    .filter(({ kind }) => kind === 'peer')
    .map(({ peer, pid }) => ({ peer: String(peer), pid: Number(pid) }))
}

/** Resolves when a peer has reported a step of this round or a later one. */
const reaching = (run: RunningCommand, round: number) =>
  run.telling(`a step of round ${round}`, (event) => event.kind === 'step' && Number(event.round) >= round)

/** Kills all processes of a swarm. */
async function killAll(swarm: RunningCommand): Promise<void> {
  swarm.process.kill('SIGKILL')
  for (const { pid } of peerProcesses(swarm)) kill(pid)
  await swarm.result
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/**
 * Damages the newest checkpoint that all have, in one peer's folder. Returns its path, its round, and that of the
 * previous one.
 */
async function damageNewest(checkpoints: string, peers: readonly string[]) {
  const all = await Promise.all(peers.map((peer) => roundsOf(join(checkpoints, peer))))
  const [newest, before] = all[0].filter((round) => all.every((rounds) => rounds.includes(round))).sort((x, y) => y - x)
  const path = join(checkpoints, peers[1], `round-${String(newest).padStart(9, '0')}.safetensors`)
  const file = await readFile(path)
  file[file.byteLength - 5] ^= 64
  await writeFile(path, file)
  return { path, newest, before }
}

test(`peers of which one is killed, and then all, at random moments, that Ctrl-C stops, and whose newest checkpoint is damaged continue each time, and end with the bits of the simulation: seed ${seed} (MURMURATION_SEED)`, async (t) => {
  t.timeout(timeLimit(300_000))
  const { folder, checkpoints, train, files, args, saving } = await prepare('a', 'b', 'c')
  const text = training.replace('timeout: 20 s', 'timeout: 2 s') + (await paced(folder))
  await writeFile(train, text)
  const first = saving('--resume')
  await first.saying('no peer has a checkpoint in its folder')
  const round = 6 + random.integer(4)
  const moment = 200 * random.uniform()
  t.log(`killed ${moment} ms after round ${round}`)
  await reaching(first, round)
  await delay(moment)
  const [{ peer, pid }] = peerProcesses(first)
  kill(pid)
  // Until its end is known it may still replace a file.
  await first.saying('"kind":"lost"')
  const killedAt = Math.max(...(await roundsOf(join(checkpoints, peer))))
  // The others save three more, and need no more than two of their own.
  await reaching(first, killedAt + 3 * every + 1)
  await delay(moment)
  await killAll(first)

  const second = saving('--resume')
  await reaching(second, killedAt + 2 * every + 1)
  second.process.kill('SIGINT')
  const stopped = await second.result
  t.is(stopped.code, 130, stopped.stderr)
  const rounds = notesOf(stopped).flatMap((note) => /stops before round (\d+)/.exec(note)?.[1] ?? [])
  t.is(rounds.length, 3, notesOf(stopped).join('\n'))
  t.is(new Set(rounds).size, 1)
  // The others keep the newest round that they know it to have: it may have died before it reported its last.
  const [from, ...more] = resumedFrom(stopped).map(Number)
  t.deepEqual(more, [], stopped.stderr)
  t.true(from === killedAt || from === killedAt - every, `${from} after ${killedAt}: ${stopped.stderr}`)

  const { path, newest, before } = await damageNewest(checkpoints, ['a', 'b', 'c'])
  t.is(newest, Number(rounds[0]), 'all have saved the round before which they stopped')
  t.true(before >= killedAt, `${before}`)
  await hurry(folder)
  const result = await saving('--resume').result
  t.is(result.code, 0, result.stderr)
  t.true(notesOf(result).some((note) => note.includes(`${path} is damaged and ignored: found the SHA-256`)))
  t.deepEqual(resumedFrom(result), [String(before)])
  const [simulated, refused] = await murmurInTurn([['sim', ...files, '--out', join(folder, 'sim')], args], folder)
  t.is(simulated.code, 0, simulated.stderr)
  t.deepEqual(modelsOf(result), modelsOf(simulated))
  t.is(refused.code, 2)
  t.regex(refused.stderr, /found a checkpoint of "a", of round \d+: continue from it with --resume/)
  await writeFile(train, text.replace('batch: 8', 'batch: 9'))
  const [other] = await murmurInTurn([[...args, '--resume']], folder)
  t.is(other.code, 2)
  t.regex(other.stderr, /checkpoint of another run: the settings differ: .*batch is 9 here and 8 there/)
})

posixTest(
  'peers that are started by hand and all killed resume from the round that they have in common, without one that had left for long, which takes their model when it returns',
  async (t) => {
    t.timeout(timeLimit(200_000))
    const names = ['a', 'b', 'c']
    const peers = await PeerProcesses.prepare(t, {
      names,
      graph: 'complete',
      training: 'rounds: 100\nmembership: { forgetAfter: 1 s }\n'
    })
    const start = (name: string, ...more: readonly string[]) =>
      peers.start(name, ...savingTo(join(peers.folder, 'saved')), ...more)
    for (const name of names) start(name)
    await peers.advances('a', 12)
    peers.signal('c', 'SIGINT')
    await peers.of('c').result
    await peers.advances('a', 25)
    for (const name of ['a', 'b']) peers.signal(name, 'SIGKILL')
    await Promise.all(['a', 'b'].map((name) => peers.of(name).result))
    for (const name of ['a', 'b']) start(name, '--resume')
    await peers.advances('a')
    t.regex(peers.of('a').output(), /does not wait for c: no longer a member in round \d+/)
    await peers.advances('b')
    const [round, ...more] = new Set(['a', 'b'].flatMap((name) => resumedFrom({ stdout: peers.of(name).output() })))
    t.deepEqual(more, [])
    t.true(Number(round) >= 10, round)
    start('c', '--resume')
    await peers.advances('c')
    await peers.finish()
    for (const name of names) {
      const { code, stderr } = await peers.of(name).result
      t.is(code, 0, stderr)
    }
  }
)

posixTest(
  'a peer whose terminal is closed, one that is stopped in a pause, and one whose code throws write the round before which they end',
  async (t) => {
    t.timeout(timeLimit(200_000))
    // Of two equal halves neither goes on, so that b pauses without a.
    const peers = await PeerProcesses.prepare(t, { names: ['a', 'b'], graph: 'complete', training: 'rounds: 1000\n' })
    const saved = join(peers.folder, 'saved')
    const stopping = async (name: string) => {
      const { code, stderr, stdout } = await peers.of(name).result
      t.is(code, 130, stderr)
      const [round] = notesOf({ stdout }).flatMap((note) => /stops before round (\d+)/.exec(note)?.[1] ?? [])
      t.is(Math.max(...(await roundsOf(join(saved, name)))), Number(round), name)
    }
    const start = (name: string, ...more: readonly string[]) =>
      peers.start(name, '--checkpoint', saved, '--every', '500 rounds', ...more)
    for (const name of ['a', 'b']) start(name)
    await peers.advances('a', 4)
    peers.signal('a', 'SIGHUP')
    await stopping('a')
    const [previous, last] = [...(await roundsOf(join(saved, 'a')))].sort((one, other) => one - other).slice(-2)
    t.is(previous, last - 1, 'for a peer that is stopped at the same time, one round behind')
    await peers.of('b').saying('waits for the others')
    // The round in which it learned this is over by then, unless the machine is very busy.
    await delay(1_000)
    peers.signal('b', 'SIGTERM')
    await stopping('b')

    const code = join(peers.folder, 'paced.mjs')
    await writeFile(
      code,
      (await readFile(code, 'utf8')).replace('return', "if (k === 7) throw new Error('wrong code')\n    return")
    )
    const other = join(peers.folder, 'other')
    for (const name of ['a', 'b']) peers.start(name, '--checkpoint', other, '--every', '500 rounds')
    for (const name of ['a', 'b']) {
      const { code: exit, stderr } = await peers.of(name).result
      t.is(exit, 2)
      t.regex(stderr, /wrong code/)
      t.deepEqual(await roundsOf(join(other, name)), [1, 7])
    }
  }
)

posixTest('checkpoints for which there is no room are said once, and training ends as it would', async (t) => {
  t.timeout(timeLimit(200_000))
  const { folder, train, checkpoints } = await prepare('a')
  const [port] = await freePorts(1)
  const topology = join(folder, 'alone.yaml')
  await writeFile(topology, `graph: complete\npeers: [{ name: a, addresses: [/ip4/127.0.0.1/tcp/${port}] }]\n`)
  const args = ['peer', topology, '--as', 'a', '--train', train, '--json', ...savingTo(checkpoints)]
  const result = await murmur(args, folder, undefined, { fileLimit: 20 }).result
  t.is(result.code, 0, result.stderr)
  const said = notesOf(result).filter((text) => text.includes('cannot be written'))
  t.is(said.length, 1, said.join('\n'))
  t.regex(said[0], /^a: the checkpoint of round 1: .*EFBIG.*; training continues, and the next checkpoint is tried$/)
  t.deepEqual(await readdir(join(checkpoints, 'a')), [])
})

async function roundsOf(path: string): Promise<readonly number[]> {
  await mkdir(path, { recursive: true })
  return (await readdir(path)).flatMap((name) => /^round-(\d+)\.safetensors$/.exec(name)?.[1] ?? []).map(Number)
}
