// Results are a file with a line of JSON for each run; existing lines are not computed again.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { tasksOf } from './engine.mjs'
import { plainSgd } from './plain.mjs'

/**
 * The lines of a file by their keys, and `once`: the line of a key, which is computed and appended if it does not
 * exist.
 */
export function openResults(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [] // oxfmt-ignore
  const known = new Map(lines.map((line) => [line.key, line]))
  const once = async (key, work) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const before = process.cpuUsage()
    const result = await work()
    const { user, system } = process.cpuUsage(before)
    const line = { key, ...result, cpu: Math.round((user + system) / 1e4) / 100 }
    known.set(key, line)
    appendFileSync(file, JSON.stringify(line) + '\n')
    process.stderr.write(`${key}: ${line.round ?? JSON.stringify(line.ms ?? 'done')} (${line.cpu} s)\n`)
    return line
  }
  return { known, once }
}

/** For each seed, 95 % of the accuracy of plain SGD with the joint batch at the best of the rates. */
export function targetsOf(once, setup) {
  return async (seed) => {
    const line = await once(`plain ${seed}`, async () => {
      const { union } = await tasksOf(setup.peers, seed, setup.data)
      const ends = []
      for (const rate of setup.rates) {
        const curve = await plainSgd(union, { seed, rate, batch: setup.batch * setup.peers.length, rounds: setup.plainRounds, every: setup.every }) // oxfmt-ignore
        const last = curve.slice(-10).map(([, accuracy]) => accuracy)
        ends.push(last.reduce((sum, each) => sum + each, 0) / last.length)
      }
      return { accuracy: Math.max(...ends), ends }
    })
    return 0.95 * line.accuracy
  }
}
