/** Tables as people have them: what must not become other numbers, columns or classes without a word. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { describeLocalData } from '../about.js'
import { inputsIn } from '../inputs.js'
import { loadLocalData } from '../local-data.js'
import { take } from '../source.js'
import { openFiles } from '../files.js'
import type { TableReading } from './table.js'

type Content = string | Uint8Array
type Reading = Pick<TableReading, 'targets' | 'target' | 'ignore' | 'like'>

async function saved(t: ExecutionContext, content: Content, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-table-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

async function open(t: ExecutionContext, content: Content, { target, ignore, ...rest }: Reading = {}, name = 'a.csv') {
  const path = await saved(t, content, name)
  const source = await openFiles(
    { kind: 'files', path, ...(target && { target }), ...(ignore && { ignore }) },
    { targets: rest.targets, ...(rest.like && { like: rest.like }) }
  )
  const { inputs, targets } = take(
    source,
    Uint32Array.from({ length: source.count }, (_, index) => index)
  )
  const { count, classes, classNames, inputShape, preprocessing, remark } = source
  const names = preprocessing?.kind === 'numbers' ? preprocessing.names : undefined
  return { remark, count, classes, classNames, inputShape, names, inputs: [...inputs], targets: [...targets] }
}

const parquet = (columnData: ColumnSource[]) => new Uint8Array(parquetWriteBuffer({ columnData }))

const refused = async (t: ExecutionContext, content: Content, message: RegExp, reading?: Reading, name?: string) =>
  void (await t.throwsAsync(open(t, content, reading, name), { instanceOf: InputError, message }))

/** Rows whose last cell is one of `classes`, in turn. */
const rows = (count: number, classes: readonly (string | number)[], cells = '0.5,-1.5') =>
  Array.from({ length: count }, (_, row) => `${cells},${classes[row % classes.length]}`).join('\n')

test('a table that is not UTF-8 is refused with line and character, in Parquet too', async (t) => {
  await refused(t, Buffer.from('x,label\n1,Märta\n2,Mörta', 'latin1'), /a\.csv: line 2, character 4 is not UTF-8/)
  await refused(t, Buffer.from('x,größe,label\n1,2,a', 'latin1'), /a\.csv: line 1, character 5 is not UTF-8/)
  const label: ColumnSource = { name: 'label', data: ['M\uFFFDrta', 'M\uFFFDrta'], type: 'STRING' }
  const content = parquet([{ name: 'x', data: [1, 2], type: 'DOUBLE' }, label])
  await refused(t, content, /a\.parquet: has the text "M.rta", which is not UTF-8/, {}, 'a.parquet')
})

test('a target with one value is refused, and the target may be named', async (t) => {
  const text = '0,7,0\n1,8,0\n2,9,0'
  await refused(t, text, /a\.csv: column 3, the target, is "0" in all 3 rows.*target: first/)
  await refused(t, 'x,price\n1,5\n2,5', /column 2 \("price"\), the target, is "5" in all 2 rows/, {
    targets: 'numbers'
  })
  t.like(await open(t, text, { target: 'first' }), { classes: 3, targets: [0, 1, 2], inputs: [7, 0, 8, 0, 9, 0] })
  const named = 'kind,x,id,label\na,1,u,0\nb,2,v,0'
  t.like(await open(t, named, { target: 'kind', ignore: ['id'] }), { classNames: ['a', 'b'], names: ['x', 'label'] })
  t.like(await open(t, 'label,x,y\n0,1,5\n0,2,6', { target: 'last' }), { targets: [5, 6], names: ['label', 'x'] })
  await refused(t, named, /target is "kinds", but line 1 has the columns kind, x, id, label/, { target: 'kinds' })
  await refused(t, named, /ignore is "no", but line 1 has the columns/, { ignore: ['no'] })
  await refused(t, text, /ignore is "id", but line 1 names no columns/, { ignore: ['id'] })
  t.is((await open(t, text, { like: { inputShape: [2], classes: 4 } })).classes, 1, "one machine's data may have one")
})

