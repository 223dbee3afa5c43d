/**
 * Data and files as people have them: small inputs in ../shared/cases, or in the folder that MURMUR_CASES names. Each
 * must come out as its README.md says.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { type DataDescription, inputsIn, loadLocalData, readRatings, readWords, type Samples } from '@murmuration/data'
import { evaluateModel, predict } from '@murmuration/experiment/models'
import { readTopologyFile } from '@murmuration/files'
import { readEventLogs, runsOfLogs, timelinesOfLogs } from '@murmuration/results'
import test, { type ExecutionContext } from 'ava'
import { root } from './repository.js'

const cases = process.env.MURMUR_CASES ?? join(root, '../shared/cases')

type Columns = Pick<Extract<DataDescription, { kind: 'files' }>, 'target' | 'ignore' | 'size'>
type Found = Pick<Samples, 'classNames' | 'inputShape' | 'preprocessing'> & {
  readonly rows: number
  readonly classes: number
}

/** What a training learns from: all rows of a file or folder, and their classes. */
async function opened(path: string, columns: Columns = {}): Promise<Found> {
  const { train, test: held } = await loadLocalData({
    data: { kind: 'files', path, ...columns },
    testFraction: 0.2,
    partition: { kind: 'equal' },
    peers: ['a'],
    seed: 1
  })
  const { classNames, inputShape, preprocessing, classes = 0 } = train
  return { rows: train.count + held.count, classes, classNames, inputShape, preprocessing }
}

async function refused(t: ExecutionContext, path: string, message: RegExp): Promise<void> {
  await t.throwsAsync(opened(path), { instanceOf: InputError, message })
}

/** The most probable class of each row or image, and where it is. */
async function predicted(folder: string, model: string, ...files: string[]): Promise<string[]> {
  const found: string[] = []
  const paths = files.map((file) => join(folder, file))
  for await (const { classes } of predict(join(folder, model), paths)) found.push(classes?.[0]?.name ?? 'no class')
  return found
}

/** A folder with class folders and images that are links to others in `store`. */
function withLinks(t: ExecutionContext, folder: string, links: Readonly<Record<string, string>>): string {
  const copy = mkdtempSync(join(tmpdir(), 'murmur-case-'))
  t.teardown(() => rmSync(copy, { recursive: true }))
  cpSync(folder, copy, { recursive: true })
  for (const [link, to] of Object.entries(links)) {
    rmSync(join(copy, link), { recursive: true, force: true })
    mkdirSync(join(copy, link, '..'), { recursive: true })
    symlinkSync(join(copy, to), join(copy, link))
  }
  return copy
}

type Check = (t: ExecutionContext, folder: string) => Promise<void>

