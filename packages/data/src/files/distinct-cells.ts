/** The content of a cell: text, '' for nothing; or a number, where the file has types. */
export type Cell = string | number

/** The maximum bytes of a cell of which a text is made: a name, a class, or a number that is not only digits. */
export const maxTextBytes = 2 ** 16

/**
 * The maximum number of distinct cells of a column, ten times that of classes, since numbers may be written in several
 * ways.
 */
const maxCells = 100_000

/** The maximum characters of all of them together. */
const maxCharacters = 2 ** 24

/** The distinct cells of a column, and which of them each row has: few are distinct where they are classes. */
export interface Distinct {
  /** In the order in which they first occur. */
  readonly cells: readonly Cell[]
  /** The row in which each first occurs. */
  readonly firstRows: readonly number[]
  /** The number of each row's cell. */
  readonly numbers: Uint32Array<ArrayBuffer>
  /** Whether the cells are too many, or too long, to be classes; the list ends then. */
  readonly isFull: boolean
}

/** Collects distinct cells. */
export class DistinctCells implements Distinct {
  readonly cells: Cell[] = []
  readonly firstRows: number[] = []
  readonly numbers: Uint32Array<ArrayBuffer>
  isFull = false
  readonly #cellOf: (value: unknown) => Cell
  readonly #numberOf = new Map<unknown, number>()
  #characters = 0

  /**
   * @param rows - the maximum number of rows
   * @param cellOf - the cell of a value
   */
  constructor(rows: number, cellOf: (value: unknown) => Cell = String) {
    this.numbers = new Uint32Array(rows)
    this.#cellOf = cellOf
  }

  /** Notes the value of a row, and returns its cell unless there are too many. */
  add(row: number, value: unknown): Cell | undefined {
    const number = this.#numberOf.get(value) ?? this.#added(row, value)
    if (number === undefined) return undefined
    this.numbers[row] = number
    return this.cells[number]
  }

  #added(row: number, value: unknown): number | undefined {
    const cell = this.#cellOf(value)
    this.#characters += String(cell).length
    this.isFull ||= this.cells.length === maxCells || this.#characters > maxCharacters
    if (this.isFull) return undefined
    this.#numberOf.set(value, this.cells.length)
    this.firstRows.push(row)
    return this.cells.push(cell) - 1
  }
}