test('numbers above a table are the names of its columns where they cannot be a row', async (t) => {
  const twelve = rows(12, ['rose', 'tulip'])
  t.like(await open(t, `400,410,species\n${twelve}`), { count: 12, classes: 2, names: ['400', '410'] })
  t.like(await open(t, `850.5,400.5,species\n${twelve}`), { count: 12, names: ['850.5', '400.5'] })
  t.like(await open(t, `550,400,700,species\n${rows(12, ['a', 'b'], '0.5,1.5,2.5')}`), { count: 12, classes: 2 })
  t.like(await open(t, `0,1,2\n${rows(12, [0, 1])}`), { count: 12, classes: 2, names: ['0', '1'] })
  t.like(await open(t, `0,1,2,3\n${rows(12, [0, 1, 2, 3], '5,6,7')}`), { count: 12, classes: 4 })
  t.like(await open(t, `0,1,2\n${rows(12, [0, 1, 2])}`), { count: 12, classes: 3 })
  t.like(await open(t, `,0,1,2\n${rows(12, [0, 1], '9,0.5,1.5')}`), { count: 12, names: ['0', '1'] })
  const years = `1990,2000,2010,2020\n${rows(12, [7, 8.5], '0.5,1.5,2.5')}`
  t.like(await open(t, years, { targets: 'numbers' }), { count: 12, names: ['1990', '2000', '2010'] })
  t.like(await open(t, `400,410,price\n${rows(12, [7, 8])}`, { targets: 'numbers' }), { count: 12 })
  t.like(await open(t, `0,1,2,3\n${'4,0.5,1.5,2.5\n5,0.5,1.5,2.5\n'.repeat(6)}`, { target: 'first' }), { count: 12 })
})

test('a header of numbers is that of all files of a table', async (t) => {
  const path = await saved(t, `400,410,species\n${rows(12, ['rose', 'tulip'])}`, 'a.csv')
  await writeFile(join(dirname(path), 'b.csv'), '400,410,species\n1,2,rose')
  t.is((await openFiles({ kind: 'files', path: dirname(path) })).count, 13)
})

test('a first row of numbers stays a row', async (t) => {
  const twelve = rows(12, ['rose', 'tulip'])
  t.is((await open(t, `0.1,0.2,rose\n${twelve}`)).count, 13, 'its class occurs again')
  t.is((await open(t, `0.5,0.7,aster\n${twelve}`)).count, 13, 'its numbers occur again')
  t.is((await open(t, `7.5,9.5,8.5,3\n${rows(12, [1, 2], '0.5,1.5,2.5')}`)).count, 13, 'its numbers are in no order')
  t.is((await open(t, `1,2,a\n3,4,b\n5,6,b`)).count, 3, 'a few rows show nothing')
  t.is((await open(t, 'True,2,a\nFalse,4,b')).count, 2, 'truth values are no names')
})

test('columns that only number the rows are no inputs', async (t) => {
  const expected = { names: ['a', 'b'], inputShape: [2], inputs: [1, 2, 3, 4] }
  t.like(await open(t, ',a,b,label\n0,1,2,x\n1,3,4,y'), expected)
  t.like(await open(t, '"","a","b","label"\n"Mazda RX4",1,2,"x"\n"Fiat",3,4,"y"'), expected)
  t.like(await open(t, ',,a,b,label\n0,0,1,2,x\n0,1,3,4,y'), expected)
  t.like(await open(t, 'Unnamed: 0,a,b,label\n0,1,2,x\n1,3,4,y'), expected)
  const written = { ...expected, inputs: [1, 2, 3, 4, 5, 6] }
  t.like(await open(t, '"a","b","label"\n"1",1,2,"x"\n"2",3,4,"y"\n"3",5,6,"y"'), written)
  await refused(t, 'a,label\n0,5,1\n1,5,0\n3,5,0', /line 2 has 3 cells, expected 2/)
  const columns: ColumnSource[] = [
    { name: 'a', data: [1, 3], type: 'DOUBLE' },
    { name: 'b', data: [2, 4], type: 'DOUBLE' },
    { name: 'label', data: ['x', 'y'], type: 'STRING' },
    { name: '__index_level_0__', data: [7, 9], type: 'INT32' }
  ]
  t.like(await open(t, parquet(columns), {}, 'a.parquet'), expected)
  const like = { inputShape: [1], preprocessing: { kind: 'numbers', names: ['Unnamed: 0'] } } as const
  t.deepEqual((await open(t, 'Unnamed: 0,label\n5,x\n6,y', { like })).inputs, [5, 6], 'a model may know them')
})

