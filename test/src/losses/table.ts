/** The table of what losses cost: a row for each algorithm and fault, with medians. */
import type { MeasuredFault } from './faults.js'
import type { LossMethod } from './run-files.js'
import type { LossCost } from './measure.js'

const columns = [
  'algorithm',
  'fault',
  'the others train after',
  'who comes back trains after',
  'and stops the others for',
  'rounds skipped',
  'models apart',
  'loss, to that of those alone',
  'as expected'
]

/** The first two lines. */
export const head = `| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`

export function rowOf({ name }: LossMethod, { title }: MeasuredFault, all: readonly LossCost[], alone: number): string {
  const seconds = (field: 'resumed' | 'returned' | 'paused') => secondsText(median(all.map((each) => each[field])))
  const apart = Math.max(...all.map((each) => each.apart))
  const loss = ((median(all.map((each) => each.loss)) ?? Number.NaN) / alone - 1) * 100
  const good = all.filter(({ wrong }) => wrong.length === 0).length
  const cells = [
    `\`${name}\``,
    title,
    seconds('resumed'),
    seconds('returned'),
    seconds('paused'),
    median(all.map(({ rounds }) => rounds)) ?? '–',
    apart === 0 ? 'same bits' : apart.toExponential(0),
    `${loss < 0 ? '−' : '+'}${Math.abs(loss).toFixed(1)} %`,
    `${good} of ${all.length}`
  ]
  return `| ${cells.join(' | ')} |`
}

const secondsText = (time: number | undefined) => (time === undefined ? '–' : `${(time / 1000).toFixed(2)} s`)

/** Of those that are known; of an even number the lower middle one. */
function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1]
}
