/** `npm run bench -- --against COMMIT`: its parts, on fast commands and a small repository. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { root } from '../repository.js'

interface Measurement {
  command(clone: string): readonly string[]
  read(run: Run): Readonly<Record<string, number>>
}

interface Run {
  readonly stdout: string
  readonly processor: number
  readonly memory: number
  readonly processes: number
}

interface Pairs {
  readonly runs: Readonly<Record<'here' | 'there', readonly Readonly<Record<string, number>>[]>>
  readonly failed?: Readonly<Record<string, string>>
}

interface Compared {
  readonly ratio?: number
  readonly verdict?: string
}

const guardPart = async (file: string): Promise<unknown> =>
  import(new URL(`../../../bench/${file}`, import.meta.url).href)

const { medianInterval } = (await guardPart('statistics.mjs')) as {
  medianInterval(values: readonly number[], confidence: number): { low: number; high: number; confidence: number }
}
const { measure } = (await guardPart('guard/command.mjs')) as {
  measure(command: readonly string[], options: object): Promise<Run>
}
const { simulator, figuresOf } = (await guardPart('guard/measurements.mjs')) as {
  simulator(peers: number, rounds: number): Measurement
  figuresOf(measurement: Measurement, run: Run): Readonly<Record<string, number>>
}
const { takePairs, compared } = (await guardPart('guard/compare.mjs')) as {
  takePairs(settings: object): Promise<Pairs>
  compared(pairs: Pairs): readonly Compared[]
}
const { tableOf } = (await guardPart('guard/table.mjs')) as { tableOf(report: object): string }
const { buildCommit } = (await guardPart('guard/commit.mjs')) as {
  buildCommit(settings: object): Promise<{ folder: string; remove(): Promise<void> }>
}

const never = new AbortController().signal
const settings = { cwd: root, timeout: 120_000, signal: never }

test('the interval of the sign test holds the median with the probability that it says', (t) => {
  const values = (count: number) => Array.from({ length: count }, (_, k) => count - k)
  t.deepEqual(medianInterval(values(5), 0.95), { low: 1, high: 5, confidence: 1 - 2 / 2 ** 5 })
  t.deepEqual(medianInterval(values(7), 0.95), { low: 1, high: 7, confidence: 1 - 2 / 2 ** 7 })
  t.deepEqual(medianInterval(values(9), 0.95), { low: 2, high: 8, confidence: 1 - (2 * (1 + 9)) / 2 ** 9 })
  t.is(medianInterval(values(1), 0.95).confidence, 0)
})

test('what a run used is that of all its Node.js processes', async (t) => {
  const inner = `const b = Buffer.alloc(150 << 20, 1); console.log('inner', b[5])`
  const outer = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`
  const { stdout, processes, memory, processor } = await measure([process.execPath, '-e', outer], settings)
  t.is(stdout, 'inner 1\n')
  t.is(processes, 2)
  t.true(memory > 150, `${memory} MiB`)
  t.true(processor > 0)
})

test('the figures of the simulator are read from what its program prints', async (t) => {
  const measurement = simulator(4, 3)
  const figures = figuresOf(measurement, await measure(measurement.command(root), settings))
  t.is(Object.keys(figures).length, 4)
  for (const [name, value] of Object.entries(figures)) t.true(Number.isFinite(value) && value >= 0, `${name}: ${value}`)
})

/** A clone whose program reports this cost; without a cost it has no program. */
function cloneThatCosts(cost?: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'murmur-test-'))
  if (cost !== undefined) writeFileSync(join(folder, 'cost.mjs'), `console.log('\\u001B[90mcosts\\u001B[39m ${cost}')`)
  return folder
}

const measurement: Measurement = {
  command: () => [process.execPath, 'cost.mjs'],
  read: ({ stdout }) => ({ cost: Number(/^costs (.*)$/m.exec(stdout)?.[1]) })
}

function tableFor(result: Pairs): string {
  const machine = { processors: 2, model: 'some processor', node: process.version, load: 1 }
  const commits = { here: { hash: 'a'.repeat(40), changed: true }, there: { hash: 'b'.repeat(40) } }
  return tableOf({ machine, ...commits, results: { named: { ...result, figures: compared(result) } } })
}