test('what is left out, and what counts the rows, is said', async (t) => {
  const counted = (name: string, first = 0) =>
    `${name},a,label\n${Array.from({ length: 12 }, (_, row) => `${row + first},0.5,${row % 2}`).join('\n')}`
  t.is((await open(t, counted(''))).remark, 'without column 1, which numbers the rows')
  t.is((await open(t, counted('Unnamed: 0'))).remark, 'without column "Unnamed: 0", which numbers the rows')
  for (const first of [0, 1])
    t.regex(
      (await open(t, counted('id', first))).remark ?? '',
      /^column "id" only counts the rows, and is an input; omit/
    )
  t.is((await open(t, counted('id', 5))).remark, undefined)
  t.regex(
    (await open(t, '0,7,233\n1,8,0\n2,9,240')).remark ?? '',
    /^column 3, the last, is the class: 3 of the numbers 0 to 240 occur; if another one is, name it with target$/
  )
  t.is((await open(t, '0,7,233\n1,8,0\n2,9,240', { target: 'last' })).remark, undefined)
  const options = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a'], seed: 1 } as const
  const data = { kind: 'files', path: await saved(t, counted(''), 'a.csv') } as const
  const localData = await loadLocalData({ ...options, data })
  t.regex(
    describeLocalData(localData, { ...options, data }).data,
    /to test \(without column 1, which numbers the rows\)$/
  )
})

test('truth values are 1 and 0 as inputs, and the same classes in CSV and Parquet', async (t) => {
  t.deepEqual((await open(t, 'a,b,label\nTrue,false,x\nFALSE,true,y')).inputs, [1, 0, 0, 1])
  const columns = (name: string): ColumnSource[] => [
    { name: 'a', data: [true, false], type: 'BOOLEAN' },
    { name, data: [false, true], type: 'BOOLEAN' }
  ]
  const inParquet = await open(t, parquet(columns('label')), {}, 'a.parquet')
  t.deepEqual(inParquet, await open(t, 'a,label\nTrue,False\nFalse,True'))
  t.deepEqual(inParquet.classNames, ['false', 'true'])
  const like = { inputShape: [1], classes: 2, classNames: ['False', 'True'] }
  t.deepEqual((await open(t, parquet(columns('label')), { like }, 'a.parquet')).targets, [0, 1], 'an older model')
})

for (const name of ['NA', 'N/A', 'nan', 'NaN', 'null', 'NULL', 'None', '#N/A', '<NA>', '?', ''])
  test(`a class ${name || 'without text'} is a missing value, and refused with its line`, async (t) => {
    await refused(t, `x,label\n1,a\n2,${name}\n3,b`, /a\.csv: line 3, column 2 is ".*", expected a class/)
    const like = { inputShape: [1], classes: 2, classNames: ['a', name] }
    t.deepEqual((await open(t, `x,label\n1,a\n2,${name}`, { like })).targets, [0, 1], 'unless a model has it')
  })

test('names in different normal forms of Unicode are the same name', async (t) => {
  const composed = 'café'
  const decomposed = 'cafe\u0301'
  t.deepEqual((await open(t, `x,label\n1,${composed}\n2,${decomposed}\n3,tea`)).classNames, [composed, 'tea'])
  const like = {
    inputShape: [1],
    classes: 2,
    classNames: [decomposed, 'tea'],
    preprocessing: { kind: 'numbers', names: [decomposed] }
  } as const
  t.deepEqual((await open(t, `label,${composed}\ntea,1\n${composed},2`, { like })).targets, [1, 0])
  const path = await saved(t, `b,${composed}\n1,2`, 'new.csv')
  const signature = { inputShape: [1], targetShape: [], preprocessing: like.preprocessing }
  t.deepEqual(
    (await inputsIn(path, signature)).map(({ values }) => [...values]),
    [[2]]
  )
})

