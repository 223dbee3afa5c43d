/** Real processes that train one model in stages. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { type CommandResult, murmur, recordsOf, temporaryFolder } from './command.js'

const training = `data: { digits: 300 }
task: { kind: mlp, hidden: [16, 12] }
rounds: 50
batch: 8
timeout: 20 s
pipeline: { splitSize: 2 }
`

const modelsOf = (result: CommandResult) => recordsOf(result).findLast(({ models }) => models !== undefined)?.models

test('a killed stage ends the run, which names it; from checkpoints it ends with the bits of a run without a break, and of a simulation', async (t) => {
  t.timeout(timeLimit(240_000))
  const folder = await temporaryFolder()
  const [topology, train, checkpoints] = ['t.yaml', 'train.yaml', 'checkpoints'].map((name) => join(folder, name))
  await writeFile(topology, 'graph: ring\nstages: 3\npeers: [a, b, c]\n')
  await writeFile(train, training)
  const run = (...more: string[]) =>
    murmur(['swarm', topology, '--train', train, '--json', '--no-baseline', ...more], folder, timeLimit(150_000))
  const saving = ['--checkpoint', checkpoints, '--every', '5 rounds']

  const killed = run(...saving)
  const { pid } = await killed.telling('b is up', ({ kind, peer }) => kind === 'peer' && peer === 'b')
  await killed.telling('round 10', ({ kind, round }) => kind === 'step' && Number(round) >= 10)
  process.kill(Number(pid), 'SIGKILL')
  const broken = await killed.result
  t.is(broken.code, 3, broken.stderr)
  t.regex(broken.stdout + broken.stderr, /b[^;]*, which trains stage 1; each stage of the model needs the others/)

  const resumed = await run(...saving, '--resume', '--save', join(folder, 'resumed.safetensors')).result
  t.is(resumed.code, 0, resumed.stderr)
  const whole = await run('--save', join(folder, 'whole.safetensors')).result
  t.deepEqual(modelsOf(resumed), modelsOf(whole))
  const simulated = await murmur(
    ['sim', topology, '--train', train, '--json', '--out', join(folder, 'simulated')],
    folder
  ).result
  t.deepEqual(modelsOf(simulated), modelsOf(whole), simulated.stderr)
  const [left, right] = await Promise.all(
    ['resumed', 'whole'].map((name) => readFile(join(folder, `${name}.safetensors`)))
  )
  t.true(left.includes('3/Dense/bias'))
  t.is(left.length, right.length)
})
