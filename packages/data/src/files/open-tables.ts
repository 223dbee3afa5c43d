/** Opens tables: CSV, Parquet or LIBSVM files. */
import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'
import type { DataFile, ReadFile } from './data-file.js'
import type { SparseTable } from './libsvm.js'
import { readParquet } from './parquet.js'
import { maxTableBytes, type Table, type TableReading } from './table.js'
import { sampleColumns } from './table-columns.js'
import { tableNames } from './table-names.js'
import { tableSource } from './table-source.js'

/** In the order of {@link tableNames}. */
const formats = ['CSV', 'Parquet', 'LIBSVM']

/**
 * All tables, one after the other; nothing where there are none. Throws an InputError where the same table may exist in
 * two formats.
 */
export async function openTables(
  files: readonly DataFile[],
  bytesOf: ReadFile,
  reading: TableReading
): Promise<Source | undefined> {
  const [csv, parquet, libsvm] = tableNames.map((pattern) => files.filter(({ name }) => pattern.test(name)))
  const found = [csv, parquet, libsvm].flatMap(([first], index) =>
    first ? [{ ...first, format: formats[index] }] : []
  )
  if (found.length > 1)
    throw new InputError(
      `${found[0].path} and ${found[1].path}: found ${found[0].format} and ${found[1].format}, expected one of them; name the files that you mean`
    )
  if (found.length === 0) return undefined
  if (libsvm.length > 0) return openLibsvm(libsvm, bytesOf, reading)
  const read = async (file: DataFile) => ({ name: file.path, bytes: await bytesOf(file, maxTableBytes) })
  const wanted = sampleColumns(reading)
  const { readCsv } = await import('./csv.js')
  const tables: Table[] = []
  // One after the other: a file needs much more memory while it is read than afterwards.
  for (const file of csv) tables.push(readCsv(await read(file), wanted, reading, tables[0]?.names))
  for (const file of parquet) tables.push(await readParquet(await read(file), wanted))
  return tableSource(tables, reading)
}

/** All files in LIBSVM's text format, one after the other. */
export async function openLibsvm(
  files: readonly DataFile[],
  bytesOf: ReadFile,
  reading: TableReading
): Promise<Source> {
  const { libsvmSource, readLibsvm } = await import('./libsvm.js')
  const tables: SparseTable[] = []
  for (const { path } of files) {
    const bytes = await bytesOf({ name: path, path }, maxTableBytes)
    tables.push(readLibsvm({ name: path, bytes }, reading.targets))
  }
  return libsvmSource(tables, reading)
}
