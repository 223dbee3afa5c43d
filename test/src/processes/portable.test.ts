/** The portable packages in a real browser: bundled without a plugin, they compute what they compute in Node. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { timeLimit } from '@murmuration/contract'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { encode as encodePng } from 'fast-png'
import jpeg from 'jpeg-js'
import { root } from '../repository.js'
import { executablePath, openedBrowser, skipped } from './browser.js'
import { bundled, servedPage } from './pages.js'
import { dataResults, type PortableResults, pureResults, taskResults } from './portable-results.js'

const rows = Array.from({ length: 60 }, (_, k) => [k % 7, (k * k) % 11, k / 4, k % 3])
const csv = `a,b,"c, d",class\r\n${rows.map((row) => `${row.slice(0, 3).join(',')},"größe ${row[3]}"`).join('\r\n')}\r\n`
const pixels = (seed: number) => Uint8Array.from({ length: 12 * 12 * 3 }, (_, k) => (seed * 37 + k * 11) % 256)
const png = (seed: number) => encodePng({ width: 12, height: 12, data: pixels(seed), channels: 3 })

function jpg(seed: number): Uint8Array {
  const data = new Uint8Array(12 * 12 * 4).map((_, k) => (seed * 13 + k * 7) % 256)
  return jpeg.encode({ width: 12, height: 12, data }, 90).data
}

/** Images of 2 × 2 pixels and their labels, in MNIST's format. */
function idx(): Readonly<Record<string, Uint8Array>> {
  const images = Uint8Array.of(
    0,
    0,
    8,
    3,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    2,
    0,
    0,
    0,
    2,
    ...Array.from({ length: 80 }, (_, k) => 3 * k)
  )
  const labels = Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 20, ...Array.from({ length: 20 }, (_, k) => k % 3))
  return { 'idx/train-images-idx3-ubyte.gz': gzipSync(images), 'idx/train-labels-idx1-ubyte': labels }
}

const images = Object.fromEntries(
  Array.from({ length: 12 }, (_, k) => {
    const folder = k % 2 === 0 ? 'dogs' : 'cats'
    return k % 3 === 2 ? [`images/${folder}/${k}.jpg`, jpg(k)] : [`images/${folder}/${k}.png`, png(k)]
  })
)
const files: Readonly<Record<string, string | Uint8Array>> = {
  'table.csv': csv,
  'table.csv.gz': gzipSync(csv),
  'sparse.libsvm': rows.map((row) => `${row[3]} 1:${row[0]} 3:${row[2]}`).join('\n'),
  'text.txt': 'One word, and another one.\n\nGröße and 名前 are words.',
  'utf-16/table.csv': Buffer.from(`\uFEFF${csv}`, 'utf16le'),
  ...images,
  'images/cats/1.png': png(1),
  'images/dogs/2.jpg': jpg(2),
  ...idx(),
  'columns.parquet': Uint8Array.of(0x50, 0x41, 0x52, 0x31, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x41, 0x52, 0x31)
}

/** What no page needs, or what a peer in a page reaches by an entry of its own. */
const entries = [
  ...['core', 'random', 'vectors', 'wire', 'topology', 'membership', 'engine', 'rows', 'algorithms', 'simulator'],
  ...['files', 'data', 'tasks', 'tfjs', 'platform', 'tfjs/task', 'tasks/serve', 'watch/reports']
].map((name) => `@murmuration/${name}`)

test('what a peer needs is bundled for a page without a plugin', async (t) => {
  const names = entries.map((entry, index) => `export * as entry${index} from '${entry}'\n`)
  const { 'all.js': all } = await bundled({ 'all.js': names.join('') })
  const text = Buffer.from(all).toString()
  t.true(text.length > 1e6)
  // The languages of zod are as long as the rest of it.
  t.false(text.includes('Eingabe'), "import * as z from 'zod', since { z } keeps all of it")
})

test('the programs of a tab’s workers can be classic scripts, which Vite makes of them', async (t) => {
  const programs = ['task-worker', 'predict-worker'].map((name) => `${root}packages/browser/dist/${name}.js`)
  const { outputFiles } = await build({
    entryPoints: programs,
    outdir: 'page',
    bundle: true,
    platform: 'browser',
    format: 'iife',
    write: false,
    logLevel: 'silent'
  })
  t.is(outputFiles.length, 2)
})

