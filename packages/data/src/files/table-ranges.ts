/** Columns with values that training cannot bear: inputs and targets should be about 1. */
import type { Samples } from '../samples.js'
import type { Table } from './table.js'

/** Values beyond this are named. */
const maxUnnamed = 100

/** A column, and its values. */
interface ColumnRange {
  readonly column: number
  least: number
  largest: number
}

/**
 * Which columns have large values, and what to do.
 *
 * @param numbers - of all tables, row after row
 * @param inputs - how many of a row's numbers are inputs; a target follows if it is a number
 */
export function largeColumns({ names, wanted }: Table, numbers: Float32Array, inputs: number): Samples['unscaled'] {
  const ranges = wanted.numbers.map((column): ColumnRange => ({ column, least: Infinity, largest: -Infinity }))
  for (let at = 0; at < numbers.length;)
    for (const range of ranges) {
      const value = numbers[at++]
      if (value < range.least) range.least = value
      if (value > range.largest) range.largest = value
    }
  const text = ({ column, least, largest }: ColumnRange) =>
    `column ${names?.[column] ? `"${names[column]}"` : column + 1} has values from ${short(least)} to ${short(largest)}`
  const [first, ...others] = ranges
    .slice(0, inputs)
    .filter((range) => sizeOf(range) > maxUnnamed)
    .sort((left, right) => sizeOf(right) - sizeOf(left))
  const more = others.length === 0 ? '' : `, and ${others.length} more beyond ±${maxUnnamed}`
  const target = ranges.slice(inputs).find((range) => sizeOf(range) > maxUnnamed)
  if (first === undefined && target === undefined) return undefined
  return {
    ...(first && { inputs: `${text(first)}${more}; write data: { path: …, scale: standard }` }),
    ...(target && { target: `the target, ${text(target)}; give it in larger units` })
  }
}

function sizeOf({ least, largest }: ColumnRange): number {
  return Math.max(-least, largest)
}

function short(value: number): number {
  return Number(value.toPrecision(3))
}
