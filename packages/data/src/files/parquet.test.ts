import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { inputsIn } from '../inputs.js'
import { take, type Source } from '../source.js'
import { readCsv } from './csv.js'
import { openFiles } from '../files.js'
import { columnsIn } from './parquet-columns.js'
import { readParquet } from './parquet.js'
import { tableSource } from './table-source.js'
import { sampleColumns } from './table-columns.js'

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>

const written = (columnData: ColumnSource[], options: Options = {}) =>
  Buffer.from(parquetWriteBuffer({ columnData, ...options }))

const read = async (bytes: Buffer) => tableSource([await readParquet({ name: 'a.parquet', bytes }, sampleColumns())])

const allOf = ({ read, ...rest }: Source) => ({
  ...rest,
  inputs: take(
    { read, ...rest },
    Uint32Array.from({ length: rest.count }, (_, index) => index)
  ).inputs
})

const mixed: ColumnSource[] = [
  { name: 'double', data: [0.1, -0, 1e-300, 123456.789, 3], type: 'DOUBLE' },
  { name: ' float ', data: [0.1, -2.5, 16777216, 1e-30, 0], type: 'FLOAT' },
  { name: 'Label', data: ['rose', ' iris', 'rose', 'aster', 'iris'], type: 'STRING' },
  { name: 'int', data: [1, -2, 3, 2147483647, 0], type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'long', data: [1n, -2n, 9007199254740993n, 2n ** 62n, 0n], type: 'INT64' },
  { name: 'text', data: ['1', '2.50', '-3e2', '0', ' 7 '], type: 'STRING' }
]
const sameAsCsv = [
  'double,float,Label,int,long,text',
  '0.1,0.1,rose,1,1,1',
  '-0,-2.5,iris,-2,-2,2.50',
  '1e-300,16777216,rose,3,9007199254740993,-3e2',
  '123456.789,1e-30,aster,2147483647,4611686018427387904,0',
  '3,0,iris,0,0,7'
].join('\n')

for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI'] as const) {
  test(`a table in Parquet, ${codec}, is that in CSV, bit for bit`, async (t) => {
    const compressors = {
      GZIP: (bytes: Uint8Array) => gzipSync(bytes),
      BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes)
    }
    const found = await read(written(mixed, { codec, rowGroupSize: 2, ...(codec in compressors && { compressors }) }))
    t.deepEqual(
      allOf(found),
      allOf(tableSource([readCsv({ name: 'a.csv', bytes: Buffer.from(sameAsCsv) }, sampleColumns())]))
    )
    t.true(Object.is(allOf(found).inputs[5], -0))
  })
}

/**
 * import pyarrow as pa, pyarrow.parquet as pq
 * table = pa.table({'x': [1.5, 2.5, 1.5], 'label': ['b', 'a', 'b']})
 * pq.write_table(table, 'a.parquet', compression='zstd', store_schema=False, write_statistics=False)
 */
const zstd =
  'UEFSMRUEFSAVMkwVBBUAEgAAKLUv/SAQgQAAAAAAAAAA+D8AAAAAAAAEQBUAFRIVJCwVBhUQFQYVBhwAAAAotS/9IAlJAAACAAAABgEBAwIVBBUUFSZMFQQVABIAACi1L/0gClEAAAEAAABiAQAAAGEVABUSFSQsFQYVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAYBAQMCFQQZPDUAGAZzY2hlbWEVBAAVCiUCGAF4ABUMJQIYBWxhYmVsJQBMHAAAABYGGRwZLCYAHBUKGTUABhAZGAF4FQwWBhZ0FpgBJlYmCCksFQQVABUCABUAFRAVAgA8KQYZJgAGAAAAJgAcFQwZNQAGEBkYBWxhYmVsFQwWBhZoFowBJuIBJqABKSwVBBUAFQIAFQAVEBUCADwWBhkGGSYABgAAABbcARYGJggWpAIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAANkAAABQQVIx'

test('what pyarrow writes with zstd is read', async (t) => {
  const { inputs, targets, classNames } = allOf(await read(Buffer.from(zstd, 'base64')))
  t.deepEqual(
    [[...inputs], [...targets], classNames],
    [
      [1.5, 2.5, 1.5],
      [1, 0, 1],
      ['a', 'b']
    ]
  )
})

test('decimals have their digits, and truth values are words', async (t) => {
  const decimal = { type: 'INT32', converted_type: 'DECIMAL', scale: 1, precision: 4 } as const
  const { inputs, classNames } = allOf(
    await read(
      written(
        [
          { name: 'x', data: [0.3, -1.1] },
          { name: 'label', data: [true, false] }
        ],
        {
          schema: [
            { name: 'root', num_children: 2 },
            { name: 'x', ...decimal },
            { name: 'label', type: 'BOOLEAN' }
          ]
        }
      )
    )
  )
  t.deepEqual([[...inputs], classNames], [[0.3, -1.1].map(Math.fround), ['false', 'true']])
})

