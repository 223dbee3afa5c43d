import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test, { type ExecutionContext } from 'ava'
import { checksumOf, openFiles } from '../files.js'
import { inputsIn } from '../inputs.js'
import { loadLocalData } from '../local-data.js'
import { signatureOf } from '../signature.js'
import { take } from '../source.js'
import { widenedTo } from '../sparse.js'
import { readLibsvm } from './libsvm.js'
import { beginsAsLibsvm } from './libsvm-content.js'
import { maxCells } from './table.js'

async function saved(t: ExecutionContext, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-libsvm-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

const open = (path: string, targets?: 'numbers') => openFiles({ kind: 'files', path }, { ...(targets && { targets }) })

async function read(t: ExecutionContext, text: string | Uint8Array, targets?: 'numbers') {
  const source = await open(join(await saved(t, { 'a.svm': text }), 'a.svm'), targets)
  const all = take(
    source,
    Uint32Array.from({ length: source.count }, (_, row) => row)
  )
  const { classes, classNames, inputShape } = source
  return { inputs: [...all.inputs], targets: [...all.targets], classes, classNames, inputShape }
}

test('LIBSVM: lines are rows, and what is left out is 0; comments, blank lines, tabs, CR LF and a BOM are no rows', async (t) => {
  const expected = {
    inputs: [0.5, 0, -3, 0, 400, 0, 0, 0, 0],
    targets: [1, 0, 0],
    classes: 2,
    classNames: ['-1', '1'],
    inputShape: [3]
  }
  const lines = ['# heart', '', '+1 1:0.5 3:-3 # the first', '  -1\t2:4e2   ', '-1.0 # nothing', ' \t ']
  for (const end of ['\n', '\r\n', '\r']) {
    t.deepEqual(await read(t, lines.join(end)), expected)
    t.deepEqual(await read(t, `\uFEFF${lines.join(end)}${end}`), expected)
  }
  const utf16 = Buffer.from(`\uFEFF${lines.join('\n')}`, 'utf16le')
  t.deepEqual(await read(t, utf16), expected)
})

const labels = [
  { name: '-1 and 1', draw: (n: number) => (n % 2 === 0 ? '-1' : '1') },
  { name: '0 and 1', draw: (n: number) => String(n % 2) },
  { name: '1 to 4', draw: (n: number) => String(1 + (n % 4)) },
  { name: '2 and 4', draw: (n: number) => String(2 + 2 * (n % 2)) },
  { name: '-2 to 2', draw: (n: number) => String((n % 5) - 2) },
  { name: 'real values', draw: (n: number) => String(Math.sin(n)), targets: 'numbers' }
] as const
for (const { name, draw, ...options } of labels)
  test(`LIBSVM: the samples, classes and partition of ${name} are those of the same table in CSV`, async (t) => {
    const random = createRandom(4, name)
    const rows = Array.from({ length: 60 }, (_, n) => ({
      label: draw(n + random.integer(3)),
      values: Array.from({ length: 7 }, (_, i) =>
        i === 6 || random.uniform() < 0.4 ? String(random.normal() * 10 ** (random.integer(9) - 4)) : '0'
      )
    }))
    const csv = rows.map(({ label, values }) => [...values, label].join(','))
    const libsvm = rows.map(({ label, values }) =>
      [label, ...values.flatMap((value, i) => (value === '0' ? [] : `${i + 1}:${value}`))].join(' ')
    )
    const folder = await saved(t, { 'a.csv': csv.join('\n'), 'a.libsvm': libsvm.join('\n') })
    const localDataOf = (file: string) =>
      loadLocalData({
        data: { kind: 'files', path: join(folder, file) },
        testFraction: 0.2,
        peers: ['a', 'b', 'c'],
        self: 'b',
        partition: { kind: 'targets' in options ? 'equal' : 'label' },
        seed: 3,
        ...options
      })
    const expected = await localDataOf('a.csv')
    const found = await localDataOf('a.libsvm')
    t.deepEqual(found.train.inputs, expected.train.inputs)
    t.deepEqual(found.train.targets, expected.train.targets)
    t.deepEqual([found.train.classes, found.train.classNames], [expected.train.classes, expected.train.classNames])
    t.deepEqual(found.test.inputs, expected.test.inputs)
    t.is(found.fingerprint, expected.fingerprint)
  })

const wrong: readonly (readonly [string, string, RegExp, 'numbers'?])[] = [
  ['a label is missing', '1 1:2\n\n 1:0.5 2:1', /line 3, column 2: found "1:0\.5", expected a label before/],
  ['a label is a word', '1 1:2\ncat 1:0.5', /line 2, column 1: found "cat", expected a label: a finite number/],
  ['a label is missing a value', '1 1:2\nnan 1:0.5', /line 2, column 1: found "nan", expected a label/],
  ['a label is infinite', 'inf 1:2', /line 1, column 1: found "inf", expected a label/],
  ['a label is too large', '1e39 1:2', /found "1e39", expected a label/, 'numbers'],
  ['there are several labels', '1,3 1:2', /column 1: found "1,3", expected one label, a number; several/],
  ['a class is a fraction', '1 1:2\n0.5 1:3', /line 2, column 1: found "0\.5", expected a class: .*loss: mean-squared/],
  ['a value is NaN', '1 1:2 2:nan', /line 1, column 7: found "2:nan", expected a number between .* omit a line/],
  ['a value is infinite', '1 1:2 2:-Infinity', /column 7: found "2:-Infinity", expected a number/],
  ['a value is too large', '1 1:2\t12:1e39', /column 7: found "12:1e39", expected a number between -3\.4e38/],
  ['a value is missing', '1 1: 2', /column 3: found "1:", expected a number/],
  ['a value is a word', '1 1:0x1f', /column 3: found "1:0x1f", expected a number/],
  ['a value has two colons', '1 1:2:3', /column 3: found "1:2:3", expected a number/],
  ['a pair has no colon', '1 1:2 0.7', /column 7: found "0\.7", expected index:value, such as 2:0\.5/],
  ['an index is 0', '1 0:2 1:3', /column 3: found "0:2", expected indices from 1 on; add 1 to every index/],
  ['an index is 0 below CR LF', '1 1:2\r\n\r\n1 0:1', /line 3, column 3: found "0:1"/],
  ['an index is negative', '1 -3:2', /column 3: found "-3:2", expected index:value with an index from 1 to 1048576/],
  ['an index is a fraction', '1 1.5:2', /column 3: found "1\.5:2", expected index:value with an index/],
  ['an index is missing', '1 :2', /column 3: found ":2", expected index:value with an index/],
  [
    'an index is too high',
    '1 1:0 1048577:2',
    /column 7: found "1048577:2", expected an index of at most 1048576, the most columns/
  ],
  ['an index is far too high', `1 ${'9'.repeat(60)}:2`, /found "9{40}…", expected an index of at most 1048576/],
  [
    'indices descend',
    '1 1:2\n1 3:1 2:1',
    /line 2, column 7: found "2:1", expected an index above 3, the last one; sort/
  ],
  ['an index occurs twice', '1 3:1 3:2', /column 7: found "3:2", expected each index once in a line, and 3 occurred/],
  ['there are queries', '3 qid:1 1:2', /column 3: found "qid:1", expected no qid: it marks the queries of a ranking/],
  ['there is nothing', '', /a\.svm: found no line with a label, expected at least one/],
  ['there are only comments', '# a\n\n  # b', /a\.svm: found no line with a label/],
  ['there are only labels', '1\n-1\n', /a\.svm: no line has a value, expected index:value after the labels/],
  ['all labels are equal', '1 1:2\n1 1:3', /a\.svm: the label is 1 in all 2 lines, expected at least two different/],
  ['it is not UTF-8', '1 1:2\n1 2:\u00ff', /is not UTF-8/],
  ['a class is too high', '1 1:2\n20000 1:3', /line 2, column 1 is class 20000, expected one below 10000/]
]
for (const [name, text, message, targets] of wrong)
  test(`LIBSVM: refused where ${name}`, async (t) => {
    const bytes = Buffer.from(text, message.source.includes('UTF-8') ? 'latin1' : 'utf8')
    const error = await t.throwsAsync(read(t, bytes, targets), { instanceOf: InputError, message })
    t.regex(error.message, /a\.svm: /)
  })

test('LIBSVM: a few lines with a high index are refused before their zeros take memory', async (t) => {
  const text = Array.from({ length: 33 }, (_, row) => `${row % 2} ${2 ** 20}:1`).join('\n')
  const message = new RegExp(
    `33 lines of 1048576 values with their zeros, 34603008 in all, expected at most ${maxCells}`
  )
  await t.throwsAsync(read(t, text), { instanceOf: InputError, message })
  const { width, columns } = readLibsvm({ name: 'a.svm', bytes: Buffer.from(text) })
  t.deepEqual([width, columns.length], [2 ** 20, 33])
})

test('LIBSVM: names of columns are refused, as there are none', async (t) => {
  const path = join(await saved(t, { 'a.svm': '1 1:2\n0 1:3' }), 'a.svm')
  const withColumns = (columns: object) => openFiles({ kind: 'files', path, ...columns })
  await t.throwsAsync(withColumns({ target: 'x' }), { instanceOf: InputError, message: /a\.svm: found target, .*omit/ })
  await t.throwsAsync(withColumns({ ignore: ['x'] }), {
    instanceOf: InputError,
    message: /a\.svm: found ignore, .*omit/
  })
  t.is((await withColumns({ target: 'first' })).count, 2)
})

test('LIBSVM: known by its names, packed too, or by its beginning under other names; not beside other tables', async (t) => {
  const text = '# from there\n1\n1 1:2\n-1 2:3\n'
  for (const name of ['a.libsvm', 'a.svm', 'a.SVMLIGHT', 'a.svm.gz', 'a9a', 'a9a.t', 'a9a.gz']) {
    const folder = await saved(t, { [name]: name.endsWith('gz') ? gzipSync(text) : text, 'README.md': '# 1 2:3' })
    t.like(await open(folder), { count: 3, classes: 2 }, name)
    t.is((await open(join(folder, name))).count, 3)
    t.is((await checksumOf(folder)).files, 1)
  }
  const two = await saved(t, { 'a.svm': '1 1:2', 'b.svm': '-1 4:3' })
  t.like(await open(two), { count: 2, classes: 2, inputShape: [4] }, 'all files are as wide as the widest')
  const mixed = await saved(t, { 'a.svm': text, 'a.csv': '1,2' })
  const message = /a\.csv and .*a\.svm: found CSV and LIBSVM, expected one of them; name the files/
  await t.throwsAsync(open(mixed), { instanceOf: InputError, message })
  for (const other of [
    '',
    '1',
    'x 1:2',
    '1 2 3',
    'label,1:2',
    '{"a": 1}',
    '# '.repeat(2000),
    '1 '.repeat(2000),
    '1\n'.repeat(2000)
  ])
    t.false(beginsAsLibsvm(Buffer.from(other)), other.slice(0, 20))
  for (const text_ of ['1 1:2', '\uFEFF-1.5e3\t7:x', '\r\n# 1\r\n# 2\r\n\r\n+1 qid:3 1:2'])
    t.true(beginsAsLibsvm(Buffer.from(text_)), text_)
})

test('LIBSVM: a test set and training samples are as wide as the wider, and local data as the test set', async (t) => {
  const folder = await saved(t, { 'wide.svm': '1 1:2 3:4\n0 2:5\n', 'narrow.svm': '0 1:7\n1 2:8\n' })
  const localDataOf = (train: string, held: string, kind: 'equal' | 'local' = 'equal') => {
    const path = join(folder, train)
    const test = join(folder, held)
    return checksumOf(test).then(({ sha256 }) =>
      loadLocalData({
        data: { kind: 'files', path },
        testFraction: 0,
        test: { path: test, sha256 },
        partition: { kind },
        peers: ['a'],
        self: 'a',
        seed: 1
      })
    )
  }
  const wide = await localDataOf('wide.svm', 'narrow.svm')
  t.deepEqual(wide.test.inputShape, [3])
  t.deepEqual([...wide.test.inputs], [7, 0, 0, 0, 8, 0])
  const row = new Float32Array(3).fill(9)
  widenedTo(wide.train, await open(join(folder, 'narrow.svm'))).read(1, row)
  t.deepEqual([...row], [0, 8, 0], 'whatever the row had before')
  const narrow = await localDataOf('narrow.svm', 'wide.svm')
  t.deepEqual(narrow.train.inputShape, [3])
  t.deepEqual([...narrow.train.inputs].sort(), [0, 0, 0, 0, 7, 8])
  t.deepEqual((await localDataOf('narrow.svm', 'wide.svm', 'local')).train.inputShape, [3])
  await t.throwsAsync(localDataOf('wide.svm', 'narrow.svm', 'local'), {
    instanceOf: InputError,
    message: /shape \[3\], those of the test set \[2\]/
  })
})

test('LIBSVM: a model takes its rows, whose labels do not matter, and no index that it does not know', async (t) => {
  const folder = await saved(t, {
    'a.svm': '1 1:2 3:4\n0 2:5\n',
    'b.svm': '7.5 2:9\n\n0 1:1\n',
    'c': '0 2:9',
    'd.svm': '0\n\n0 4:1'
  })
  const signature = signatureOf(await open(join(folder, 'a.svm')))
  const inputs = await inputsIn(join(folder, 'b.svm'), signature)
  t.deepEqual(
    inputs.map(({ from, values }) => [from, ...values]),
    [
      [`${folder}/b.svm:1`, 0, 9, 0],
      [`${folder}/b.svm:3`, 1, 0, 0]
    ]
  )
  t.deepEqual([...(await inputsIn(join(folder, 'c'), signature))[0].values], [0, 9, 0])
  await t.throwsAsync(inputsIn(join(folder, 'd.svm'), signature), {
    instanceOf: InputError,
    message: /d\.svm: line 3 has the index 4; the model takes 3 numbers/
  })
})
