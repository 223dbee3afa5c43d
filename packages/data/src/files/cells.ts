import type { Cell } from './distinct-cells.js'

/** A number that JavaScript reads, but no table has: 0x1f is an identifier. */
const otherBase = /^0[xob]/i

const truth = /^(true|false)$/i

/** Whether a cell is a truth value, as pandas, R or Parquet write it: True, TRUE or true. */
export const isTruth = (cell: Cell): boolean => typeof cell === 'string' && truth.test(cell)

/** Whether a cell holds a finite decimal number. */
export function isNumber(cell: Cell): boolean {
  return cell !== '' && Number.isFinite(Number(cell)) && !(typeof cell === 'string' && otherBase.test(cell))
}

/** The number in a cell: 1 for true, 0 for false, NaN where there is none. */
export function numberIn(cell: Cell): number {
  if (isNumber(cell)) return Number(cell)
  return isTruth(cell) ? Number(String(cell).toLowerCase() === 'true') : Number.NaN
}

/** Whether a cell has content that is neither a number nor a truth value. */
export function isWord(cell: Cell): boolean {
  return typeof cell === 'string' && cell !== '' && Number.isNaN(numberIn(cell))
}
