/** What "murmur advise" prints of a model in stages. */
import { perBatch, type StageAdvice } from '@murmuration/experiment/advise'
import Table from 'cli-table3'

/** A line for each plan, the fastest first, and one with what holds for all. Times in milliseconds, memory in bytes. */
export function stageLines({ plans, ...rest }: StageAdvice): readonly object[] {
  return [
    ...plans.map((plan, index) => ({ kind: 'plan', place: index + 1, ...plan, perBatch: perBatch(plan) })),
    { kind: 'summary', ...rest }
  ]
}

/** The same as a table, with what one machine would take. */
export function stageText({ plans, batch, alone, needed, memory }: StageAdvice): string {
  const head = ['stages', 'lines', 'cut before layers', 'split size', 'a round', 'of it averaging', 'idle', 'a batch']
  const table = new Table({ head, style: { head: [], border: [] }, wordWrap: true })
  for (const plan of plans) {
    const { lines, cuts, splitSize, round, averaging, idle } = plan
    const names = lines.map((line) => line.join(' \u2192 ')).join('\n')
    const times = [timeText(round), timeText(averaging), `${Math.round(100 * idle)} %`, timeText(perBatch(plan))]
    table.push([cuts.length + 1, names, cuts.join(', '), splitSize, ...times])
  }
  const [best] = plans
  const ratio = alone / perBatch(best)
  const has = memory === undefined ? '' : `, and the peers have ${megabytes(memory)}`
  const faster =
    ratio >= 1
      ? `The first plan takes a batch in 1/${ratio.toPrecision(2)} of that.`
      : `It is ${(1 / ratio).toPrecision(2)} times as fast as the first plan: cut only what has no room.`
  return [
    `The model takes at least ${megabytes(needed)} in one process${has}. Passes of each layer were measured on this machine; the links add what they carry.`,
    table.toString(),
    `One machine with room for the whole model takes a batch of ${batch} in ${timeText(alone)}. ${faster}`
  ].join('\n')
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function timeText(milliseconds: number): string {
  const [value, unit] = milliseconds < 1000 ? [milliseconds, 'ms'] : [milliseconds / 1000, 's']
  return `${Number(value.toPrecision(3))} ${unit}`
}
