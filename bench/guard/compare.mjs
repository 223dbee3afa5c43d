/** Lets two commits take turns in one measurement after the other, and compares them pair by pair. */
import { loadavg } from 'node:os'
import { medianInterval, quantile, spreadOf } from '../statistics.mjs'
import { measure } from './command.mjs'
import { figuresOf } from './measurements.mjs'

/** A run of a measurement may take so many milliseconds. */
const runTimeout = 900_000

/** Of fewer than 5 pairs an interval says too little to call a figure changed. */
const minConfidence = 0.9

/**
 * Runs a measurement `pairs` times on both sides. The side that begins changes from pair to pair, and neighbours in
 * time make a pair.
 *
 * @param sides - folders of the two clones, by name: `here` and `there`
 * @returns the figures of all runs per side, the load at each pair, and, where a side cannot run it, `failed` by side
 */
export async function takePairs({ measurement, sides, pairs, signal }) {
  const result = { load: [], runs: { here: [], there: [] } }
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? ['here', 'there'] : ['there', 'here']
    result.load.push(loadavg()[0])
    for (const side of order) {
      try {
        result.runs[side].push(await runOnce(measurement, sides[side], signal))
      } catch (error) {
        signal.throwIfAborted()
        result.failed = { ...result.failed, [side]: error.message.split('\n', 1)[0] }
      }
    }
    if (result.failed !== undefined) break
  }
  return result
}

async function runOnce(measurement, clone, signal) {
  return figuresOf(measurement, await measure(measurement.command(clone), { cwd: clone, timeout: runTimeout, signal }))
}

/**
 * Per figure: medians of both sides, and the median ratio of the pairs, here by there, with its quartiles and interval.
 */
export function compared({ runs: { here, there } }) {
  const names = Object.keys(here[0] ?? there[0] ?? {})
  return names.map((figure) => {
    const valuesOf = (runs) => runs.map((figures) => figures[figure])
    const ours = valuesOf(here)
    const others = valuesOf(there)
    const ratios = ours.slice(0, others.length).map((value, pair) => value / others[pair])
    return {
      figure,
      here: spreadOf(ours)?.median,
      there: spreadOf(others)?.median,
      ...(ratios.length > 0 && ratioOf(ratios))
    }
  })
}

function ratioOf(ratios) {
  const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)]
  const interval = medianInterval(ratios, 0.95)
  const known = interval.confidence >= minConfidence
  const verdict = known && interval.low > 1 ? 'more' : known && interval.high < 1 ? 'less' : 'same'
  return { ratio: spreadOf(ratios).median, quartiles, interval, verdict }
}
