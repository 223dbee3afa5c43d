import type { Results, RunRecord, Setting } from '@murmuration/results'
import { secondsText, settingText } from '@murmuration/report'
import Table from 'cli-table3'
import { median } from 'simple-statistics'

/** With more rows than this, only the first and last value of every axis are shown. */
const maxRows = 16

/** The minimum width of a column, in characters. */
const narrowest = 13

/**
 * Medians over the seeds, a row per setting and a column per method: seconds to the target, or per round if there is no
 * target.
 */
export function simTable({ sweep, runs }: Results, columns: number): string {
  const all = [...new Map(runs.map((run) => [keyOf(run.settings), run.settings])).values()]
  const settings = all.length <= maxRows ? all : all.filter((setting) => isCorner(setting, sweep.axes))
  const axes = Object.keys(sweep.axes)
  const labels = sweep.methods.map(({ label }) => label)
  const axisWidth = 12
  const width = Math.floor((columns - 1 - axes.length * (axisWidth + 1)) / labels.length) - 1
  const colWidths = [...axes.map(() => axisWidth), ...labels.map(() => Math.max(narrowest, width))]
  const table = new Table({ head: [...axes, ...labels], style: { head: [], border: [] }, wordWrap: true, colWidths })
  const bySetting = grouped(runs)
  for (const setting of settings) {
    const cells = labels.map((label) => cellOf(bySetting.get(`${keyOf(setting)} ${label}`) ?? [], sweep.targetLoss))
    table.push([...axes.map((axis) => settingText(axis, setting[axis])), ...cells])
  }
  const quantity =
    sweep.targetLoss === undefined ? 'virtual time per round' : `virtual time to a loss of ${sweep.targetLoss}`
  const omitted =
    settings.length < all.length ? `; ${settings.length} of ${all.length} settings, the others are in the report` : ''
  return `${quantity}, median over ${sweep.seeds.length} ${sweep.seeds.length === 1 ? 'seed' : 'seeds'}${omitted}\n${table.toString()}`
}

function grouped(runs: readonly RunRecord[]): Map<string, RunRecord[]> {
  const groups = new Map<string, RunRecord[]>()
  for (const run of runs) {
    const key = `${keyOf(run.settings)} ${run.method}`
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return groups
}

function cellOf(runs: readonly RunRecord[], targetLoss: number | undefined): string {
  if (runs.length === 0) return '–'
  const failed = runs.filter(({ outcome }) => outcome === 'failed').length
  if (failed === runs.length) return 'failed'
  const times =
    targetLoss === undefined
      ? runs.filter(({ outcome }) => outcome !== 'failed').map(timePerRound)
      : runs.map(({ toTarget }) => toTarget?.seconds ?? Number.POSITIVE_INFINITY)
  const time = median(times)
  if (time === Number.POSITIVE_INFINITY) return targetLoss === undefined ? 'no round' : 'not reached'
  return secondsText(time)
}

/** A run that completed no round counts as slower than all others. */
function timePerRound({ rounds, secondsPerRound }: RunRecord): number {
  return rounds === 0 ? Number.POSITIVE_INFINITY : secondsPerRound
}

function isCorner(setting: Readonly<Record<string, Setting>>, axes: Results['sweep']['axes']): boolean {
  return Object.entries(axes).every(([axis, values]) => [values[0], values.at(-1)].includes(setting[axis]))
}

function keyOf(settings: Readonly<Record<string, Setting>>): string {
  return JSON.stringify(settings)
}
