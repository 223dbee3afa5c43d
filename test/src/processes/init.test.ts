/** `murmur init` from an empty folder: its files can be trained and simulated unchanged. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tasks } from '@murmuration/experiment/tasks'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { type CommandResult, murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

test('what murmur init writes trains as a swarm, is simulated with the same bits, and is not overwritten', async (t) => {
  const cwd = await temporaryFolder()
  const run = (...args: string[]) => murmur(args, cwd, undefined, { cwd }).result
  const init = await run('init', 'first', '--peers', '2', '--task', 'softmax')
  t.is(init.code, 0, init.stderr)
  const [swarm, sim] = [...init.stdout.matchAll(/ ((?:swarm|sim) .*)/g)].map(([, command]) => command.split(' '))
  const train = join(cwd, 'first/train.yaml')
  await writeFile(train, (await readFile(train, 'utf8')).replace('rounds: 400', 'rounds: 20'))

  const trained = await run(...swarm, '--no-baseline', '--json', '--out', 'trained')
  t.is(trained.code, 0, trained.stderr)
  t.is(recordsOf(trained).at(-1)?.finished, 2)
  const commands = [
    [...sim, '--threads', '1', '--out', 'simulated'],
    ['init', 'first']
  ]
  const [simulated, again] = await murmurInTurn(commands, cwd, cwd)
  t.is(simulated.code, 0, simulated.stderr)
  const modelsIn = async (folder: string) =>
    (JSON.parse(await readFile(join(cwd, folder, 'runs.jsonl'), 'utf8')) as { readonly models?: unknown }).models
  t.truthy(await modelsIn('trained'))
  t.deepEqual(await modelsIn('simulated'), await modelsIn('trained'))

  t.is(again.code, 2)
  t.regex(again.stderr, /found first\/topology\.yaml and first\/train\.yaml, and murmur init overwrites no file/)
})

const kinds = tasks.map(({ kind }) => kind)

/** The results of `murmur sim` on the files of `murmur init` for each task, each in its own folder. */
async function simulations(cwd: string): Promise<readonly CommandResult[]> {
  const inits = kinds.map((kind) => ['init', kind, '--peers', '2', '--task', kind])
  const written = await murmurInTurn(inits, cwd, cwd)
  for (const kind of kinds) {
    const train = join(cwd, kind, 'train.yaml')
    await writeFile(train, (await readFile(train, 'utf8')).replace('rounds: 400', 'rounds: 1'))
  }
  const sims = kinds.map((kind) => {
    const files = [join(kind, 'topology.yaml'), '--train', join(kind, 'train.yaml'), '--out', join(kind, 'simulated')]
    return ['sim', ...files, '--threads', '1']
  })
  const simulated = await murmurInTurn(sims, cwd, cwd)
  return simulated.map((result, place) => (written[place].code === 0 ? result : written[place]))
}

test('what murmur init writes for any task is trained without a change to its data, options or rate', async (t) => {
  t.timeout(timeLimit(200_000))
  const cwd = await temporaryFolder()
  for (const [place, { code, stderr }] of (await simulations(cwd)).entries()) {
    const kind = kinds[place]
    t.is(code, 0, `${kind}: ${stderr}`)
    t.regex(await readFile(join(cwd, kind, 'simulated/runs.jsonl'), 'utf8'), /"outcome":"limit".*"loss":\d/, kind)
  }
})
