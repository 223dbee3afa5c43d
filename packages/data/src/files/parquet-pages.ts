import { InputError } from '@murmuration/core'
import type { Compressors, FileMetaData } from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { bytesOfDeltas, type PageReader, runsFit } from './parquet-runs.js'
import { listsFit } from './parquet-thrift.js'

type ColumnChunk = FileMetaData['row_groups'][number]['columns'][number]
type Header = ReturnType<typeof parquetHeader>
type PageDecoder = Parameters<typeof readPage>[2]
type ColumnValues = ReturnType<typeof convert>

/** The schema of a column: the root, and its element. */
export type SchemaPath = PageDecoder['schemaPath']

/** The maximum bytes of a page after unpacking: 256 MiB. Writers make pages of about 1 MiB. */
const maxPage = 2 ** 28

/** The maximum values of a page, 2^24: all of a table with two columns. Writers make pages of about 1 MiB. */
const maxValues = 2 ** 24

/** The maximum values of a dictionary, and of a page of texts without one, 2^22: each takes some 150 bytes. */
const maxTexts = 2 ** 22

/** The maximum bytes of all pages of a file after unpacking: 1 GiB. */
const maxUnpacked = 2 ** 30

/** Reads the columns of a file page by page, so that no more than one page is unpacked at a time. */
export class ParquetPages {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #compressors: Compressors
  #unpacked = 0

  constructor(bytes: Uint8Array<ArrayBuffer>, compressors: Compressors) {
    this.#bytes = bytes
    this.#compressors = compressors
  }

  /**
   * The values of one column of a row group. Throws an InputError where a page claims more bytes or values than there
   * are: the decoder allocates
   * memory for what it claims.
   */
  *valuesOf({ meta_data: chunk }: ColumnChunk, rows: number, schemaPath: SchemaPath): Generator<ArrayLike<unknown>> {
    const { element } = schemaPath[schemaPath.length - 1]
    if (chunk === undefined || chunk.path_in_schema.join('.') !== element.name) throw damaged(element.name, 'no values')
    const reader = this.#readerOf(chunk)
    let check = (_: Uint8Array) => {}
    const decoder = {
      ...chunk,
      pathInSchema: [element.name],
      element,
      schemaPath,
      parsers: DEFAULT_PARSERS,
      compressors: watched(this.#compressors, (page) => check(page))
    }
    let dictionary: ColumnValues | undefined
    for (let values = 0; values < rows;) {
      if (reader.offset >= reader.view.byteLength) throw damaged(element.name, `${values} values, expected ${rows}`)
      if (!listsFit({ ...reader })) throw damaged(element.name, 'more in the head of a page than it has')
      const header = parquetHeader(reader)
      this.#checkSize(header, element.name, reader.view.byteLength - reader.offset)
      checkCount(header, chunk.type, element.name, rows - values)
      const end = reader.offset + header.compressed_page_size
      check = (page) => checkPage(page, header, decoder)
      checkPacked(bytesBetween(reader, end), header, decoder)
      const { data = [] } = readPage(reader, header, decoder, dictionary, undefined, 0)
      reader.offset = end
      if (header.dictionary_page_header !== undefined) dictionary = convert(data, decoder)
      else {
        values += countIn(header) ?? 0
        yield data
      }
    }
  }

  #readerOf(chunk: NonNullable<ColumnChunk['meta_data']>): PageReader {
    const { buffer, byteOffset, length } = this.#bytes
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
    const end = start + Number(chunk.total_compressed_size)
    if (start >= 4 && start <= end && end <= length)
      return { view: new DataView(buffer, byteOffset + start, end - start), offset: 0 }
    throw damaged(chunk.path_in_schema.join('.'), `bytes ${start} to ${end} of ${length}`)
  }

  #checkSize(header: Header, name: string, bytesLeft: number): void {
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header
    if (!isCount(packed, bytesLeft) || !isCount(unpacked, maxPage) || !isSplit(header))
      throw damaged(name, `a page of ${packed} bytes, ${unpacked} unpacked`)
    this.#unpacked += unpacked
    if (this.#unpacked > maxUnpacked)
      throw new InputError(`its pages unpack to more than ${maxUnpacked} bytes; write the rows to several files`)
  }
}

