import { InputError } from '@murmuration/core'
import test from 'ava'
import { take } from '../source.js'
import { readCsv, readCsvInputs } from './csv.js'
import { maxCells, maxColumns, type TableFile, type TableReading } from './table.js'
import { tableSource } from './table-source.js'
import { sampleColumns } from './table-columns.js'
import { inputColumns } from './table-inputs.js'

const csvSource = (files: readonly TableFile[], reading?: TableReading) =>
  tableSource(
    files.map((file) => readCsv(file, sampleColumns(reading))),
    reading
  )

const read = (text: string) => {
  const source = csvSource([{ name: 'a.csv', bytes: Buffer.from(text) }])
  const { inputs, targets } = take(
    source,
    Uint32Array.from(source.targets, (_, index) => index)
  )
  return { inputs: [...inputs], targets: [...targets], classes: source.classes, shape: source.inputShape }
}

test('a table whose values something else than commas separates is refused with what to write', (t) => {
  for (const [delimiter, shown] of [
    [';', '";"'],
    ['\t', 'a tab'],
    ['|', '"|"']
  ]) {
    const text = ['a', 'b', 'label'].join(delimiter) + '\n' + ['1,5', '2', 'x'].join(delimiter) + '\n'
    const message = `a.csv: line 1 has ${shown} between its values, expected commas; save the table with commas between values, and points in decimal numbers`
    t.throws(() => read(text), { instanceOf: InputError, message })
  }
})

test('without a line of names the last column is the class', (t) => {
  t.deepEqual(read('1,2.5,0\n-3,4e2,2\n'), { inputs: [1, 2.5, -3, 400], targets: [0, 2], classes: 3, shape: [2] })
})

test('a column named label, class or target is the class, wherever it is', (t) => {
  t.deepEqual(read('a,Class,b\n1,1,2\n3,0,4'), { inputs: [1, 2, 3, 4], targets: [1, 0], classes: 2, shape: [2] })
})

test('words are numbered in the order of their letters, also without a line of names', (t) => {
  t.deepEqual(read('1, setosa\n2, iris\n\n3, setosa').targets, [1, 0, 1])
  t.deepEqual(read('7,-1\n8,+1').classes, 2)
})

test('a byte order mark, quotes and other line ends are understood', (t) => {
  t.deepEqual(read('\ufeff"x","label"\r\n"1","0"\r\n'), { inputs: [1], targets: [0], classes: 1, shape: [1] })
})

const table = (name: string, text: string) => ({ name, bytes: Buffer.from(text) })

test('several files are put together, and their words are numbered over all of them', (t) => {
  const source = csvSource([table('a.csv', 'x,class\n1,iris\n2,rose'), table('b.csv', 'x,class\n3,aster')])
  t.deepEqual([...source.targets], [1, 2, 0])
  t.deepEqual(source.classNames, ['aster', 'iris', 'rose'])
  const { inputs } = take(source, Uint32Array.of(2, 0))
  t.deepEqual([...inputs], [3, 1])
})

test('files that do not fit together are refused with both names', (t) => {
  const refused = (left: string, right: string, message: RegExp) =>
    t.throws(() => csvSource([table('a.csv', left), table('b.csv', right)]), { instanceOf: InputError, message })
  refused('x,label\n1,0', 'y,label\n1,0', /b\.csv: line 1 has y, label, expected x, label as in a\.csv/)
  refused('x,label\n1,0', '1,0', /b\.csv: line 1 has no names, expected x, label/)
  refused('1,0', '1,2,0', /b\.csv: found 3 columns, expected 2 as in a\.csv/)
})

test('targets that are numbers are taken as they are', (t) => {
  const read = (text: string) => csvSource([table('a.csv', text)], { targets: 'numbers' })
  const source = read('target,x\n-2.5,1\n3,2')
  t.deepEqual([...source.targets], [-2.5, 3])
  t.is(source.classes, undefined)
  t.throws(() => read('x,target\n1,low'), {
    instanceOf: InputError,
    message: /line 2, column 2 \("target"\) is "low", expected a number/
  })
})

test('classes that others have numbered keep their numbers, and others are refused', (t) => {
  const reading = { like: { inputShape: [1], classNames: ['b', 'd'] } }
  t.deepEqual([...csvSource([table('a.csv', '1,d\n2,d')], reading).targets], [1, 1])
  const refused = () => csvSource([table('a.csv', '1,d\n2,c')], reading)
  t.throws(refused, {
    instanceOf: InputError,
    message: /line 2, column 2 is the class "c", which the test set does not have/
  })
})

