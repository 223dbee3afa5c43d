import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { InputError, messageOf } from '@murmuration/core'
import { decompress } from 'fzstd'
import {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
  snappyUncompress
} from 'hyparquet'
import { ParquetPages } from './parquet-pages.js'
import { listsFit } from './parquet-thrift.js'
import { type Cell, type Distinct, DistinctCells } from './distinct-cells.js'
import { isWord, numberIn } from './cells.js'
import { firstRepeated, maxCells, maxColumns } from './table.js'

/** The cells of a column, in the order of the rows. */
export interface ParquetColumn {
  /** Why the column cannot be read; it then has no cells. */
  readonly problem?: string
  /** NaN for a cell that holds no number. */
  readonly numbers: Float64Array<ArrayBuffer>
  /** The first cell that holds no finite number, and its row from 0; absent where all do. */
  readonly word?: { readonly cell: Cell; readonly row: number }
  /** The distinct cells of a column with others than numbers; absent where all are numbers. */
  readonly classes?: Distinct
}

/** The content of a Parquet file, or what is wrong with it. */
export type ParquetAnswer =
  | { readonly names: readonly string[]; readonly count: number; readonly columns: readonly ParquetColumn[] }
  | { readonly problem: string }

/** Types of numbers, of truth values and of texts, as a file names them; other types have no equivalent in CSV. */
const types: readonly (string | undefined)[] = [
  ...[undefined, 'UTF8', 'ENUM', 'DECIMAL', 'STRING', 'INTEGER', 'FLOAT16', 'NULL'],
  ...[8, 16, 32, 64].flatMap((bits) => [`INT_${bits}`, `UINT_${bits}`])
]

const again = 'it is truncated or damaged, write or fetch it again'

/** Decodes a file whose first and last bytes are right. Does not throw: errors are part of the answer. */
export function columnsIn(bytes: Uint8Array<ArrayBuffer>): ParquetAnswer {
  try {
    checkFooter(bytes)
    const metadata = parquetMetadata(bytes, { geoparquet: false })
    const root = parquetSchema(metadata)
    const elements = elementsOf(root)
    const count = countOf(metadata, leavesOf(root))
    const pages = new ParquetPages(bytes, compressors)
    let leaf = 0
    const columns = root.children.map((column): ParquetColumn => {
      const first = leaf
      leaf += leavesOf(column)
      const problem = unsupported(column) ?? packedProblem(metadata, first)
      if (problem !== undefined) return { numbers: new Float64Array(0), problem }
      const groups = metadata.row_groups.map(({ columns, num_rows }) =>
        pages.valuesOf(columns[first], Number(num_rows), [root, column])
      )
      return readable(() => columnIn(groups, column.element, count))
    })
    return { names: elements.map(({ name }) => textOf(name)), count, columns }
  } catch (error) {
    return { problem: problemIn(error) }
  }
}

/** A column, or why its texts cannot be read. */
function readable(read: () => ParquetColumn): ParquetColumn {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotUtf8Error) return { numbers: new Float64Array(0), problem: error.message }
    throw error
  }
}

/** The length of the footer precedes the last four bytes. */
function checkFooter({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const length = new DataView(buffer, byteOffset).getUint32(byteLength - 8, true)
  const view = new DataView(buffer, byteOffset + byteLength - 8 - length, length)
  if (!listsFit({ view, offset: 0 })) throw new InputError(`its footer claims more values than it has; ${again}`)
}

/** The decoder does not check for missing parts, and its own errors help no user. */
function problemIn(error: unknown): string {
  if (error instanceof InputError) return error.message
  const detail = error instanceof TypeError || error instanceof RangeError ? '' : ` (${messageOf(error)})`
  return `cannot be decoded${detail}; ${again}`
}

/** The columns by their elements. Throws an InputError for too many, and for a name that two have. */
function elementsOf({ children }: SchemaTree): readonly SchemaElement[] {
  if (children.length > maxColumns) throw new InputError(`${children.length} columns, expected at most ${maxColumns}`)
  const elements = children.map(({ element }) => element)
  const duplicate = firstRepeated(elements.map(({ name }) => textOf(name)))
  if (duplicate !== undefined) throw new InputError(`two columns are named "${duplicate}", expected each name once`)
  return elements
}

/** The columns that a file has for one of the schema: several where a row has several values. */
const leavesOf = ({ children }: SchemaTree): number =>
  children.length === 0 ? 1 : children.reduce((sum, child) => sum + leavesOf(child), 0)

/** Why a column has no equivalent in CSV. */
function unsupported({ element }: SchemaTree): string | undefined {
  const { name, type, converted_type, logical_type, num_children, repetition_type } = element
  const other = [converted_type, logical_type?.type].find((each) => !types.includes(each))
  const isNested = Boolean(num_children) || repetition_type === 'REPEATED'
  const found = isNested ? 'several values per row' : type === 'INT96' ? type : other
  const isUnscaled = logical_type?.type === 'DECIMAL' && converted_type !== 'DECIMAL'
  if (found === undefined && !isUnscaled) return undefined
  return `column "${name}" has ${found ?? 'decimals without a scale'}; expected numbers, texts or booleans: leave the column out with ignore: [${name}], or convert it`
}

/** What is wrong with the compression of a column. */
function packedProblem({ row_groups }: FileMetaData, column: number): string | undefined {
  const codec = row_groups.map(({ columns }) => columns[column]?.meta_data?.codec).find((each) => !isKnown(each))
  if (codec === undefined) return undefined
  return `is compressed by ${codec}, expected ${Object.keys(compressors).join(', ')} or UNCOMPRESSED: write it with one of these`
}

const isKnown = (codec = '') => codec === 'UNCOMPRESSED' || codec in compressors

/**
 * The number of rows. Throws an InputError when there are too many cells, or the row groups do not add up to the total.
 */
function countOf({ num_rows, row_groups }: FileMetaData, width: number): number {
  const count = Number(num_rows)
  const grouped = row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0)
  if (grouped !== count || row_groups.some((group) => Number(group.num_rows) < 0 || group.columns.length !== width))
    throw new InputError(
      `the footer claims ${count} rows of ${width} columns, and its groups have ${grouped} rows; ${again}`
    )
  if (count * width <= maxCells) return count
  throw new InputError(
    `${count} rows of ${width} columns, expected at most ${maxCells} cells; write the rows to several files`
  )
}

