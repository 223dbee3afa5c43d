/**
 * Compares this working tree, as it is built, with another commit, which it builds beside it. README.md says how to
 * read it.
 */
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine, save } from '../machine.mjs'
import { buildCommit, describeCommit } from './commit.mjs'
import { compared, takePairs } from './compare.mjs'
import { measurements } from './measurements.mjs'
import { tableOf } from './table.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const say = (line) => process.stderr.write(`${line}\n`)

/** The exit code of a program that Ctrl-C ends. */
const interrupted = 130

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      against: { type: 'string' },
      only: { type: 'string', default: Object.keys(measurements).join(',') },
      pairs: { type: 'string', default: '7' },
      cache: { type: 'string' },
      json: { type: 'string', default: fileURLToPath(new URL('../results/against.json', import.meta.url)) }
    }
  })
  const only = values.only.split(',')
  const unknown = only.find((name) => !Object.hasOwn(measurements, name))
  if (unknown !== undefined)
    throw new Error(`there is no measurement "${unknown}"; there are ${Object.keys(measurements)}`)
  const pairs = Number(values.pairs)
  if (!(Number.isInteger(pairs) && pairs > 0)) throw new Error(`${values.pairs} pairs cannot be; give 1, 2, …`)
  return { ...values, only, pairs }
}

/** Aborts at Ctrl-C, so that all that was built and started is removed; a second Ctrl-C ends the program at once. */
function stopSignal() {
  const stop = new AbortController()
  const abort = (name) => stop.abort(Object.assign(new Error(`stopped by ${name}`), { exitCode: interrupted }))
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, abort)
  return stop.signal
}

export async function guard(args) {
  const { against, only, pairs, cache, json } = optionsOf(args)
  const signal = stopSignal()
  const here = await describeCommit(root, 'HEAD', signal)
  const there = await describeCommit(root, against, signal)
  const report = {
    began: new Date().toISOString(),
    machine: machine(),
    here,
    there: { hash: there.hash },
    pairs,
    results: {}
  }
  const clone = await buildCommit({ root, hash: there.hash, cache, signal, say })
  try {
    const sides = { here: root, there: clone.folder }
    for (const name of only) report.results[name] = await compareIn(name, { sides, pairs, signal })
  } finally {
    await clone.remove()
    process.stdout.write(`${tableOf(report)}\n`)
    await save(report, json)
  }
}

async function compareIn(name, settings) {
  const began = performance.now()
  const result = await takePairs({ measurement: measurements[name], ...settings })
  const seconds = Math.round((performance.now() - began) / 1000)
  say(`${name}: ${result.load.length} pairs in ${seconds} s, load ${loadavg()[0].toFixed(1)}`)
  return { ...result, figures: compared(result) }
}
