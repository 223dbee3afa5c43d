/**
 * What a write takes when so many services read, change and write an object of 21 MB in one store, each in a process of
 * its own: all the time, or with a pause after each write, as services have that wait for workers.
 *
 *   node packages/stores/bench/services.mjs [sets of each configuration] [chunks] [pause in ms] [configurations]
 *
 * Configurations are given as `redis-5,redis-6`. A line is printed for each; `set-times.mjs` draws them beside the
 * study's figures. Of a configuration that is there twice it takes the last line, so that one can be measured again, or
 * added to a file.
 */
import { fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MeteredStore } from '@murmuration/algorithms'
import { openStore } from '@murmuration/stores'
import { startMariaDb, startRedis } from '@murmuration/stores/programs'

const bytes = 21e6

/**
 * One service: its part of the sets. Pauses are drawn from an exponential distribution, so that services do not fall
 * into step.
 */
async function serve({ url, sets, chunks, pause }) {
  const store = await openStore({ url, run: 'study', timeout: 120_000 })
  const metered = new MeteredStore(store, () => performance.now())
  const values = Array.from({ length: chunks }, () => new Float32Array(Math.floor(bytes / 4 / chunks)))
  for (const [place, x] of values.entries()) await store.create(`x${place}`, x)
  process.send('ready')
  await new Promise((resolve) => process.once('message', resolve))
  for (let k = 0; k < sets; k++) {
    if (pause > 0) await delay(-pause * Math.log(1 - Math.random()))
    for (const [place, x] of values.entries()) {
      await metered.get(`x${place}`, x)
      for (let i = 0; i < x.length; i++) x[i] += 1e-3
      await metered.set(`x${place}`, x)
    }
  }
  process.send(metered.figures)
  await store.close()
  process.disconnect()
}

async function measure(program, services, { sets, chunks, pause }) {
  const each = Math.ceil(sets / services)
  const children = Array.from({ length: services }, () =>
    fork(fileURLToPath(import.meta.url), ['service', JSON.stringify({ url: program.url, sets: each, chunks, pause })])
  )
  const message = (child) =>
    new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`a service ended with code ${code}`)))
    })
  await Promise.all(children.map(message))
  const start = performance.now()
  const answers = children.map(message)
  for (const child of children) child.send('go')
  const figures = await Promise.all(answers)
  const seconds = (performance.now() - start) / 1000
  const sum = (field) => figures.reduce((total, of) => total + of[field], 0)
  return {
    services,
    sets: each * services,
    chunks,
    pause,
    msPerGet: (sum('getTime') / sum('gets')) * chunks,
    msPerSet: (sum('setTime') / sum('sets')) * chunks,
    setsPerSecond: (each * services) / seconds,
    overwritten: sum('overwritten') / sum('sets')
  }
}

if (process.argv[2] === 'service') await serve(JSON.parse(process.argv[3]))
else {
  const [sets = 240, chunks = 1, pause = 0] = process.argv.slice(2, 5).map(Number)
  const programs = { redis: () => startRedis(), mysql: () => startMariaDb() }
  const all = ['redis-1', 'redis-3', 'redis-5', 'redis-6', 'mysql-3']
  const wanted = process.argv[5]?.split(',') ?? all
  for (const configuration of wanted) {
    const [name, services] = configuration.split('-')
    if (!(name in programs && Number(services) >= 1))
      throw new Error(`found the configuration ${configuration}, expected some such as ${all.join(',')}`)
  }
  for (const configuration of wanted) {
    const [name, services] = configuration.split('-')
    const program = await programs[name]()
    try {
      const row = await measure(program, Number(services), { sets, chunks, pause })
      const shown = Object.entries(row).map(([key, value]) => `${key} ${Number(value.toPrecision(3))}`)
      console.log(name, shown.join('  '))
    } finally {
      await program.end()
    }
  }
}
