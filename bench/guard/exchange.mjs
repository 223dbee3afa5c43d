/**
 * Exchange and average of two peers, by the bench of a clone: three batches of the same two processes, medians, one
 * line of JSON.
 *
 *     node bench/guard/exchange.mjs CLONE MEGABYTES
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { spreadOf } from '../statistics.mjs'

const [clone, megabytes] = process.argv.slice(2)
const suite = await import(pathToFileURL(resolve(clone, 'bench/suites/exchange.mjs')).href)
const said = []
const [row] = await suite.measureShape({
  kinds: ['murmuration'],
  megabytes: Number(megabytes),
  shape: [[1], [0]],
  repeats: 3,
  keep: true,
  say: (line) => said.push(line)
})
if (row === undefined) throw new Error(said.at(-1))
const median = (pick) => spreadOf(row.turns.map(pick)).median
const perRound = {
  ms: median(({ ms, rounds }) => ms / rounds),
  processor: median(({ cpu }) => cpu * 2 * Number(megabytes))
}
process.stdout.write(`${JSON.stringify({ ...perRound, memory: median(({ memory }) => memory) })}\n`)
