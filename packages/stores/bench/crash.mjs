/**
 * What is lost when Redis is killed in mid-run, by its schedule of snapshots: every second, every minute, never. Four
 * workers and two services as processes; Redis is killed when a worker has done so many rounds, and started again at
 * once. `node packages/stores/bench/crash.mjs [round of the kill] [one of the schedules]`
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startRedis } from '@murmuration/stores/programs'

const at = Number(process.argv[2] ?? 400)
const only = process.argv[3]
const bin = fileURLToPath(new URL('../../cli/bin/murmur.js', import.meta.url))
const topology = 'graph: ring\npeers: [a, b, c, d, { name: s, role: server }, { name: t, role: server }]\n'

async function run(save) {
  const redis = await startRedis({ save })
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-crash-'))
  const train = `task: softmax\ndata: { digits: 2000 }\nalgorithm: parameter-services\nbatch: 16\nrounds: 1200\nrate: { scale: 1/peers }\nstore: ${redis.url}\n`
  await writeFile(join(folder, 'topology.yaml'), topology)
  await writeFile(join(folder, 'train.yaml'), train)
  const args = [
    'swarm',
    join(folder, 'topology.yaml'),
    '--train',
    join(folder, 'train.yaml'),
    '--json',
    '--no-baseline'
  ]
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let isKilled = false
  let lost = 0
  let summary = {}
  const accuracies = []
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line)
    if (event.kind === 'step' && event.round >= at && !isKilled) {
      isKilled = true
      if (save !== undefined) accuracies.push('kill')
      await redis.kill()
      await redis.start()
    }
    if (event.kind === 'evaluation') accuracies.push(event.accuracy)
    if (event.kind === 'store') lost = Math.max(lost, event.rolledBack)
    if (event.kind === 'summary') summary = event
  }
  await redis.end()
  await rm(folder, { recursive: true, force: true })
  const place = accuracies.indexOf('kill')
  const around = place < 0 ? [] : [accuracies[place - 1], Math.min(...accuracies.slice(place + 1, place + 6))]
  const percent = (value) => (value === undefined ? '–' : `${(100 * value).toFixed(1)} %`)
  return `lost ${lost} updates of ${4 * summary.rounds}; accuracy before ${percent(around[0])}, lowest after ${percent(around[1])}, at the end ${percent(summary.accuracyOfMean)}; ${summary.seconds?.toFixed(1)} s, ${summary.finished} of 4 workers finished`
}

for (const [name, save] of [
  ['save 1 s', '1 1'],
  ['save 60 s', '60 1'],
  ['no snapshots', '']
])
  if (only === undefined || name === only) console.log(`${name.padEnd(13)} ${await run(save)}`)
