import { InputError } from '@murmuration/core'
import { decodedParquet } from '#data/files/decode-parquet.js'
import { latin1In } from './bytes.js'
import { type Cell, type Distinct, DistinctCells } from './distinct-cells.js'
import type { ParquetColumn } from './parquet-columns.js'
import { checkedNumber, type Table, type TableFile, type TableHead, type WantedColumns } from './table.js'

/** The maximum bytes of a Parquet file's footer. Names, offsets and statistics of 10,000 columns take some 2 MiB. */
const footerLimit = 2 ** 24

/**
 * A Parquet file. Decoding runs in a thread of its own, with limits of memory and time: a file of 100 bytes may claim
 * any number of values, and counts are known only while it is decoded. Throws an {@link InputError} that names the file
 * and says what is wrong with it.
 *
 * @param wanted - chooses columns when their names are known
 */
export async function readParquet(
  { name, bytes }: TableFile,
  wanted: (head: TableHead) => WantedColumns
): Promise<Table> {
  const problem = problemOf(bytes)
  if (problem !== undefined) throw new InputError(`${name}: ${problem}`)
  const answer = await decodedParquet(bytes)
  if ('problem' in answer) throw new InputError(`${name}: ${answer.problem}`)
  const { names, columns, count } = answer
  if (count === 0) throw new InputError(`${name}: found no row, expected at least one`)
  const head = { name, names, namesAt: 'the schema', width: names.length } as const
  const which = wanted(head)
  const unread = [...which.numbers, ...(which.classes === undefined ? [] : [which.classes])].find(
    (column) => columns[column].problem !== undefined
  )
  if (unread !== undefined) throw new InputError(`${name}: ${columns[unread].problem}`)
  const numbers = numbersOf(columns, which.numbers, count, (value, cell, row, column) =>
    checkedNumber(value, cell, head, `row ${row + 1}`, column)
  )
  const classes = which.classes === undefined ? undefined : classesOf(columns[which.classes])
  return { ...head, count, place: (row) => `row ${row + 1}`, wanted: which, numbers, classes }
}

/** The numbers of columns, row after row. */
function numbersOf(
  columns: readonly ParquetColumn[],
  which: readonly number[],
  count: number,
  checked: (value: number, cell: Cell, row: number, column: number) => number
): Float32Array {
  const all = new Float32Array(count * which.length)
  let place = 0
  for (let row = 0; row < count; row++)
    for (const column of which) {
      const { numbers, word } = columns[column]
      all[place++] = checked(numbers[row], word?.row === row ? word.cell : numbers[row], row, column)
    }
  return all
}

function classesOf({ numbers, classes }: ParquetColumn): Distinct {
  if (classes !== undefined) return classes
  const distinct = new DistinctCells(numbers.length, Number)
  for (let row = 0; row < numbers.length && !distinct.isFull; row++) distinct.add(row, numbers[row])
  return distinct
}

/**
 * What is wrong with the first and the last bytes. Both are "PAR1"; the length of the footer precedes the last four.
 */
function problemOf(bytes: Uint8Array): string | undefined {
  const head = latin1In(bytes, 0, 4)
  const tail = latin1In(bytes, Math.max(4, bytes.length - 4))
  if (tail === 'PARE') return 'its footer is encrypted; write it without encryption'
  if (head !== 'PAR1') return `begins with "${printable(head)}", expected "PAR1": it is not a Parquet file`
  if (bytes.length < 12 || tail !== 'PAR1')
    return `ends with "${printable(tail)}", expected "PAR1": it is truncated; write or fetch it again`
  const footer = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true)
  const maxFooter = Math.min(footerLimit, bytes.length - 12)
  if (footer > maxFooter)
    return `its footer claims ${footer} bytes, expected at most ${maxFooter}; write or fetch it again`
  return undefined
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '.')
