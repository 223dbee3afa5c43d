/** The table of a comparison. */
import Table from 'cli-table3'

const shortOf = ({ hash, changed = false }) => hash.slice(0, 7) + (changed ? ' with changes' : '')
const numberOf = (value) =>
  value === undefined ? '–' : Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 })
const rangeOf = (low, high) => `${low.toFixed(2)}..${high.toFixed(2)}`

/**
 * A row for each measurement, with a line for each figure; below, a line for each side that cannot run a measurement.
 */
export function tableOf({ machine, here, there, results }) {
  const sides = { here: shortOf(here), there: shortOf(there) }
  const head = ['', '', sides.here, sides.there, 'ratio', 'quartiles', 'interval', '']
  const colAligns = head.map((_, k) => (k < 2 ? 'left' : 'right'))
  const table = new Table({ head, style: { head: [], border: [] }, colAligns })
  for (const [name, { figures }] of Object.entries(results)) {
    const lines = figures.map(cellsOf)
    const columns = head.slice(1).map((_, k) => lines.map((cells) => cells[k]).join('\n'))
    table.push([name, ...columns])
  }
  const failures = Object.entries(results).flatMap(([name, { failed = {} }]) =>
    Object.entries(failed).map(([side, reason]) => `${name}: ${sides[side]} cannot run it: ${reason}`)
  )
  return [...headOf(machine, sides, results), table.toString(), ...failures].join('\n')
}

function headOf({ processors, model, node, load }, sides, results) {
  const all = [load, ...Object.values(results).flatMap((result) => result.load)]
  const [least, most] = [Math.min(...all), Math.max(...all)].map((value) => value.toFixed(1))
  return [
    `${processors} × ${model}, Node.js ${node}, load ${least} to ${most}`,
    `medians; ratio: ${sides.here} by ${sides.there}, pair by pair; interval: holds the median ratio with ${confidenceIn(results)}`
  ]
}

function confidenceIn(results) {
  const all = Object.values(results).flatMap(({ figures }) =>
    figures.flatMap(({ interval }) => interval?.confidence ?? [])
  )
  return all.length === 0 ? '–' : `${Math.floor(100 * Math.min(...all))} %`
}

function cellsOf({ figure, here, there, ratio, quartiles, interval, verdict }) {
  const values = [figure, numberOf(here), numberOf(there)]
  if (ratio === undefined) return [...values, '–', '–', '–', '']
  return [
    ...values,
    ratio.toFixed(2),
    rangeOf(...quartiles),
    rangeOf(interval.low, interval.high),
    verdict === 'same' ? '' : verdict
  ]
}
