/** Real processes that train one model in stages. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { type CommandResult, murmur, recordsOf, type RunningCommand, temporaryFolder } from './command.js'

const training = `data: { digits: 300 }
task: { kind: mlp, hidden: [16, 12] }
rounds: 50
batch: 8
timeout: 10 s
pipeline: { splitSize: 2 }
`

const modelsOf = (result: CommandResult) => recordsOf(result).findLast(({ models }) => models !== undefined)?.models

/** A swarm in a folder, and how to run it. */
async function swarmOf(topology: string) {
  const folder = await temporaryFolder()
  const [file, train, checkpoints] = ['t.yaml', 'train.yaml', 'checkpoints'].map((name) => join(folder, name))
  await writeFile(file, topology)
  await writeFile(train, training)
  const run = (...more: string[]) =>
    murmur(['swarm', file, '--train', train, '--json', '--no-baseline', ...more], folder, timeLimit(150_000))
  const simulated = () =>
    murmur(['sim', file, '--train', train, '--json', '--out', join(folder, 'simulated')], folder).result
  return { folder, run, simulated, saving: ['--checkpoint', checkpoints, '--every', '5 rounds'] }
}

/** Kills the processes of peers once these are in round 10. */
async function killIn10(running: RunningCommand, peers: readonly string[]): Promise<void> {
  const pids: number[] = []
  for (const name of peers) {
    const { pid } = await running.telling(`${name} is up`, ({ kind, peer }) => kind === 'peer' && peer === name)
    pids.push(Number(pid))
  }
  await running.telling('round 10', ({ kind, round }) => kind === 'step' && Number(round) >= 10)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

const oneLine = 'graph: ring\nstages: 3\npeers: [a, b, c]\n'
const twoLines = 'graph: ring\nstages: 2\npeers: [a, b, c, d]\n'

test.serial('a killed stage of a single line ends the run, which names it', async (t) => {
  t.timeout(timeLimit(120_000))
  const killed = (await swarmOf(oneLine)).run()
  await killIn10(killed, ['b'])
  const { code, stdout, stderr } = await killed.result
  t.is(code, 3, stderr)
  t.regex(stdout + stderr, /b[^;]*, which trains stage 1; each stage of the model needs the others/)
})

test.serial(
  'a killed peer of one of two lines is replaced by the other one of its stage, to the end of the run',
  async (t) => {
    t.timeout(timeLimit(120_000))
    const { folder, run } = await swarmOf(twoLines)
    const killed = run('--save', join(folder, 'model.safetensors'))
    await killIn10(killed, ['b'])
    const result = await killed.result
    t.is(result.code, 0, result.stderr)
    const records = recordsOf(result)
    t.deepEqual(records.find(({ kind }) => kind === 'epoch')?.lost, ['b'])
    t.like(records.at(-1), { finished: 3, lost: ['b'], rounds: 50 })
    t.deepEqual(Object.keys(modelsOf(result) as object), ['a', 'c'])
    t.true((await readFile(join(folder, 'model.safetensors'))).includes('3/Dense/bias'))
  }
)

test.serial(
  'where all peers of a stage are killed the run pauses and ends, and names it; from checkpoints it ends with the bits of a run without a break, and of a simulation',
  async (t) => {
    t.timeout(timeLimit(240_000))
    const { folder, run, simulated, saving } = await swarmOf(twoLines)
    const killed = run(...saving)
    await killIn10(killed, ['b', 'd'])
    const broken = await killed.result
    t.is(broken.code, 3, broken.stderr)
    t.regex(broken.stdout + broken.stderr, /nobody is left who trains stage 1/)

    const resumed = await run(...saving, '--resume', '--save', join(folder, 'resumed.safetensors')).result
    t.is(resumed.code, 0, resumed.stderr)
    const whole = await run('--save', join(folder, 'whole.safetensors')).result
    t.deepEqual(modelsOf(resumed), modelsOf(whole))
    const sim = await simulated()
    t.deepEqual(modelsOf(sim), modelsOf(whole), sim.stderr)
    const [left, right] = await Promise.all(
      ['resumed', 'whole'].map((name) => readFile(join(folder, `${name}.safetensors`)))
    )
    t.true(left.includes('3/Dense/bias'))
    t.is(left.length, right.length)
  }
)