test('columns have the order of those that they have to fit, and others are refused', (t) => {
  const like = { inputShape: [2], preprocessing: { kind: 'numbers', names: ['a', 'b'] } } as const
  const source = csvSource([table('a.csv', 'b,label,a\n2,0,1\n4,1,3')], { like })
  t.deepEqual([...take(source, Uint32Array.of(0, 1)).inputs], [1, 2, 3, 4])
  t.deepEqual(source.preprocessing, { kind: 'numbers', names: ['a', 'b'] })
  t.throws(() => csvSource([table('a.csv', 'b,label,c\n2,0,1')], { like }), {
    instanceOf: InputError,
    message: /a\.csv: line 1 .* which are a, b: missing: a; not expected: c/
  })
  t.deepEqual([...take(csvSource([table('a.csv', '2,1,0')], { like }), Uint32Array.of(0)).inputs], [2, 1])
})

const wrong: readonly (readonly [string, string, RegExp])[] = [
  ['an empty file', '', /a\.csv: found no line with values/],
  ['names alone', 'a,b,label\n', /no line with values/],
  ['a name of two columns', 'a,b,a,label\n1,2,3,0', /a\.csv: line 1 names two columns "a"; each needs its own name/],
  ['one column', '1\n2\n', /found one column, expected at least two/],
  ['a word among numbers', 'a,b,label\n1,2,0\n1,two,0', /a\.csv: line 3, column 2 \("b"\) is "two", expected a number/],
  ['an empty cell', '1,2,0\n1,,0', /line 2, column 2 is "", expected a number/],
  ['an empty cell in the first line', '1,,0\n1,2,0', /line 1, column 2 is "", expected a number/],
  [
    'a number that float32 has not',
    '1,0\n1e39,1',
    /line 2, column 1 is "1e39", expected a number between -3.4e38 and 3.4e38/
  ],
  ['a short line', '1,2,0\n1,0', /a\.csv: .*line 2/],
  ['a quote that never ends', '1,"2,0\n', /a\.csv: /],
  ['a real number as class', '1,0.5\n1,1', /line 1, column 2 is "0.5", expected a class/],
  ['a missing class', '1,a\n1,', /line 2, column 2 is "", expected a class/],
  ['an enormous class', '1,0\n1,123456', /line 2, column 2 is class 123456, expected one below 10000/]
]

for (const [what, text, message] of wrong) {
  test(`${what} is refused with file and line`, (t) => {
    t.throws(() => csvSource([{ name: 'a.csv', bytes: Buffer.from(text) }]), { instanceOf: InputError, message })
  })
}

test('more cells than the limit are refused', (t) => {
  const rows = table('a.csv', `1${','.repeat(maxColumns - 1)}\n`.repeat(maxCells / maxColumns + 1))
  t.throws(() => readCsvInputs(rows, () => ({ numbers: [0] })), {
    instanceOf: InputError,
    message: /a\.csv: more than 33554432 cells/
  })
})

test('texts in columns that are not wanted, too long or too many for classes, are not looked at', (t) => {
  const text = `x,text,y\n${Array.from({ length: 120_000 }, (_, k) => `${k},t${k},1`).join('\n')}\n1,${'a'.repeat(1e5)},2`
  const { numbers } = readCsvInputs(table('a.csv', text), inputColumns({ length: 2, names: ['y', 'x'] }))
  t.deepEqual([...numbers.subarray(-4)], [1, 119_999, 2, 1])
})

test('a target with a different text in each row is refused before all of them are kept', (t) => {
  const lines = (count: number, text: (k: number) => string) => Array.from({ length: count }, (_, k) => `1,${text(k)}`)
  const refused = (text: string, message: RegExp) =>
    t.throws(() => csvSource([table('a.csv', text)]), { instanceOf: InputError, message })
  refused(lines(120_000, (k) => `t${k}`).join('\n'), /at least 100000 classes, expected at most 10000/)
  refused(lines(120_000, (k) => `${k}.5`).join('\n'), /line 1, column 2 is "0.5", expected a class/)
  refused(lines(120_000, String).join('\n'), /line 10001, column 2 is class 10000, expected one below 10000/)
  const { classes } = csvSource([table('a.csv', lines(200, (k) => '0'.repeat(k) + (k % 2)).join('\n'))])
  t.is(classes, 200)
})
