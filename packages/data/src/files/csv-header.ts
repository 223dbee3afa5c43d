/** Whether the first line of a CSV file names its columns. */
import { isNumber, isWord, numberIn } from './cells.js'
import type { CsvScanner } from './csv-scanner.js'
import { labelNames } from './table-columns.js'

/** What is known about a table before its first line is read. */
export interface HeaderFacts {
  /** Whether the rows have a target: it may be a word although they have no names. */
  readonly hasTarget: boolean
  /** The name of the target's column, or `first` or `last`. */
  readonly target?: string | undefined
  /** 'numbers' for a target that is a real value. */
  readonly targets?: 'classes' | 'numbers' | undefined
  /** The names of columns that the table has if it has names. */
  readonly names?: readonly string[] | undefined
}

/** The rows below the first line that are looked at. */
const maxRows = 4096

/** The fewest rows that show what the columns have. */
const minRows = 4

/** The fewest columns whose names are surely 0, 1, 2, … rather than numbers of a row. */
const surelyNames = 4

/**
 * A first line is a header if any cell but that of the target, which may be a class, is neither a number nor a truth
 * value; if the target has a usual name; or if it has all known names. Numbers are names where they ascend or descend
 * and differ from all rows below, or are whole above fractions; and stand above a class that no row has, or are evenly
 * spaced.
 *
 * @param below - the rows below the first line
 */
export function isHeader(cells: readonly string[], facts: HeaderFacts, below: () => CsvScanner): boolean {
  const { hasTarget, target, targets, names = [] } = facts
  const at = !hasTarget ? -1 : target === 'first' ? 0 : cells.length - 1
  if (cells.some((cell, column) => column !== at && isWord(cell))) return true
  if (hasTarget && (labelNames.includes(cells[at].toLowerCase()) || cells.includes(target ?? ' '))) return true
  if (names.length > 0 && names.every((name) => cells.includes(name))) return true
  if (!hasTarget) return false
  if (targets === 'numbers' && isWord(cells[at])) return true
  return areNames(cells, at, targets !== 'numbers', below)
}

/** Whether numbers, perhaps after a cell without a name, are names. */
function areNames(cells: readonly string[], target: number, hasClasses: boolean, below: () => CsvScanner): boolean {
  const index = target > 0 && cells[0] === '' ? 0 : -1
  const named = cells.flatMap((_, column) => (column === index ? [] : [column]))
  const inputs = named.filter((column) => column !== target)
  if (inputs.length === 0 || !inputs.every((column) => isNumber(cells[column]))) return false
  const numbers = inputs.map((column) => Number(cells[column]))
  if (new Set(numbers).size < numbers.length) return false
  const isOrdered = stepOf(numbers) !== undefined
  const all = named.map((column) => cells[column])
  const spacing = all.every((cell) => /^-?\d+$/.test(cell)) ? spacingOf(all.map(Number)) : undefined
  const isWide = named.length >= surelyNames
  const isCount = spacing === 1 && (all[0] === '0' || all[0] === '1') && inputs.length > 1
  if (isWide && isCount) return true
  const rows = new RowsBelow(below(), cells, inputs, target)
  if (!(isOrdered ? rows.differ : rows.haveFractions)) return false
  return isCount || (isWide && spacing !== undefined) || (hasClasses && rows.haveOtherClasses)
}

/** 1 for numbers that ascend, -1 for those that descend, undefined for others. */
function stepOf(numbers: readonly number[]): number | undefined {
  return [1, -1].find((step) => numbers.every((number, n) => n === 0 || step * (number - numbers[n - 1]) > 0))
}

/** The difference of neighbours where all have the same. */
function spacingOf(numbers: readonly number[]): number | undefined {
  const spacing = numbers[1] - numbers[0]
  return numbers.every((number, n) => n === 0 || number - numbers[n - 1] === spacing) ? spacing : undefined
}

/** What the rows below a line of numbers have. */
class RowsBelow {
  /** Whether each column has only smaller or only larger numbers, or fractions below a whole one. */
  readonly differ: boolean
  /** Whether each column has fractions below a whole number. */
  readonly haveFractions: boolean
  /** Whether there are few classes, of which none is the first line's. */
  readonly haveOtherClasses: boolean

  constructor(scanner: CsvScanner, cells: readonly string[], inputs: readonly number[], target: number) {
    const ranges = inputs.map(() => ({ min: Infinity, max: -Infinity, isWhole: true }))
    const classes = new Set<string>()
    let count = 0
    for (; count < maxRows && scanner.next() && scanner.width === cells.length; count++) {
      classes.add(scanner.text(target))
      for (const [place, range] of ranges.entries()) {
        const value = numberIn(scanner.text(inputs[place]))
        range.min = Math.min(range.min, value)
        range.max = Math.max(range.max, value)
        range.isWhole &&= Number.isInteger(value)
      }
    }
    const names = inputs.map((column) => Number(cells[column]))
    const isOutside = (place: number) => names[place] < ranges[place].min || names[place] > ranges[place].max
    const isAboveFractions = (place: number) => Number.isInteger(names[place]) && !ranges[place].isWhole
    const isEnough = count >= minRows
    this.haveFractions = isEnough && names.every((_, place) => isAboveFractions(place))
    this.differ = isEnough && names.every((_, place) => isOutside(place) || isAboveFractions(place))
    this.haveOtherClasses = !classes.has(cells[target]) && classes.size <= count / 2
  }
}
