/** Imported by the files that gather.mjs writes: notes how long each takes, for slowest.mjs. */
import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { performance } from 'node:perf_hooks'
import test from 'ava'

const begin = performance.now()

test.after.always('its time is noted', () => {
  const name = basename(new URL(test.meta.file).pathname, '.test.js')
  const seconds = (performance.now() - begin) / 1000
  const busy = performance.eventLoopUtilization().active / 1000
  appendFileSync(new URL('./dist/times.jsonl', import.meta.url), `${JSON.stringify({ name, seconds, busy })}\n`)
})