/** By the number of the case: what must come out, as the name of its test, and the check. */
const checks: Readonly<Record<string, readonly [string, Check]>> = {
  '04': [
    'classes in Latin-1 are refused with line and character',
    (t, at) => refused(t, join(at, 'latin1.csv'), /latin1\.csv: line 2, character 22 is not UTF-8/)
  ],
  '05': [
    'a last column with one value is no target, and the first can be named',
    async (t, at) => {
      const path = join(at, 'label-first.csv')
      await refused(t, path, /column 65, the target, is "0" in all \d+ rows.*target: first/)
      t.like(await opened(path, { target: 'first' }), { classes: 4, inputShape: [64] })
    }
  ],
  '06': [
    'one folder of images is refused',
    (t, at) => refused(t, join(at, 'photos'), /all 12 images are of the class "cat"/)
  ],
  '07': [
    'a header of numbers is no row, and its last name no class',
    async (t, at) => {
      t.like(await opened(join(at, 'numeric-header.csv')), { rows: 40, classNames: ['rose', 'tulip'] })
      t.like(await opened(join(at, 'range-header.csv')), { rows: 40, classes: 2 })
    }
  ],
  '08': [
    'an index column is no input',
    async (t, at) => {
      for (const [file, names] of [
        ['index.parquet', 'a,b,c'],
        ['index.csv', 'width,height,depth']
      ]) {
        const { preprocessing } = await opened(join(at, file))
        t.is(preprocessing?.kind === 'numbers' && String(preprocessing.names), names)
      }
    }
  ],
  '09': [
    'a link to a folder of images is a class',
    async (t, at) => {
      const folder = withLinks(t, at, { 'photos/bird': 'store/bird' })
      t.like(await opened(join(folder, 'photos')), { rows: 36, classNames: ['bird', 'cat', 'dog'] })
    }
  ],
  '10': [
    'evaluate counts images that are links',
    async (t, at) => {
      const images = ['cat', 'dog'].flatMap((name) =>
        readdirSync(join(at, 'store', name)).map((file) => [`photos/${name}/${file}`, `store/${name}/${file}`] as const)
      )
      const folder = withLinks(t, at, Object.fromEntries(images))
      const { signal } = new AbortController()
      const { loss } = await evaluateModel(join(folder, 'plain.safetensors'), { data: join(folder, 'photos'), signal })
      t.true(Number.isFinite(loss))
    }
  ],
  '11': [
    'a table beside images is refused',
    (t, at) => refused(t, join(at, 'photos'), /metadata\.csv and .*: found a table and images/)
  ],
  '12': [
    'an image is turned as EXIF says',
    async (t, at) =>
      void t.deepEqual(await predicted(at, 'bars.safetensors', 'right.jpg', 'right-exif6.jpg'), ['right', 'right'])
  ],
  '13': [
    'a JPEG that stores RGB has its colours',
    async (t, at) => {
      const signature = { inputShape: [2, 2, 3], targetShape: [], preprocessing: { kind: 'image' } } as const
      const [jpg] = await inputsIn(join(at, 'rgb.jpg'), signature)
      const [png] = await inputsIn(join(at, 'rgb.png'), signature)
      for (const [place, value] of png.values.entries()) t.true(Math.abs(value - jpg.values[place]) < 0.02, `${place}`)
    }
  ],
  '15': [
    'truth values in Parquet are inputs',
    async (t, at) => void t.like(await opened(join(at, 'dummies.parquet')), { inputShape: [3] })
  ],
  '16': [
    'NA is no class',
    (t, at) => refused(t, join(at, 'na-label.csv'), /line 2, column 4 is "NA", expected a class/)
  ],
  '17': [
    'a class in another normal form is the same class',
    async (t, at) => {
      const { classNames } = await opened(join(at, 'nfd.csv'))
      const other = await opened(join(at, 'test.csv'))
      t.deepEqual(classNames, other.classNames)
    }
  ],
  '20': [
    'addresses that no peer can use are told with their line when the file is read',
    async (t, at) => {
      for (const [file, message] of [
        ['zone.yaml', /zone\.yaml:4:28: .*fe80::1%eth0.*without a zone/],
        ['port.yaml', /port\.yaml:4:28: .*04402.*without leading zeros, 4402/]
      ] as const)
        await t.throwsAsync(readTopologyFile(join(at, file)), { instanceOf: InputError, message })
    }
  ],
  '21': [
    'ratings with a byte order mark are read',
    async (t, at) => void t.true((await readRatings(join(at, 'ratings.csv'))).users > 0)
  ],
  '22': [
    'words have their vowel signs',
    async (t, at) => {
      const { words, word } = await readWords(join(at, 'hindi.txt'), 1)
      t.deepEqual([words, word.length], [9, 660])
    }
  ],
  '25': [
    '"01" and "1" in Parquet are two classes',
    async (t, at) => void t.deepEqual((await opened(join(at, 'codes.parquet'))).classNames, ['01', '02', '1'])
  ],
  '26': [
    'CSV and Parquet of one table have the same classes',
    async (t, at) =>
      void t.deepEqual(await opened(join(at, 'floatlabel.csv')), await opened(join(at, 'floatlabel.parquet')))
  ],
  '27': ['0x1000 is no number', (t, at) => refused(t, join(at, 'hex.csv'), /\("id"\) is "0x1000", expected a number/)],
  '28': [
    'predict reads packed CSV',
    async (t, at) => void t.deepEqual(await predicted(at, 't.safetensors', 'new.csv.gz'), ['rose', 'tulip'])
  ],
  '29': [
    'a peer whose clock is 5 h ahead is in the run of the others, and the correction is named',
    async (t, at) => {
      const logs = (await Promise.all(['a', 'b', 'c'].map((peer) => readEventLogs(join(at, peer))))).flat()
      const [run, ...others] = runsOfLogs(logs)
      t.is(others.length, 0)
      const [whole] = timelinesOfLogs(run, { settings: {}, method: 'D-PSGD', seed: 1 })
      t.deepEqual(whole.peers, ['a', 'b', 'c'])
      t.regex(whole.clocks ?? '', /c by -5 h/)
    }
  ],
  '33': [
    'words in Latin-1 are refused',
    async (t, at) =>
      void (await t.throwsAsync(readWords(join(at, 'latin.txt'), 1), {
        instanceOf: InputError,
        message: /is not UTF-8/
      }))
  ],
  '34': [
    'predict takes a header of numbers for a header',
    async (t, at) => void t.is((await predicted(at, 'nl.safetensors', 'new.csv')).length, 1)
  ],
  '35': [
    'truth values in CSV are inputs',
    async (t, at) => void t.like(await opened(join(at, 'dummies.csv')), { inputShape: [3] })
  ],
  '36': [
    'truth values in CSV and Parquet are the same classes',
    async (t, at) => void t.deepEqual(await opened(join(at, 'bool.csv')), await opened(join(at, 'bool.parquet')))
  ],
  '37': [
    '01, 1, 02 and 2 in CSV are four classes',
    async (t, at) => void t.deepEqual((await opened(join(at, 'zeros.csv'))).classNames, ['01', '02', '1', '2'])
  ],
  '38': [
    'predict ignores the other columns of Parquet',
    async (t, at) => void t.deepEqual(await predicted(at, 't.safetensors', 'extra.parquet'), ['rose', 'tulip'])
  ]
}

const there = existsSync(cases)
if (!there) test.skip(`the cases of data (skipped: ${cases} is not there)`, () => {})

for (const [number, [name, check]] of there ? Object.entries(checks) : [])
  test(`case ${number}: ${name}`, async (t) => {
    const folder = readdirSync(cases).find((each) => each.startsWith(`${number}-`))
    if (folder === undefined) t.pass(`no case ${number} in ${cases}`)
    else await check(t, join(cases, folder))
  })