test('what costs more in all of five pairs is called more, and in all of four is not', async (t) => {
  const sides = { here: cloneThatCosts(12), there: cloneThatCosts(10) }
  const five = await takePairs({ measurement, sides, pairs: 5, signal: never })
  t.like(compared(five)[0], { ratio: 1.2, verdict: 'more' })
  t.regex(tableFor(five), /│ named │ cost +│ +12 │ +10 │ +1\.20 │ 1\.20\.\.1\.20 │ 1\.20\.\.1\.20 │ more │/)
  const four = { runs: { here: five.runs.here.slice(1), there: five.runs.there.slice(1) } }
  t.like(compared(four)[0], { ratio: 1.2, verdict: 'same' })
})

test('a measurement that the other commit cannot run has a line that says why', async (t) => {
  const sides = { here: cloneThatCosts(12), there: cloneThatCosts() }
  const result = await takePairs({ measurement, sides, pairs: 5, signal: never })
  const table = tableFor(result)
  t.regex(table, /│ named │ cost +│ +12 │ +– │ +– │/)
  t.regex(table, /^named: bbbbbbb cannot run it: "node cost\.mjs" ended with 1: Error.*Cannot find module/m)
})

/** A repository with one commit, whose build writes a file. */
function repositoryThatBuilds(build: string): { folder: string; git: (...args: readonly string[]) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'murmur-test-'))
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const description = { name: 'tiny', version: '1.0.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...description, scripts: { build } }))
  const lock = { ...description, lockfileVersion: 3, requires: true, packages: { '': description } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--message', 'one')
  return { folder, git }
}

const say = () => {}
const worktrees = (list: string) => list.split('\n').filter((line) => line.startsWith('worktree ')).length

test('a commit is built in a folder of its own, which is removed; a cache keeps it', async (t) => {
  const { folder: root, git } = repositoryThatBuilds('echo done > built')
  const hash = git('rev-parse', 'HEAD')
  writeFileSync(join(root, 'package.json'), 'what is not committed does not count')
  const clone = await buildCommit({ root, hash, signal: never, say })
  t.is(readFileSync(join(clone.folder, 'built'), 'utf8').trim(), 'done')
  t.is(worktrees(git('worktree', 'list', '--porcelain')), 2)
  await clone.remove()
  t.is(worktrees(git('worktree', 'list', '--porcelain')), 1)
  t.false(existsSync(clone.folder))

  const cache = mkdtempSync(join(tmpdir(), 'murmur-test-'))
  const kept = await buildCommit({ root, hash, cache, signal: never, say })
  await kept.remove()
  t.is(readFileSync(join(cache, hash, 'built'), 'utf8').trim(), 'done')
  const steps: string[] = []
  await buildCommit({ root, hash, cache, signal: never, say: (step: string) => steps.push(step) })
  t.deepEqual(steps, [])
})

test('a build that is stopped or fails leaves nothing behind', async (t) => {
  const { folder: root, git } = repositoryThatBuilds('node -e "setInterval(() => {}, 1000)"')
  const hash = git('rev-parse', 'HEAD')
  const stop = new AbortController()
  const sayAndStop = (step: string) => {
    if (step === 'npm run build') setTimeout(() => stop.abort(new Error('stopped')), 2000)
  }
  await t.throwsAsync(buildCommit({ root, hash, signal: stop.signal, say: sayAndStop }), { message: 'stopped' })
  t.is(worktrees(git('worktree', 'list', '--porcelain')), 1)

  const failing = repositoryThatBuilds('exit 3')
  const failed = buildCommit({ root: failing.folder, hash: failing.git('rev-parse', 'HEAD'), signal: never, say })
  await t.throwsAsync(failed, { message: /"npm run build" ended with 3/ })
  t.is(worktrees(failing.git('worktree', 'list', '--porcelain')), 1)
})

test('what cannot be compared is an error that names what can', (t) => {
  const bench = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['bench/main.mjs', ...args], { cwd: root, encoding: 'utf8' })
  const commit = bench('--against', 'no-such-commit')
  t.is(commit.status, 1)
  t.regex(commit.stderr, /^there is no commit "no-such-commit" here/)
  const measurement = bench('--against=HEAD', '--only', 'simulator-100,nothing')
  t.is(measurement.status, 1)
  t.regex(measurement.stderr, /^there is no measurement "nothing"; there are simulator-100,simulator-10000,exchange-57/)
})
