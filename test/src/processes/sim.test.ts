/** The command `murmur sim`, as people and programs run it. */
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeReport } from '@murmuration/report'
import { readResults, type Results } from '@murmuration/results'
import anyTest from 'ava'
import { type CommandResult, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

const test = anyTest.serial

const small = `title: Small
topology: { graph: ring, peers: 3, links: { default: { latency: 5 ms, bandwidth: 10 Mbit/s } } }
task: { kind: quadratic, noise: 0.1 }
batch: 4
rate: { decay: constant }
optimiser: sgd
weightDecay: 0
vary: { latency: [1 ms, 20 ms] }
methods: [{ algorithm: dpsgd }, { algorithm: all-reduce }, { algorithm: parameter-server }]
seeds: 2
rounds: 20
`

/** Results without the simulator's own running time, which always differs. */
async function timeless(directory: string): Promise<Results> {
  const { runs, ...rest } = await readResults(directory)
  return { ...rest, runs: runs.map((run) => ({ ...run, realSeconds: 0 })) }
}

async function reportWithoutTime(directory: string): Promise<string> {
  return writeReport(await temporaryFolder(), await timeless(directory))
}

async function scenario(
  text: string
): Promise<{ readonly folder: string; readonly path: string; readonly out: string }> {
  const folder = await temporaryFolder()
  const path = join(folder, 'small.yaml')
  await writeFile(path, text)
  return { folder, path, out: join(folder, 'out') }
}

/** A single thread, since each has to load everything: for tests that do not depend on their number. */
const alone = ['--threads', '1']

test('a sweep writes its runs, and a report that the command report writes again, byte for byte, also from its parts', async (t) => {
  const { folder, path, out } = await scenario(small)
  const result = await murmur(['sim', path, '--out', out, '--json'], folder).result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  t.is(records.filter(({ kind }) => kind === 'run').length, 13, '12 runs, and the first of them again')
  t.like(records.at(-1), { kind: 'summary', runs: 12, repeated: 1, isWhole: true, findings: [] })
  const { runs, sweep } = await readResults(out)
  t.is(runs.length, 12)
  t.deepEqual(sweep.axes, { latency: [1, 20] })
  const html = readFileSync(join(out, 'report.html'), 'utf8')
  const [again, taken] = await murmurInTurn(
    [
      ['report', out],
      ['sim', path, '--out', out]
    ],
    folder
  )
  t.is(again.code, 0, again.stderr)
  t.is(readFileSync(join(out, 'report.html'), 'utf8'), html)
  t.is(taken.code, 2)
  t.regex(taken.stderr, /not empty/)

  // The same in three parts, as three jobs of a cluster would run it.
  const inParts = (of: number) =>
    [1, 2, 3].map((number) => ['sim', path, '--part', `${number}/${of}`, '--out', join(folder, `${number}`), ...alone])
  const parts = [1, 2, 3].map((number) => join(folder, `${number}`))
  const merged = join(folder, 'merged')
  const several = await murmurInTurn(
    [...inParts(3), ['report', ...parts.toReversed(), '--out', merged], ...inParts(13)],
    folder
  )
  t.deepEqual(
    several.map(({ code }) => code),
    [0, 0, 0, 0, 2, 2, 2],
    several.map(({ stderr }) => stderr).join('')
  )
  t.regex(several[0].stdout, /Small: 4 runs, part 1\/3 of 12, on/)
  t.regex(several[4].stderr, /--part 1\/13: found 12 runs, expected at least 13, one per part/)
  t.deepEqual(await timeless(merged), await timeless(out))
  const reports = await Promise.all(
    [merged, out].map(async (each) => readFileSync(await reportWithoutTime(each), 'utf8'))
  )
  t.true(reports[0] === reports[1], 'the same report, but for the time that the simulator took')
})

/** Scenarios with other options, for tests of what the command answers. */
const freezes = ['p1', 'p2', 'p3'].map((peer) => `{ at: 1 s, do: freeze, peer: ${peer} }`).join(', ')
const others = {
  deadlock: `${small}computing: { perStep: 200 ms }\nfaults: { events: [${freezes}] }\n`,
  wrong: small.replace('latency: [1', 'latncy: [1'),
  failing: small.replace('{ decay: constant }', '{ initial: 1e30, decay: constant }'),
  empty: small.replace(/task: .*/, 'task: softmax\ndata: { path: ./none }'),
  lossy: `${small.replace('rounds: 20', 'rounds: 60').replace('[1 ms, 20 ms]', '[1 ms]')}timeout: 1 s\nmembership: {}\nfaults: { events: [{ at: 800 ms, do: crash, peer: p3 }] }\n`,
  calibrated: small.replace('seeds: 2', 'seeds: 1').replace('[1 ms, 20 ms]', '[1 ms]')
} as const
type Other = keyof typeof others
const answers = {} as Record<Other, CommandResult & { readonly out: string }>

test.before('the command runs them', async () => {
  const names = Object.keys(others) as Other[]
  const scenarios = await Promise.all(names.map((name) => scenario(others[name])))
  const commands = scenarios.map(({ path, out }, place) => {
    return ['sim', path, '--out', out, ...alone, ...(names[place] === 'calibrated' ? ['--calibrate'] : [])]
  })
  const results = await murmurInTurn(commands, scenarios[0].folder)
  for (const [place, name] of names.entries()) answers[name] = { ...results[place], out: scenarios[place].out }
})

test('a deadlock ends with the names of the waiting programs, and what each waits for', (t) => {
  const { code, stdout, stderr } = answers.deadlock
  t.is(code, 7, stderr)
  for (const peer of ['p1', 'p2', 'p3']) t.regex(stdout, new RegExp(`${peer} is frozen, and waits for its gradient`))
})

test('a wrong scenario is refused with line, column and hint, and nothing is written', (t) => {
  const { code, stderr, out } = answers.wrong
  t.is(code, 2)
  t.regex(stderr, /small\.yaml:8:9: .*"latncy".*did you mean "latency"/)
  t.false(existsSync(out))
})

test('runs that all failed are a reason and an exit code, and no promise kept', (t) => {
  const { code, stdout, stderr } = answers.failing
  t.is(code, 7, stdout)
  t.regex(stderr, /all 12 runs failed; D-PSGD.*, seed 1: training diverged/)
  t.regex(stdout, /12 of 12 runs failed/)
  t.notRegex(stdout, /all invariants held/)
})

test('runs that continued in a new epoch are told, with the first of them', (t) => {
  const { code, stdout, stderr } = answers.lossy
  t.is(code, 0, stderr)
  // Of two seeds; D-PSGD needs no epoch.
  t.regex(
    stdout,
    /4 of 6 runs continued in new epochs; SGD on an all-reduce, seed 1: epoch 1 after [\d.]+ s, in round \d+, without p3/
  )
})

test('computing can be measured on this machine', (t) => {
  const { code, stdout, stderr } = answers.calibrated
  t.is(code, 0, stderr)
  t.regex(stdout, /computing: \S+ ms per sample and \S+ ms per step, measured on this machine/)
})

test('Ctrl-C ends a sweep in seconds, and what was done is written', async (t) => {
  const { folder, path, out } = await scenario(small.replace('seeds: 2', 'seeds: 2000'))
  const command = murmur(['sim', path, '--out', out, '--json'], folder)
  await command.saying('"done":20,')
  command.process.kill('SIGINT')
  const result = await command.result
  t.is(result.code, 130, result.stderr)
  const { runs } = await readResults(out)
  t.true(runs.length >= 15 && runs.length < 12_000, `${runs.length} runs`)
})

test('a sweep that is killed keeps what it has, and the command report reads it', async (t) => {
  const { folder, path, out } = await scenario(small.replace('seeds: 2', 'seeds: 2000'))
  const command = murmur(['sim', path, '--out', out, '--json', ...alone], folder)
  await command.saying('"done":20,')
  command.process.kill('SIGKILL')
  t.is((await command.result).signal, 'SIGKILL')
  const report = await murmur(['report', out], folder).result
  t.is(report.code, 0, report.stderr)
  t.regex(report.stderr, /the sweep was not finished; found \d+ of its 12000 runs/)
  const { runs } = await readResults(out)
  t.true(runs.length >= 15 && runs.length < 12_000, `${runs.length} runs`)
  t.regex(readFileSync(join(out, 'report.html'), 'utf8'), new RegExp(`${runs.length} of 12000 simulated runs`))
})

test('a folder that cannot be written is reported before the first run', async (t) => {
  const { folder, path } = await scenario(small)
  const commands = [path, join(path, 'out'), '/dev/null'].map((out) => ['sim', path, '--out', out, '--json'])
  for (const result of await murmurInTurn(commands, folder)) {
    t.is(result.code, 2, result.stderr)
    t.regex(result.stderr, /--out \S+: \S+ is a file; name a folder/)
    t.like(JSON.parse(result.stdout), { kind: 'error', code: 2 })
  }
})

test('a sweep without a run names no report, keeps no promise and leaves no folder', async (t) => {
  // Threads that are still loading, or answer when the sweep has ended, must not cause a crash.
  const { folder, path, out } = await scenario(others.empty)
  const several = await murmur(['sim', path, '--out', out, '--threads', '3'], folder).result
  for (const result of [answers.empty, { ...several, out }]) {
    t.is(result.code, 2, result.stderr)
    t.regex(result.stderr, /^murmur: .*none cannot be read/)
    t.regex(result.stdout, /no run was simulated/)
    t.notRegex(result.stdout, /invariant|report/)
    t.false(existsSync(result.out))
  }
})
