import { InputError, messageOf } from '@murmuration/core'
import { parse } from 'csv-parse/sync'
import { isWord, labelNames, type Row, type Table, type TableFile } from './table.js'

/** The maximum bytes of a CSV file, since it is held in memory as text: 256 MiB. */
const byteLimit = 2 ** 28

/** A CSV file with a target. Throws an {@link InputError} that names the file, and the line, for what is no CSV or has no values. */
export function readCsv(file: TableFile): Table {
  return tableOf(
    file,
    (cells) => cells.slice(0, -1).some(isWord) || labelNames.includes(cells[cells.length - 1].toLowerCase())
  )
}

/** A CSV file of inputs, perhaps without a target. Throws as {@link readCsv} does. */
export function readCsvInputs(file: TableFile): Table {
  return tableOf(file, (cells) => cells.some(isWord))
}

/** A first line is a header if any cell is no number; the last cell does not count, since it may be a class. */
function tableOf({ name, bytes }: TableFile, isHeader: (cells: readonly string[]) => boolean): Table {
  const all = readRows(name, bytes)
  const names = all.length > 0 && isHeader(all[0].cells) ? all[0].cells : undefined
  const rows = names === undefined ? all : all.slice(1)
  if (rows.length === 0) throw new InputError(`${name}: found no line with values, expected at least one`)
  const repeated = names?.find((each, index) => names.indexOf(each) !== index)
  if (repeated !== undefined)
    throw new InputError(`${name}: line 1 names two columns "${repeated}"; each needs its own name`)
  return { name, names, namesAt: 'line 1', rows }
}

interface TextRow extends Row {
  readonly cells: readonly string[]
}

/** The lines of a file with the contents of their cells, including a header line. */
function readRows(name: string, bytes: Buffer): TextRow[] {
  if (bytes.length > byteLimit) {
    throw new InputError(`${name}: ${bytes.length} bytes, expected at most ${byteLimit}; use a part of the lines`)
  }
  const rows: TextRow[] = []
  try {
    parse(bytes, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      on_record: (cells: string[], { lines }) => {
        rows.push({ name, unit: 'line', number: lines, cells })
        return null
      }
    })
  } catch (error) {
    throw new InputError(`${name}: ${messageOf(error)}`)
  }
  return rows
}