const page = `
import { loadLocalData, provideFiles } from '@murmuration/data'
import { createTfjsTask } from '@murmuration/tfjs'
import { setTaskProgram } from '@murmuration/tasks'
import { dataResults, pureResults, taskResults } from './dist/processes/portable-results.js'

setTaskProgram(() => new Worker('task-thread.js', { type: 'module' }))
const options = { testFraction: 0.2, partition: { kind: 'equal' }, seed: 1, peers: ['a'] }
const refusal = (data) => loadLocalData({ ...options, data }).then(() => 'none', (error) => error.message)
const refusals = async () => [
  await refusal({ kind: 'files', path: 'columns.parquet' }),
  await refusal({ kind: 'files', path: 'https://example.org/a.csv', sha256: {} }),
  await refusal({ kind: 'known', name: 'mnist' }),
  await refusal({ kind: 'files', path: 'nowhere.csv' }),
  await createTfjsTask({ localData: options, model: { kind: 'module', path: './mine.js' } }).catch((error) => error.message)
]

window.results = (async () => {
  const names = await (await fetch('names')).json()
  const file = async (path) => ({ path: '/' + path, file: await (await fetch('files/' + path)).blob() })
  provideFiles(await Promise.all(names.map(file)))
  const others = crossOriginIsolated ? {} : { ...(await pureResults()), ...(await dataResults((name) => name)) }
  return { results: { ...others, ...(await taskResults()) }, refusals: await refusals() }
})()
`
const thread = `
import { serveTask } from '@murmuration/tasks/serve'
import { tfjsTaskModule } from '@murmuration/tfjs'
await serveTask({ [tfjsTaskModule]: () => import('@murmuration/tfjs/task') })
`
const wasm = 'tfjs-backend-wasm-simd.wasm'

/** Results of this Node. */
async function resultsInNode(): Promise<PortableResults> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-portable-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
    return { ...(await pureResults()), ...(await dataResults((name) => join(folder, name))) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** What a page that has the files computes, and with which sentences it refuses others. */
interface PageResults {
  readonly results: PortableResults
  readonly refusals: readonly string[]
}

async function resultsIn(t: ExecutionContext, headers: Readonly<Record<string, string>>): Promise<PageResults> {
  t.timeout(timeLimit(60_000))
  const bytes = Object.entries(files).map(([name, content]) => [`files/${name}`, Buffer.from(content)])
  const url = await servedPage(
    t,
    {
      ...(await bundled({ 'page.js': page, 'task-thread.js': thread })),
      ...Object.fromEntries(bytes),
      names: Buffer.from(JSON.stringify(Object.keys(files))),
      [wasm]: await readFile(`${root}node_modules/@tensorflow/tfjs-backend-wasm/dist/${wasm}`)
    },
    headers
  )
  const opened = await openedBrowser(t, url, {})
  return opened.page.evaluate(() => (window as unknown as { results: Promise<PageResults> }).results)
}

const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

inBrowser(`streams, codecs, runs, files and tasks have the same bits in a page as in Node${skipped}`, async (t) => {
  const { results: found, refusals } = await resultsIn(t, {})
  t.deepEqual(found, { ...(await resultsInNode()), ...(await taskResults()) })
  t.true(Object.keys(found).length > 25)
  const expected = [
    /^columns\.parquet: a page reads no Parquet; save the table as CSV$/,
    /^https:\/\/example\.org\/a\.csv: a page fetches no data; fetch the files, and give them to the page$/,
    /^the page needs [\w-]+\.gz(, [\w-]+\.gz){2}; fetch what is missing, and give it to the page$/,
    /^nowhere\.csv cannot be read: there is no such file on this page; expected/,
    /^\.\/mine\.js: a page runs no modules of others/
  ]
  for (const [index, sentence] of expected.entries()) t.regex(refusals[index], sentence)
})

inBrowser(`tasks have the same bits in a page whose threads share memory${skipped}`, async (t) => {
  const { results } = await resultsIn(t, isolated)
  t.deepEqual(results, await taskResults())
})