const label: ColumnSource = { name: 'label', data: [0, 1], type: 'INT32' }
const numbers = (data: (number | null)[]): ColumnSource => ({ name: 'x', data, type: 'DOUBLE' })
const good = written([numbers([1, 2]), label])

/** A file with the given footer. */
function sealed(footer: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([Buffer.from('PAR1'), footer, length, Buffer.from('PAR1')])
}

/** A list (type 9) of lists of lists, each of 2^25 − 1 elements: 250 bytes, of which every 5 ask for 256 MiB. */
const nested = sealed(Buffer.from([0x19, ...Array.from({ length: 50 }, () => [0xf9, 0xff, 0xff, 0xff, 0x0f]).flat()]))

const wrong: readonly (readonly [what: string, bytes: Buffer, message: RegExp])[] = [
  ['null', written([numbers([1, null]), label]), /row 2, column 1 \("x"\) is "", expected a number/],
  ['NaN', written([numbers([1, Number.NaN]), label]), /row 2, column 1 \("x"\) is "NaN", expected a number/],
  ['a number that float32 has not', written([numbers([1e39, 1]), label]), /row 1, .* between -3.4e38 and 3.4e38/],
  [
    'a fraction as class',
    written([{ ...label, name: 'y' }, numbers([1, 0.5])]),
    /row 2, column 2 is "0.5", expected a class/
  ],
  [
    'a class that is NaN',
    written([{ ...label, name: 'y' }, numbers([1, Number.NaN])]),
    /column 2 is "NaN", expected a class/
  ],
  [
    'no class',
    written([numbers([1, 2]), { name: 'label', data: ['a', null], type: 'STRING' }]),
    /is "", expected a class/
  ],
  ['no rows', written([numbers([]), { ...label, data: [] }]), /found no row/],
  ['one column', written([numbers([1, 2])]), /found one column/],
  [
    'a time',
    written([{ name: 'when', data: [new Date(0), new Date(1)] }, label]),
    /column "when" has TIMESTAMP_MILLIS/
  ],
  ['a list', written([{ name: 'x', data: [{ a: 1 }, { a: 2 }], type: 'JSON' }, label]), /column "x" has JSON/],
  ['two columns of one name', written([numbers([1, 2]), { ...label, name: ' x' }]), /two columns are named "x"/],
  [
    'a codec that is not known',
    written([numbers([1, 2]), label], { codec: 'LZ4', compressors: { LZ4: (bytes) => bytes } }),
    /compressed by LZ4, expected SNAPPY, GZIP, BROTLI, ZSTD or UNCOMPRESSED/
  ],
  ['another file', Buffer.from('a,b\n1,2\n'), /begins with "a,b\.", expected "PAR1"/],
  ['an empty file', Buffer.alloc(0), /begins with "", expected "PAR1"/],
  ['an encrypted file', Buffer.concat([good.subarray(0, -1), Buffer.from('E')]), /footer is encrypted/],
  ['a file without its end', good.subarray(0, -30), /expected "PAR1": it is truncated/],
  ['a file without its middle', Buffer.concat([good.subarray(0, 20), good.subarray(45)]), /truncated or damaged/],
  [
    'a footer that is too long',
    sealed(Buffer.alloc(8, 0xff)).fill(0x7f, 12, 16),
    /claims 2139062143 bytes, expected at most 8/
  ],
  ['lists of lists that would fill the memory', nested, /its footer claims more values than it has/]
]

for (const [what, bytes, message] of wrong) {
  test(`${what} is refused with the file's name`, async (t) => {
    const error = await t.throwsAsync(read(bytes), { instanceOf: InputError, message })
    t.regex(error?.message ?? '', /^a\.parquet: /)
  })
}

/**
 * Files of 2^20 rows in 216 bytes, packed with brotli, whose last page claims more values than there are rows: a run of
 * 2^30 numbers of a dictionary; of
 * 2^31 − 2 levels; groups of 2^33 bits; and texts that begin as the one before, 2^39 bytes in all. The decoder would
 * end the process, or never end.
 */
