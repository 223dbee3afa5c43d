/** Loaded into every process of a measurement (`--import`): as it ends, it writes down what it used. */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

function note() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { processor: (userCPUTime + systemCPUTime) / 1e6, memory: maxRSS / 1024 }
  appendFileSync(process.env.MURMURATION_BENCH_USAGE, `${JSON.stringify(usage)}\n`)
}

if (isMainThread) process.on('exit', note)