function checkCount(header: Header, type: string, name: string, rowsLeft: number): void {
  const isDictionary = header.dictionary_page_header !== undefined
  const found = countIn(header)
  const claimed = isDictionary ? header.uncompressed_page_size : rowsLeft
  if (!isCount(found, claimed)) throw damaged(name, `a page of ${found} values, expected at most ${claimed}`)
  const { encoding = '' } = header.data_page_header ?? header.data_page_header_v2 ?? {}
  const isOfTexts = type.endsWith('BYTE_ARRAY') && !encoding.endsWith('_DICTIONARY')
  const max = isDictionary || isOfTexts ? maxTexts : maxValues
  if (found > max)
    throw new InputError(
      `column "${name}" has ${found} values in one page, expected at most ${max}; write the rows in smaller groups`
    )
}

/** The compressors, which show what they unpack. */
function watched(compressors: Compressors, show: (page: Uint8Array) => void): Compressors {
  const entries = Object.entries(compressors).map(([codec, unpack]) => {
    const shown = (input: Uint8Array, length: number) => {
      const page = unpack(input, length)
      show(page)
      return page
    }
    return [codec, shown] as const
  })
  return Object.fromEntries(entries)
}

/**
 * Checks a page, or the values of one of version 2, that no compressor unpacks, and the levels of version 2, which are
 * never compressed.
 */
function checkPacked(packed: Uint8Array, header: Header, decoder: PageDecoder): void {
  const { data_page_header_v2: page } = header
  if (page === undefined) {
    if (decoder.codec === 'UNCOMPRESSED') checkPage(packed, header, decoder)
    return
  }
  const { repetition_levels_byte_length: repetitions, definition_levels_byte_length: definitions } = page
  const levels = readerOf(packed.subarray(repetitions, repetitions + definitions))
  if (isOptional(decoder) && !runsFit(levels, 1, page.num_values)) throw tooLong(decoder)
  if (decoder.codec === 'UNCOMPRESSED' || page.is_compressed === false)
    checkPage(packed.subarray(repetitions + definitions), header, decoder)
}

/** Checks an unpacked page: in version 1 its levels and its values, in version 2 its values. */
function checkPage(page: Uint8Array, header: Header, decoder: PageDecoder): void {
  const { data_page_header, data_page_header_v2 } = header
  const { num_values: count, encoding } = data_page_header ?? data_page_header_v2 ?? {}
  if (count === undefined || encoding === undefined) return
  const reader = readerOf(page)
  if (data_page_header !== undefined && isOptional(decoder)) {
    const end = 4 + reader.view.getUint32(0, true)
    if (!runsFit({ view: reader.view, offset: 4 }, 1, count)) throw tooLong(decoder)
    reader.offset = end
  }
  if (reader.offset >= page.length) return
  if (!valuesFit(reader, count, encoding, decoder)) throw tooLong(decoder)
}

function valuesFit(reader: PageReader, count: number, encoding: string, { type }: PageDecoder): boolean {
  if (encoding === 'DELTA_BYTE_ARRAY') return bytesOfDeltas(reader, count) <= maxPage
  if (encoding !== 'RLE' && !encoding.endsWith('_DICTIONARY')) return true
  if (type !== 'BOOLEAN') return runsFit(reader, reader.view.getUint8(reader.offset++), count)
  reader.offset += 4
  return runsFit(reader, 1, count)
}

/**
 * Whether the lengths of the parts of a version 2 page are numbers that fit into it. If one were missing, the decoder
 * would never end.
 */
function isSplit({ compressed_page_size: packed, data_page_header_v2: page }: Header): boolean {
  if (page === undefined) return true
  const { definition_levels_byte_length: definitions, repetition_levels_byte_length: repetitions } = page
  return (
    isCount(definitions, packed) &&
    isCount(repetitions, packed - definitions) &&
    isCount(page.num_nulls, page.num_values)
  )
}

const countIn = ({ data_page_header, data_page_header_v2, dictionary_page_header }: Header) =>
  (data_page_header ?? data_page_header_v2 ?? dictionary_page_header)?.num_values

/** A file may have anything in place of a number. */
const isCount = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max

const isOptional = ({ element }: PageDecoder) => element.repetition_type !== 'REQUIRED'

const bytesBetween = ({ view, offset }: PageReader, end: number) =>
  new Uint8Array(view.buffer, view.byteOffset + offset, end - offset)

const readerOf = ({ buffer, byteOffset, byteLength }: Uint8Array): PageReader => ({
  view: new DataView(buffer, byteOffset, byteLength),
  offset: 0
})

const tooLong = ({ element: { name } }: PageDecoder) => damaged(name, 'more values than its pages')

const damaged = (name: string, found: string) =>
  new InputError(`column "${name}" claims ${found}; it is truncated or damaged, write or fetch it again`)
