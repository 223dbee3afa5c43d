/**
 * Gossip beside services over Redis, with real processes: D-PSGD and AD-PSGD on a ring of four, and 1 to 3 services
 * over a Redis with four workers; one task, one number of steps, without and with slow links. Then what one failure in
 * the middle of the run does to each.
 *
 *     node packages/stores/bench/gossip.mjs [--rounds 200] [--mbit 0,100,20] [--only links | failures]
 *
 * 0 Mbit/s are links that nothing shapes. Prints rows of docs/use/parameter-services.md. Time is by the clock, from the
 * first step to the last; processor time is that of all processes of the run, their start and the Redis included.
 * Between services and Redis no link is shaped: what went there is counted apart. Beside each run over shaped links
 * stands the virtual time of its simulation, which a busy machine does not change: 1 ms of computing for each of 8
 * samples of a step.
 */
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { startRedis } from '@murmuration/stores/programs'

const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    mbit: { type: 'string', default: '0,100,20' },
    only: { type: 'string' }
  }
})
const rounds = Number(given.rounds)
const murmur = fileURLToPath(new URL('../../cli/bin/murmur.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'murmuration-gossip-'))
const workers = ['a', 'b', 'c', 'd']
const latency = '5 ms'
const ticksPerSecond = 100

const services = (count) => ({ name: `${count} service${count > 1 ? 's' : ''}`, services: count })
const methods = [
  { name: 'D-PSGD', algorithm: 'dpsgd' },
  { name: 'AD-PSGD', algorithm: 'ad-psgd' },
  ...[1, 2, 3].map(services)
]

/** Seconds of processor time of all processes that this one has started and that have ended, and of theirs. */
function processorTime() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

/** The files of a run, by their paths; a method with services has the URL of their Redis. */
async function filesOf({ algorithm, services = 0 }, mbit, url) {
  const servers = Array.from({ length: services }, (_, place) => `{ name: s${place + 1}, role: server }`)
  const [topology, train, links] = ['topology', 'train', 'links'].map((name) => join(folder, `${name}.yaml`))
  const shape = `default: { bandwidth: ${mbit} Mbit/s, latency: ${latency} }`
  const shaped = mbit > 0 ? `links: { ${shape} }\n` : ''
  await writeFile(topology, `graph: ring\npeers: [${[...workers, ...servers].join(', ')}]\n${shaped}`)
  const settings = [
    'task: { kind: mlp, hidden: [80] }',
    'data: { digits: 2000 }',
    `algorithm: ${algorithm ?? 'parameter-services'}`,
    'batch: 8',
    'optimiser: sgd',
    'weightDecay: 0',
    // Every update of four workers is added: each is a quarter of what a gossiping peer takes.
    `rate: { initial: 0.2, decay: constant${services > 0 ? ', scale: 1/peers' : ''} }`,
    `rounds: ${rounds}`,
    'timeout: 10 s',
    ...(services > 0 ? [`store: ${url}`] : [])
  ]
  await writeFile(train, `${settings.join('\n')}\n`)
  await writeFile(links, `${shape}\n`)
  return { topology, train, shaping: mbit > 0 ? ['--links', links] : [] }
}

/** Virtual seconds of the run that the simulator makes of the same files. */
async function simulated(method, mbit) {
  const { topology, train } = await filesOf(method, mbit, 'redis://localhost')
  const out = await mkdtemp(join(folder, 'results-'))
  await promisify(execFile)(process.execPath, [murmur, 'sim', topology, '--train', train, '--json', '--threads', '1', '--out', out]) // oxfmt-ignore
  return JSON.parse((await readFile(join(out, 'runs.jsonl'), 'utf8')).split('\n')[0]).seconds
}

/**
 * Runs a method. `fail` is called when a worker has done half of the rounds, with the Redis and the process ids by
 * name.
 */
async function run(method, mbit, fail) {
  const before = processorTime()
  const redis = method.services === undefined ? undefined : await startRedis({ save: '' })
  const { topology, train, shaping } = await filesOf(method, mbit, redis?.url)
  const command = [murmur, 'swarm', topology, '--train', train, '--json', '--no-baseline', ...shaping]
  const swarm = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => swarm.once('exit', resolve))
  const pids = new Map()
  const stores = []
  let summary
  let failure
  let hasFailed = false
  let steps = 0
  try {
    for await (const line of createInterface({ input: swarm.stdout })) {
      const event = JSON.parse(line)
      if (event.kind === 'peer') pids.set(event.peer, event.pid)
      const serving = /^(s\d+) serves .* process (\d+)$/.exec(event.text)
      if (serving !== null) pids.set(serving[1], Number(serving[2]))
      if (event.kind === 'step' && event.phase === 'train') steps = Math.max(steps, event.round + 1)
      if (event.kind === 'store') stores.push(event)
      if (event.kind === 'summary') summary = event
      if (event.kind === 'error') failure = event
      if (event.kind !== 'step' || event.round < rounds / 2 || hasFailed || fail === undefined) continue
      hasFailed = true
      await fail({ kill: (name) => process.kill(pids.get(name), 'SIGKILL'), redis })
    }
  } finally {
    // Nothing is left running where this program fails.
    if (summary === undefined && failure === undefined) swarm.kill()
    await ended
    await redis?.end()
  }
  const code = await ended
  const sum = (field) => stores.reduce((total, store) => total + store[field], 0)
  const lost = Math.max(0, ...stores.map(({ rolledBack }) => rolledBack))
  return {
    code,
    summary,
    failure,
    processor: processorTime() - before,
    store: sum('bytes'),
    overwritten: sum('overwritten'),
    sets: sum('sets'),
    lost,
    steps
  }
}

const MB = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`
const percent = (value) => (value === undefined ? '–' : `${(100 * value).toFixed(1)} %`)
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

async function overLinks() {
  row('links', 'method', 'time', 'simulated', 'processor time', 'sent by all', 'busiest machine', 'to and from Redis', 'accuracy', 'overwritten') // oxfmt-ignore
  row(...Array.from({ length: 10 }, () => '---'))
  for (const mbit of given.mbit.split(',').map(Number))
    for (const method of methods) {
      const { summary, failure, processor, store, overwritten, sets } = await run(method, mbit)
      if (summary === undefined) throw new Error(`${method.name} failed: ${failure?.message}`)
      const { seconds, bytesSent, bytesOfBusiest, busiestPeer, accuracyOfMean } = summary
      row(
        mbit === 0 ? 'not shaped' : `${mbit} Mbit/s`,
        method.name,
        `${seconds.toFixed(1)} s`,
        mbit === 0 ? '' : `${(await simulated(method, mbit)).toFixed(1)} s`,
        `${processor.toFixed(1)} s`,
        MB(bytesSent),
        `${MB(bytesOfBusiest)} (${busiestPeer})`,
        method.services === undefined ? '' : MB(store),
        percent(accuracyOfMean),
        method.services === undefined ? '' : `${overwritten} of ${sets}`
      )
    }
}

const worker = ['a worker', ({ kill }) => kill('d')]
const service = ['a service', ({ kill }) => kill('s1')]
const restarted = ['Redis, started again', ({ redis }) => redis.kill().then(() => redis.start())]
const forGood = ['Redis, for good', ({ redis }) => redis.kill()]

async function failures() {
  const mbit = 100
  row('method', 'killed in mid-run', 'time', 'workers that finish', 'steps', 'updates lost', 'accuracy', 'exit code')
  row(...Array.from({ length: 8 }, () => '---'))
  for (const [method, fails] of [
    [methods[0], [['nobody'], worker]],
    [methods[1], [['nobody'], worker]],
    [services(1), [['nobody'], worker, service]],
    [services(2), [['nobody'], worker, service, restarted, forGood]]
  ])
    for (const [name, fail] of fails) {
      const { code, summary, lost, steps } = await run(method, mbit, fail)
      const time = summary === undefined ? 'ends' : `${summary.seconds.toFixed(1)} s`
      const losing = method.services === undefined ? '' : lost
      row(method.name, name, time, `${summary?.finished ?? 0} of 4`, `${steps} of ${rounds}`, losing, percent(summary?.accuracyOfMean), code) // oxfmt-ignore
    }
}

try {
  console.log(`load ${loadavg()[0].toFixed(1)}; ${rounds} steps of four workers, 254 kB a model, latency ${latency} where links are shaped`) // oxfmt-ignore
  if (given.only !== 'failures') await overLinks()
  if (given.only !== 'links') await failures()
  console.log(`load ${loadavg()[0].toFixed(1)}`)
} finally {
  await rm(folder, { recursive: true })
}
