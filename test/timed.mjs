import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { performance } from 'node:perf_hooks'
import test from 'ava'

/**
 * Called by the files that gather.mjs writes: notes how long one takes from the start of its worker, for slowest.mjs.
 */
export function noteTime() {
  test.after.always('its time is noted', () => {
    const name = basename(new URL(test.meta.file).pathname, '.test.js')
    // Since this worker's loop began; `performance.now()` counts from the start of the process.
    const { active, idle } = performance.eventLoopUtilization()
    const seconds = (active + idle) / 1000
    const busy = active / 1000
    appendFileSync(new URL('./dist/times.jsonl', import.meta.url), `${JSON.stringify({ name, seconds, busy })}\n`)
  })
}
