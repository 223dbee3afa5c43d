import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { commandOf, type SoakOptions } from '../soak/options.js'
import type { SoakSummary } from '../soak/verdict.js'

/** With starting and ending, about a quarter of a minute; a busy machine needs longer for the minimum of faults. */
const timeout = timeLimit(40_000) / 1000
const options: SoakOptions = { minutes: 0.15, seed: 7, megabytes: 20, every: 4, timeout }

/** Runs the program as people do. */
function soak(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const args = commandOf(options).split(' ').slice(2)
  const child = spawn(process.execPath, [fileURLToPath(new URL('../soak/main.js', import.meta.url)), ...args])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => (stdout += String(data)))
  child.stderr.on('data', (data) => (stderr += String(data)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

test('over connections that are cut, half-closed and frozen, every version arrives complete, once and in order', async (t) => {
  t.timeout(timeLimit(600_000))
  const { code, stdout, stderr } = await soak()
  const again = `${stderr}\nto see it again: ${commandOf(options)}`
  // No process prints anything, not even a warning, such as one about too many listeners.
  t.is(stderr, '', again)
  t.is(code, 0, again)
  const { rounds, versions, faults, reconnections } = JSON.parse(stdout) as SoakSummary
  t.is(versions, 4 * 2 * rounds)
  const { freeze: _, ...cuts } = faults
  t.true(Object.values(cuts).reduce((sum, count) => sum + count, 0) >= 5, `${JSON.stringify(faults)}; ${again}`)
  t.true(reconnections > 0, again)
})
