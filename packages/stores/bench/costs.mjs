/**
 * What one operation of a store takes, alone on this machine: by the clock, and of it the store's own processor time,
 * which is what makes others wait. The simulator's costs (packages/experiment/src/sim/run/store-costs.ts) are these
 * figures. `node packages/stores/bench/costs.mjs [times]`
 */
import { readFileSync } from 'node:fs'
import { openStore } from '@murmuration/stores'
import { startMariaDb, startRedis } from '@murmuration/stores/programs'

const times = Number(process.argv[2] ?? 12)
const sizes = [0.004, 1, 21]
const ticksPerSecond = 100

/** Milliseconds of processor time of a process so far. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

const median = (values) => [...values].sort((left, right) => left - right)[values.length >> 1]

async function measure(name, program) {
  const store = await openStore({ url: program.url, run: 'bench', timeout: 60_000 })
  const rows = []
  for (const size of sizes) {
    const values = Float32Array.from({ length: (size * 1e6) / 4 }, (_, i) => Math.sin(i))
    const into = new Float32Array(values.length)
    // Small operations are shorter than a tick of the processor's accounts.
    const count = size < 0.1 ? 100 * times : times
    await store.set('x', values)
    const operations = {
      get: () => store.get('x', into),
      set: () => store.set('x', values),
      add: () => store.add('x', values)
    }
    for (const [operation, act] of Object.entries(operations)) {
      const n = operation === 'add' && size > 2 ? Math.ceil(count / 4) : count
      const taken = []
      const before = processorTime(program.pid)
      for (let i = 0; i < n; i++) {
        const start = performance.now()
        await act()
        taken.push(performance.now() - start)
      }
      rows.push({ name, operation, MB: size, ms: median(taken), storeMs: (processorTime(program.pid) - before) / n })
    }
  }
  await store.close()
  await program.end()
  return rows
}

const rows = [...(await measure('redis', await startRedis())), ...(await measure('mysql', await startMariaDb()))]
for (const { name, operation, MB, ms, storeMs } of rows)
  console.log(
    `${name.padEnd(6)} ${operation}  ${String(MB).padStart(6)} MB  ${ms.toFixed(2).padStart(9)} ms, of these the store computes ${storeMs.toFixed(2).padStart(8)} ms`
  )

/** A fixed part and a part by size, through the smallest and the largest. */
const line = (rows, field) => {
  const small = rows[0]
  const large = rows.at(-1)
  const perMB = Math.max(0, (large[field] - small[field]) / (large.MB - small.MB))
  return [Math.max(0, small[field] - perMB * small.MB), perMB]
}
for (const name of ['redis', 'mysql'])
  for (const operation of ['get', 'set', 'add']) {
    const own = rows.filter((row) => row.name === name && row.operation === operation)
    const [store, storePerMB] = line(own, 'storeMs')
    const [all, allPerMB] = line(own, 'ms')
    const round = (value) => Number(Math.max(0, value).toPrecision(2))
    const cost = { store: store, storePerMB, service: all - store, servicePerMB: allPerMB - storePerMB }
    console.log(
      name,
      operation,
      JSON.stringify(Object.fromEntries(Object.entries(cost).map(([key, value]) => [key, round(value)])))
    )
  }
