import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { InputError, messageOf } from '@murmuration/core'
import { decompress } from 'fzstd'
import {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  type SchemaElement,
  snappyUncompress
} from 'hyparquet'
import { checkPages } from './parquet-pages.js'
import type { Cell } from './table.js'

/** The cells of a column, in the order of the rows; a Float64Array if all are numbers. */
export type ParquetColumn = Float64Array<ArrayBuffer> | readonly Cell[]

/** The content of a Parquet file, or what is wrong with it. */
export type ParquetAnswer =
  | { readonly names: readonly string[]; readonly count: number; readonly columns: readonly ParquetColumn[] }
  | { readonly problem: string }

/** The maximum cells of a file, 2^25. */
const cellLimit = 2 ** 25

/** Types of numbers, of truth values and of texts, as a file names them; other types have no equivalent in CSV. */
const types: readonly (string | undefined)[] = [
  ...[undefined, 'UTF8', 'ENUM', 'DECIMAL', 'STRING', 'INTEGER', 'FLOAT16', 'NULL'],
  ...[8, 16, 32, 64].flatMap((bits) => [`INT_${bits}`, `UINT_${bits}`])
]

const again = 'it is truncated or damaged, write or fetch it again'

/** Decodes a file whose first and last bytes are right. Does not throw: errors are part of the answer. */
export async function columnsIn(bytes: Uint8Array<ArrayBuffer>): Promise<ParquetAnswer> {
  try {
    const metadata = parquetMetadata(bytes, { geoparquet: false })
    const elements = elementsOf(metadata)
    const count = countOf(metadata, elements.length)
    checkPages(bytes, metadata)
    const columns: ParquetColumn[] = []
    for (const element of elements) columns.push(await columnIn(bytes, metadata, element, count))
    return { names: elements.map(({ name }) => name.trim()), count, columns }
  } catch (error) {
    return { problem: problemIn(error) }
  }
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
  const names = elements.map(({ name }) => name.trim())
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
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
  if (count * width <= cellLimit) return count
  throw new InputError(
    `${count} rows of ${width} columns, expected at most ${cellLimit} cells; write the rows to several files`
  )
}

/** The cells of one column; the others are not decoded at the same time. */
async function columnIn(
  bytes: Uint8Array<ArrayBuffer>,
  metadata: FileMetaData,
  element: SchemaElement,
  count: number
): Promise<ParquetColumn> {
  const cells: Cell[] = []
  const toCell = cellOf(element)
  const file = { byteLength: bytes.length, slice: (start: number, end?: number) => bytes.buffer.slice(start, end) }
  const chunks: { readonly rowStart: number; readonly columnData: ArrayLike<unknown> }[] = []
  await parquetRead({
    file,
    metadata,
    compressors,
    columns: [element.name],
    onChunk: (chunk) => void chunks.push(chunk)
  })
  for (const { rowStart, columnData } of chunks.sort((left, right) => left.rowStart - right.rowStart)) {
    if (rowStart !== cells.length || rowStart + columnData.length > count) break
    for (let index = 0; index < columnData.length; index++) cells.push(toCell(columnData[index]))
  }
  if (cells.length !== count)
    throw new InputError(`column "${element.name}" has ${cells.length} values, expected ${count}; ${again}`)
  return cells.every((cell) => typeof cell === 'number') ? Float64Array.from(cells) : cells
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