const claims: readonly (readonly [what: string, bytes: string])[] = [
  [
    'a run that is longer than its page',
    'UEFSMRUAFYCAgAgVHCwVgICAARUAFQYVBgAAm///f/gnAOKxQCD3/g8VBBUQFRRMFQIVAAAAGwcA+CcAQoQAABUAFQ4VFiwVgICAARUQFQYVBgAACwOAAYCAgIAIAAMVAhk8SARyb290FQQAFQolABgBeAAVCiUAGAVsYWJlbAAWgICAARkcGSwmCBwVChkVABkYAXgVCBaAgIABFkoWSiYIAAAmUhwVChkVEBkYBWxhYmVsFQgWgICAARZsFmwmgAEmUgAAFsgBFoCAgAEAAHEAAABQQVIx'
  ],
  [
    'levels that are more than the values',
    'UEFSMRUAFYCAgAgVHCwVgICAARUAFQYVBgAAm///f/gnAOKxQCD3/g8VABWUgIAIFUQsFYCAgAEVABUGFQYAAMv//z/4B5lwS4rU/oLlswIAAYr7X+//FiIBAP8EQDwQAAAVAhk8SARyb290FQQAFQolABgBeAAVCiUCGAVsYWJlbAAWgICAARkcGSwmCBwVChkVABkYAXgVCBaAgIABFkoWSiYIAAAmUhwVChkVABkYBWxhYmVsFQgWgICAARZyFnImUgAAFsgBFoCAgAEAAG4AAABQQVIx'
  ],
  [
    'groups that are longer than their page',
    'UEFSMRUAFYCAgAgVHCwVgICAARUAFQYVBgAAm///f/gnAOKxQCD3/g8VBBUQFRRMFQIVAAAAGwcA+CcAQoQAABUAFcK4AhUgLBWAgIABFRAVBhUGAAAbIE74J/8PAOK2KEB1EUAwFQIZPEgEcm9vdBUEABUKJQAYAXgAFQolABgFbGFiZWwAFoCAgAEZHBksJggcFQoZFQAZGAF4FQgWgICAARZKFkomCAAAJlIcFQoZFRAZGAVsYWJlbBUIFoCAgAEWehZ6JoABJlIAABbIARaAgIABAABxAAAAUEFSMQ=='
  ],
  [
    'texts that are longer than their page',
    'UEFSMRUAFYCAgAgVHCwVgICAARUAFQYVBgAAm///f/gnAOKxQCD3/g8VABWsgIABFT4sFYCAgAEVDhUGFQYAAJsVABD4BTbgeqZJJ6tRAMSUy2QABECAmjQKO/f+gQ8VAhk8SARyb290FQQAFQolABgBeAAVDCUAGAVsYWJlbCUAABaAgIABGRwZLCYIHBUKGRUAGRgBeBUIFoCAgAEWShZKJggAACZSHBUMGRUOGRgFbGFiZWwVCBaAgIABFmwWbCZSAAAWyAEWgICAAQAAcAAAAFBBUjE='
  ]
]
for (const [what, bytes] of claims)
  test(`${what} is refused before there is memory for it`, async (t) => {
    const message = /^a\.parquet: column "label" claims more values than its pages/
    await t.throwsAsync(read(Buffer.from(bytes, 'base64')), { instanceOf: InputError, message })
  })

test('whatever bytes are changed, the answer is rows or what is wrong', async (t) => {
  const random = createRandom(1, 'damage')
  const bytes = written(mixed, { rowGroupSize: 3 })
  const answers = { rows: 0, problems: 0 }
  for (let place = 0; place < 300; place++) {
    const changed = Uint8Array.from(bytes)
    changed[random.integer(changed.length)] = random.integer(256)
    const answer = columnsIn(changed)
    answers['problem' in answer ? 'problems' : 'rows']++
  }
  t.true(answers.rows > 10 && answers.problems > 10, JSON.stringify(answers))
})

test('the Parquet files of a folder are concatenated; with CSV next to them it is refused', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'murmur-parquet-'))
  await writeFile(join(path, 'b.parquet'), good)
  await writeFile(join(path, 'a.parquet'), written([numbers([3]), { ...label, data: [4] }]))
  t.deepEqual([...(await openFiles({ kind: 'files', path })).targets], [4, 0, 1])
  await writeFile(join(path, 'a.csv'), 'x,label\n3,4\n')
  await t.throwsAsync(openFiles({ kind: 'files', path }), {
    instanceOf: InputError,
    message: /a\.csv and .*a\.parquet: found CSV and/
  })
})

test('a model takes the rows of Parquet files, columns by their names', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-parquet-')), 'rows.parquet')
  const columns: ColumnSource[] = [
    { name: 'b', data: [2, 4], type: 'FLOAT' },
    { name: 'a', data: [1n, 3n], type: 'INT64' }
  ]
  await writeFile(path, written([...columns, label]))
  const signature = { inputShape: [2], targetShape: [] }
  const inputs = await inputsIn(path, { ...signature, preprocessing: { kind: 'numbers', names: ['a', 'b'] } })
  t.deepEqual(
    inputs.map(({ from, values }) => [from.replace(path, ''), ...values]),
    [
      [':1', 1, 2],
      [':2', 3, 4]
    ]
  )
  await t.throwsAsync(inputsIn(path, { ...signature, preprocessing: { kind: 'numbers', names: ['a', 'c'] } }), {
    instanceOf: InputError,
    message: /the schema has no column c; the model takes a, c/
  })
})
