/**
 * Parameter servers of keyed rows as real processes of this machine: matrix factorisation on 1, 2 and 4 processes of 4
 * workers each, over libp2p.
 *
 *     node studies/rows-for-real.mjs [epochs]
 *
 * Prints the loss of the model, compared with that of one worker with all rows; how keys were accessed; the time of an
 * epoch by the clock, which is longer on a busy machine; and the processor time of an epoch of all processes, without
 * the first epoch.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const epochs = Number(process.argv[2] ?? 5)
const murmur = fileURLToPath(new URL('../packages/cli/bin/murmur.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'rows-for-real-'))
const ticksPerSecond = 100
const methods = [
  ['classic-local-server', '{ name: classic-local-server, workers: 4, blocking: true }'],
  ['lapse', '{ name: lapse, workers: 4, blocking: true }'],
  ['adapm', '{ name: adapm, workers: 4, ahead: 64 }']
]

/** Seconds of processor time of all child processes that have ended, and of their children. */
function processorTime() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

async function run(algorithm, peers, rounds) {
  const topology = join(folder, 'topology.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, `graph: complete\npeers: ${peers}\n`)
  const settings = [
    'task: { kind: matrix-factorisation, users: 4000, items: 1000, ratings: 100000, rank: 16 }',
    `algorithm: ${algorithm}`,
    'batch: 8',
    'rate: { initial: 0.05, decay: constant }',
    'optimiser: sgd',
    'weightDecay: 0',
    `rounds: ${rounds}`,
    'timeout: 60 s'
  ]
  await writeFile(train, `${settings.join('\n')}\n`)
  const before = processorTime()
  const swarm = spawn(process.execPath, [murmur, 'swarm', topology, '--train', train, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] }) // oxfmt-ignore
  const ended = once(swarm, 'exit')
  const events = (await text(swarm.stdout)).trim().split('\n').map((line) => JSON.parse(line)) // oxfmt-ignore
  await ended
  const summary = events.at(-1)
  if (summary.kind !== 'summary') throw new Error(`the swarm failed: ${summary.message}`)
  const ends = events.filter(({ kind, phase, round }) => kind === 'step' && phase === 'train' && round === rounds - 1)
  return { ...summary, seconds: Math.max(...ends.map(({ seconds }) => seconds)), processor: processorTime() - before }
}

try {
  console.log(`load ${loadavg()[0].toFixed(1)}; ${epochs} epochs`)
  console.log('| processes | server | loss | of one worker | keys reached without a message | rows moved | an epoch, by the clock | processor time of an epoch |') // oxfmt-ignore
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const peers of [1, 2, 4])
    for (const [name, algorithm] of methods) {
      const short = await run(algorithm, peers, 1)
      const whole = await run(algorithm, peers, epochs)
      const { local, remote, queued, moved } = whole.keys
      const perEpoch = (field) => ((whole[field] - short[field]) / (epochs - 1)).toFixed(2)
      const loss = (value) => value.toFixed(3)
      console.log(
        `| ${peers} | \`${name}\` | ${loss(whole.lossOfMean)} | ${loss(whole.centralisedLoss)} | ${((100 * local) / (local + remote + queued)).toFixed(1)} % | ${moved} | ${perEpoch('seconds')} s | ${perEpoch('processor')} s |`
      )
    }
} finally {
  await rm(folder, { recursive: true })
}