/** The cells of one column, which is decoded page by page. */
function columnIn(
  groups: readonly Iterable<ArrayLike<unknown>>[],
  element: SchemaElement,
  count: number
): ParquetColumn {
  const cells = new ColumnCells(count, cellOf(element))
  for (const pages of groups) for (const values of pages) cells.add(values)
  if (cells.count === count) return cells.column()
  throw new InputError(`column "${element.name}" has ${cells.count} values, expected ${count}; ${again}`)
}

/** Collects the cells of a column: numbers, and distinct texts from the first one on. */
class ColumnCells {
  count = 0
  readonly #numbers: Float64Array<ArrayBuffer>
  readonly #cellOf: (value: unknown) => Cell
  #word: ParquetColumn['word']
  #classes: DistinctCells | undefined

  constructor(rows: number, cellOf: (value: unknown) => Cell) {
    this.#numbers = new Float64Array(rows)
    this.#cellOf = cellOf
  }

  column(): ParquetColumn {
    return {
      numbers: this.#numbers,
      ...(this.#word && { word: this.#word }),
      ...(this.#classes && { classes: this.#classes })
    }
  }

  add(values: ArrayLike<unknown>): void {
    const end = Math.min(this.#numbers.length, this.count + values.length)
    for (let index = 0; this.count < end; index++, this.count++) this.#addCell(this.count, values[index])
  }

  #addCell(row: number, value: unknown): void {
    if (this.#classes === undefined) {
      const cell = this.#cellOf(value)
      if (typeof cell === 'number') {
        this.#numbers[row] = cell
        return
      }
      this.#classes = this.#classesBefore(row)
    }
    const cell = this.#classes.add(row, value) ?? this.#cellOf(value)
    this.#numbers[row] = typeof cell === 'number' ? cell : numberIn(cell)
    if (cell === '' || isWord(cell)) this.#word ??= { cell, row }
  }

  #classesBefore(row: number): DistinctCells {
    const classes = new DistinctCells(this.#numbers.length, this.#cellOf)
    for (let earlier = 0; earlier < row; earlier++) classes.add(earlier, this.#numbers[earlier])
    return classes
  }
}

/** The cell that CSV would have for a value: empty for null, a decimal number with its digits. */
function cellOf({ converted_type, scale = 0 }: SchemaElement): (value: unknown) => Cell {
  return (value) => {
    switch (typeof value) {
      case 'number':
        return converted_type === 'DECIMAL' ? Number(value.toFixed(scale)) : value
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
      case 'string':
        return textOf(value)
      case 'boolean':
        return String(value)
      default:
        return ''
    }
  }
}

class NotUtf8Error extends InputError {}

/**
 * A text without blanks around it, in one normal form of Unicode. Throws an InputError for U+FFFD, with which the
 * decoder replaces what is not UTF-8: different texts would become one.
 */
function textOf(text: string): string {
  if (!text.includes('\uFFFD')) return text.trim().normalize()
  throw new NotUtf8Error(`has the text "${text.slice(0, 40)}", which is not UTF-8; write the texts as UTF-8`)
}

// The lengths are those of pages, which were checked.
const compressors = {
  SNAPPY: (input, length) => {
    const output = new Uint8Array(length)
    snappyUncompress(input, output)
    return output
  },
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: length }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: length }),
  ZSTD: (input, length) => decompress(input, new Uint8Array(length))
} satisfies Compressors
