import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { InputError, messageOf } from '@murmuration/core'
import { decompress } from 'fzstd'
import {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type SchemaElement,
  snappyUncompress
} from 'hyparquet'
import { ParquetPages } from './parquet-pages.js'
import { listsFit } from './parquet-thrift.js'
import { type Cell, type Distinct, DistinctCells } from './distinct-cells.js'
import { firstRepeated, isNumber, maxCells, maxColumns } from './table.js'

/** The cells of a column, in the order of the rows. */
export interface ParquetColumn {
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
    const elements = elementsOf(metadata)
    const count = countOf(metadata, elements.length)
    const pages = new ParquetPages(bytes, compressors)
    const root = parquetSchema(metadata)
    const columns = root.children.map((column, index) => {
      const groups = metadata.row_groups.map(({ columns, num_rows }) =>
        pages.valuesOf(columns[index], Number(num_rows), [root, column])
      )
      return columnIn(groups, column.element, count)
    })
    return { names: elements.map(({ name }) => name.trim()), count, columns }
  } catch (error) {
    return { problem: problemIn(error) }
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

/** The columns, each with one value per row. Throws an InputError for other ones. */
function elementsOf({ schema: [root, ...elements], row_groups }: FileMetaData): readonly SchemaElement[] {
  const isFlat = root.num_children === elements.length
  for (const { name, type, converted_type, logical_type, num_children, repetition_type } of elements) {
    const unsupported = [converted_type, logical_type?.type].find((each) => !types.includes(each))
    const found =
      num_children || repetition_type === 'REPEATED' || !isFlat
        ? 'several values per row'
        : type === 'INT96'
          ? type
          : unsupported
    const isUnscaled = logical_type?.type === 'DECIMAL' && converted_type !== 'DECIMAL'
    if (found === undefined && !isUnscaled) continue
    throw new InputError(
      `column "${name}" has ${found ?? 'decimals without a scale'}; expected numbers, texts or booleans: leave the column out, or convert it`
    )
  }
  if (elements.length > maxColumns) throw new InputError(`${elements.length} columns, expected at most ${maxColumns}`)
  const names = elements.map(({ name }) => name.trim())
  const duplicate = firstRepeated(names)
  if (duplicate !== undefined) throw new InputError(`two columns are named "${duplicate}", expected each name once`)
  const codec = row_groups.flatMap(({ columns }) => columns).find(({ meta_data }) => !isKnown(meta_data?.codec))
  if (codec === undefined) return elements
  throw new InputError(
    `is compressed by ${codec.meta_data?.codec ?? 'an unknown codec'}, expected ${Object.keys(compressors).join(', ')} or UNCOMPRESSED: write it with one of these`
  )
}

const isKnown = (codec = '') => codec === 'UNCOMPRESSED' || codec in compressors

/** The number of rows. Throws an InputError when there are too many cells, or the row groups do not add up to the total. */
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
    this.#numbers[row] = typeof cell === 'number' || isNumber(cell) ? Number(cell) : Number.NaN
    if (typeof cell !== 'number' && !isNumber(cell)) this.#word ??= { cell, row }
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
        return value.trim()
      case 'boolean':
        return String(value)
      default:
        return ''
    }
  }
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