test('classes that are written differently are different, in CSV and in Parquet', async (t) => {
  const labels = ['01', '1', '02', '2']
  const columns: ColumnSource[] = [
    { name: 'x', data: [1, 2, 3, 4], type: 'DOUBLE' },
    { name: 'label', data: labels, type: 'STRING' }
  ]
  const expected = { classNames: ['01', '02', '1', '2'], targets: [0, 2, 1, 3] }
  t.like(await open(t, parquet(columns), {}, 'a.parquet'), expected)
  t.like(await open(t, `x,label\n${labels.map((label) => `1,${label}`).join('\n')}`), expected)
  t.like(await open(t, 'x,label\n1,9007199254740993\n2,9007199254740992'), { classes: 2 })
  t.like(await open(t, 'x,label\n1,00\n2,01\n3,02'), { classes: 3, classNames: undefined }, 'numbers as before')
})

test('a column of floating-point numbers has the same classes in CSV and in Parquet', async (t) => {
  const columns: ColumnSource[] = [
    { name: 'x', data: [1, 2, 3], type: 'DOUBLE' },
    { name: 'label', data: [0, 2, 1], type: 'DOUBLE' }
  ]
  const inCsv = await open(t, 'x,label\n1,0.0\n2,2.0\n3,1.0')
  t.deepEqual(inCsv, await open(t, parquet(columns), {}, 'a.parquet'))
  t.like(inCsv, { classes: 3, classNames: undefined, targets: [0, 2, 1] })
})

test('an identifier in another base is no number', async (t) => {
  for (const id of ['0x1000', '0XfF', '0b101', '0o17'])
    await refused(t, `id,label\n${id},a\n2,b`, new RegExp(`line 2, column 1 \\("id"\\) is "${id}", expected a number`))
})

const model = (names: readonly string[]) =>
  ({ inputShape: [names.length], targetShape: [], preprocessing: { kind: 'numbers', names } }) as const
const inputs = async (path: string, names: readonly string[]) =>
  (await inputsIn(path, model(names))).map(({ from, values }) => [from.slice(from.lastIndexOf(':')), ...values])

test('a model takes rows below names that are numbers, packed files, and tables with other columns', async (t) => {
  t.deepEqual(await inputs(await saved(t, '410,400\n2,1', 'a.csv'), ['400', '410']), [[':2', 1, 2]])
  t.deepEqual(await inputs(await saved(t, gzipSync('a,b\n1,2'), 'a.csv.gz'), ['b', 'a']), [[':2', 2, 1]])
  const columns: ColumnSource[] = [
    { name: 'id', data: ['u', 'v'], type: 'STRING' },
    { name: 'when', data: [new Date(0), new Date(1)], type: 'TIMESTAMP' },
    { name: 'tags', data: [{ list: [1] }, {}], type: 'JSON' },
    { name: 'a', data: [1, 2], type: 'DOUBLE' }
  ]
  t.deepEqual(await inputs(await saved(t, parquet(columns), 'a.parquet'), ['a']), [
    [':1', 1],
    [':2', 2]
  ])
  const when: ColumnSource = { name: 'when', data: [new Date(0), new Date(1)], type: 'TIMESTAMP' }
  const label: ColumnSource = { name: 'label', data: ['x', 'y'], type: 'STRING' }
  const table = parquet([when, columns[3], label])
  await refused(t, table, /column "when" has .*ignore: \[when\]/, {}, 'a.parquet')
  t.deepEqual((await open(t, table, { ignore: ['when'] }, 'a.parquet')).inputs, [1, 2])
})
