import { InputError } from '@murmuration/core'
import type { FileMetaData } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'

type Chunk = FileMetaData['row_groups'][number]['columns'][number]
type Header = ReturnType<typeof parquetHeader>

/** The maximum bytes of a page after unpacking: 256 MiB. Writers make pages of about 1 MiB. */
const pageLimit = 2 ** 28

/** Throws an InputError where pages claim more bytes or values than there are: the decoder allocates memory for what they claim. */
export function checkPages(bytes: Uint8Array<ArrayBuffer>, { row_groups }: FileMetaData): void {
  for (const { columns, num_rows } of row_groups)
    for (const chunk of columns) checkChunk(bytes, chunk, Number(num_rows))
}

/** The pages of one column, one after the other: an optional dictionary, then as many values as there are rows. */
function checkChunk(bytes: Uint8Array<ArrayBuffer>, { meta_data: chunk }: Chunk, rows: number): void {
  const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } = chunk ?? {}
  const name = chunk?.path_in_schema.join('.') ?? ''
  const start = Number(dictionary || data)
  const end = start + Number(size)
  if (!(start >= 4 && start <= end && end <= bytes.length))
    throw damaged(name, `bytes ${start} to ${end} of ${bytes.length}`)
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset + start, end - start), offset: 0 }
  let values = 0
  while (values < rows) {
    if (reader.offset >= reader.view.byteLength) throw damaged(name, `${values} values, expected ${rows}`)
    const header = parquetHeader(reader)
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header
    if (!isCount(packed, reader.view.byteLength - reader.offset) || !isCount(unpacked, pageLimit) || !isSplit(header))
      throw damaged(name, `a page of ${packed} bytes, ${unpacked} unpacked`)
    reader.offset += packed
    const { data_page_header, data_page_header_v2, dictionary_page_header } = header
    const found = (data_page_header ?? data_page_header_v2 ?? dictionary_page_header)?.num_values
    const max = dictionary_page_header === undefined ? rows - values : unpacked
    if (!isCount(found, max)) throw damaged(name, `a page of ${found} values, expected at most ${max}`)
    if (dictionary_page_header === undefined) values += found
  }
}

/** Whether the lengths of the parts of a version 2 page are numbers that fit into it. If one were missing, the decoder would never end. */
function isSplit({ compressed_page_size: packed, data_page_header_v2: page }: Header): boolean {
  if (page === undefined) return true
  const { definition_levels_byte_length: definitions, repetition_levels_byte_length: repetitions } = page
  return (
    isCount(definitions, packed) &&
    isCount(repetitions, packed - definitions) &&
    isCount(page.num_nulls, page.num_values)
  )
}

/** A file may have anything in place of a number. */
const isCount = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max

const damaged = (name: string, found: string) =>
  new InputError(`column "${name}" claims ${found}; it is truncated or damaged, write or fetch it again`)
