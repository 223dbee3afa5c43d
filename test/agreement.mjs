/**
 * `npm run agreement -- deaths=1 restarts=1 ballots=2`: explores every state of three peers that agree on epochs, with
 * so many faults of each kind, ballots of each peer and epochs.
 */
import { fileURLToPath } from 'node:url'

const folder = new URL('../packages/engine/dist/', import.meta.url)
const load = (file) => import(fileURLToPath(new URL(file, folder)))
const { agreementModel, isSize } = await load('epochs/agreement-model.test.support.js')
const { agreementWith } = await load('epochs/open-agreement.test.support.js')
const { explore } = await load('edges/explore.test.support.js')

const size = Object.fromEntries(process.argv.slice(2).map((text) => text.split('=')))
for (const [name, count] of Object.entries(size)) {
  if (!isSize(name) || !/^\d+$/.test(count)) {
    console.error(
      `found "${name}=${count}"; expected counts of deaths, restarts, mistakes, failures, rounds, ballots, epochs`
    )
    process.exit(2)
  }
  size[name] = Number(count)
}
const start = performance.now()
const { states, problem } = explore(agreementModel({ agreement: await agreementWith(), ...size }))
console.log(`${states} states, ${Math.round((performance.now() - start) / 1000)} s`)
if (problem !== undefined) {
  console.log([problem.text, ...problem.steps].join('\n'))
  process.exitCode = 1
}
