/**
 * What remains when results cannot be written. The kernel refuses the writes: a limit on files' length, or a small file
 * system.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readResults } from '@murmuration/results'
import anyTest from 'ava'
import { type CommandResult, freePorts, murmur, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial
const posixTest = process.platform === 'win32' ? test.skip : test

// A model of 31 kB.
const training = 'data: { digits: 600 }\ntask: softmax\nrounds: 10\nbatch: 16\n'

/** A disk of `kilobytes` in `folder`; undefined where mounting is not permitted. Linux, as root. */
async function smallDisk(
  folder: string,
  kilobytes: number
): Promise<{ readonly path: string; remove(): void } | undefined> {
  const path = join(folder, 'disk')
  await mkdir(path)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'none', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { path, remove: () => void execFileSync('umount', ['-l', path]) }
}

const commands = { swarm: ['swarm', '--no-baseline'], peer: ['peer', '--as', 'a'] } as const

/** The arguments of both commands, and the path of the model, where an older one exists. */
async function prepare(
  folder: string,
  saveIn: string
): Promise<{ readonly args: readonly string[]; readonly save: string }> {
  const [port] = await freePorts(1)
  const topology = join(folder, 'alone.yaml')
  const train = join(folder, 'training.yaml')
  await writeFile(topology, `graph: complete\npeers: [{ name: a, addresses: [/ip4/127.0.0.1/tcp/${port}] }]\n`)
  await writeFile(train, training)
  const save = join(saveIn, 'model.safetensors')
  await writeFile(save, 'the older model')
  return { args: [topology, '--train', train, '--save', save, '--json'], save }
}

/** The kinds of the last two lines: the result, and then why the command failed. */
const lastKinds = (result: CommandResult) =>
  recordsOf(result)
    .slice(-2)
    .map(({ kind }) => kind)

for (const [name, command] of Object.entries(commands)) {
  posixTest(`a model that cannot be written is no reason to say nothing: ${name}`, async (t) => {
    const folder = await temporaryFolder()
    const { args, save } = await prepare(folder, folder)
    // The limit applies to all files, so that no other place is left for the model.
    const result = await murmur([...command, ...args], folder, undefined, { fileLimit: 20 }).result
    t.is(result.code, 8, result.stderr)
    t.deepEqual(lastKinds(result), ['summary', 'error'])
    t.regex(result.stderr, /--save .*model\.safetensors: cannot be written: EFBIG.*neither can .*: the model is lost/)
    t.is(await readFile(save, 'utf8'), 'the older model')
    t.deepEqual(
      (await readdir(folder)).filter((file) => file.includes('part')),
      []
    )
  })
}

test('a model for which the disk has no room is kept in the folder for temporary files', async (t) => {
  const folder = await temporaryFolder()
  const disk = await smallDisk(folder, 20)
  if (disk === undefined) {
    t.log('skipped: no file system can be mounted here')
    t.pass()
    return
  }
  try {
    const { args, save } = await prepare(folder, disk.path)
    const result = await murmur([...commands.swarm, ...args], folder, undefined, { env: { TMPDIR: folder } }).result
    t.is(result.code, 8, result.stderr)
    t.deepEqual(lastKinds(result), ['summary', 'error'])
    t.is(await readFile(save, 'utf8'), 'the older model')
    t.deepEqual(await readdir(disk.path), ['model.safetensors'])
    t.true((await stat(keptIn(result))).size > 31_000)
  } finally {
    disk.remove()
  }
})

const scenario = `title: Small
topology: { graph: ring, peers: 3, links: { default: { latency: 5 ms, bandwidth: 10 Mbit/s } } }
task: quadratic
batch: 4
rate: { decay: constant }
optimiser: sgd
weightDecay: 0
methods: [{ algorithm: dpsgd }]
seeds: 200
rounds: 20
`

posixTest('a sweep whose disk is full keeps the runs that are written, says so, and names no report', async (t) => {
  const folder = await temporaryFolder()
  const path = join(folder, 'small.yaml')
  const out = join(folder, 'out')
  await writeFile(path, scenario)
  const result = await murmur(['sim', path, '--out', out, '--threads', '1'], folder, undefined, { fileLimit: 40 })
    .result
  t.is(result.code, 8, result.stderr)
  t.regex(
    result.stderr,
    /out: cannot write the results there: EFBIG.*; \d+ runs were written, and "murmur report \S+" reads/
  )
  t.regex(result.stdout, /stopped early/)
  t.regex(result.stdout, /; no report/)
  t.notRegex(result.stdout, /all invariants held/)
  const written = Number(/(\d+) runs were written/.exec(result.stderr)?.[1])
  const report = await murmur(['report', out], folder).result
  t.is(report.code, 0, report.stderr)
  t.is((await readResults(out)).runs.length, written)
})

function keptIn({ stderr }: CommandResult): string {
  return /the model is in (\S+) instead/.exec(stderr)?.[1] ?? 'nowhere'
}
