/** `murmur init` from an empty folder: what it writes is trained and simulated as it stands. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tasks } from '@murmuration/experiment/tasks'
import test from 'ava'
import { murmur, recordsOf, temporaryFolder } from './command.js'

test('what murmur init writes trains as a swarm, is simulated with the same bits, and is not overwritten', async (t) => {
  const cwd = await temporaryFolder()
  const run = (...args: string[]) => murmur(args, cwd, undefined, { cwd }).result
  const init = await run('init', 'first', '--peers', '3', '--task', 'softmax')
  t.is(init.code, 0, init.stderr)
  const [swarm, sim] = [...init.stdout.matchAll(/ ((?:swarm|sim) .*)/g)].map(([, command]) => command.split(' '))
  const train = join(cwd, 'first/train.yaml')
  await writeFile(train, (await readFile(train, 'utf8')).replace('rounds: 400', 'rounds: 20'))

  const trained = await run(...swarm, '--no-baseline', '--json', '--out', 'trained')
  t.is(trained.code, 0, trained.stderr)
  t.is(recordsOf(trained).at(-1)?.finished, 3)
  const simulated = await run(...sim, '--out', 'simulated')
  t.is(simulated.code, 0, simulated.stderr)
  const modelsIn = async (folder: string) =>
    (JSON.parse(await readFile(join(cwd, folder, 'runs.jsonl'), 'utf8')) as { readonly models?: unknown }).models
  t.truthy(await modelsIn('trained'))
  t.deepEqual(await modelsIn('simulated'), await modelsIn('trained'))

  const again = await run('init', 'first')
  t.is(again.code, 2)
  t.regex(again.stderr, /found first\/topology\.yaml and first\/train\.yaml, and murmur init overwrites no file/)
})

for (const { kind } of tasks) {
  test(`what murmur init writes for the task ${kind} is trained without a change to its data, options or rate`, async (t) => {
    const cwd = await temporaryFolder()
    const run = (...args: string[]) => murmur(args, cwd, undefined, { cwd }).result
    const init = await run('init', '--peers', '2', '--task', kind)
    t.is(init.code, 0, init.stderr)
    const train = join(cwd, 'train.yaml')
    await writeFile(train, (await readFile(train, 'utf8')).replace('rounds: 400', 'rounds: 3'))
    const { code, stderr } = await run('sim', 'topology.yaml', '--train', 'train.yaml', '--out', 'simulated')
    t.is(code, 0, stderr)
    t.regex(await readFile(join(cwd, 'simulated/runs.jsonl'), 'utf8'), /"outcome":"limit".*"loss":\d/)
  })
}
