/**
 * What a page with @murmuration/browser loads, in kB of gzip, by package: until it can join, in the worker that
 * computes, and in all. `node bench/browser-size.mjs` after `npm run build`.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { withoutThreads } from '../without-threads.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundled, split into what is loaded at once and what follows. */
async function bundled(entry) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`packages/browser/dist/${entry}.js`],
    outdir: 'page',
    bundle: true,
    splitting: true,
    minify: true,
    legalComments: 'none',
    plugins: [withoutThreads],
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    logLevel: 'error'
  })
  const contents = new Map(outputFiles.map(({ path, contents: bytes }) => [path.slice(root.length), bytes]))
  return { contents, outputs: metafile.outputs }
}

/** The files that are loaded for an entry: what it imports, and later where a name matches `lazily`. */
function loadedFor({ outputs }, entry, lazily) {
  const found = new Set([`page/${entry}.js`])
  for (const file of found)
    for (const { path, kind } of outputs[file].imports)
      if (kind === 'import-statement' || lazily.test(path)) found.add(path)
  return [...found]
}

/** The sizes of files, and of the packages in them, in kB. A package's part is that of the bytes before gzip. */
function sizes({ contents, outputs }, files) {
  const byPackage = new Map()
  let total = 0
  for (const file of files) {
    const packed = gzipSync(contents.get(file), { level: 9 }).length / 1000
    total += packed
    const { inputs, bytes } = outputs[file]
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name = 'other'] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)|/.exec(input)
      const own = /^packages\/[^/]+/.exec(input)?.[0] ?? name
      byPackage.set(own, (byPackage.get(own) ?? 0) + (packed * bytesInOutput) / bytes)
    }
  }
  const parts = [...byPackage].sort(([, left], [, right]) => right - left)
  return { total, parts }
}

function print(title, { total, parts }) {
  const shown = parts.filter(([, size]) => size >= 2)
  const rest = parts.filter(([, size]) => size < 2).reduce((sum, [, size]) => sum + size, 0)
  console.log(`${title}: ${total.toFixed(0)} kB`)
  console.log(`  ${[...shown, ['others', rest]].map(([name, size]) => `${name} ${size.toFixed(0)}`).join(', ')}`)
}

const page = await bundled('index')
const worker = await bundled('task-worker')
// Looking for the run, and being a peer, load libp2p.
const untilJoined = sizes(page, loadedFor(page, 'index', /\/(enter|open-peer|network)-\w+\.js$/))
const computing = sizes(worker, loadedFor(worker, 'task-worker', /\/(task|tfjs-task|digits|packages)-\w+\.js$/))
const backend = createRequire(join(root, 'packages/tfjs/package.json')).resolve('@tensorflow/tfjs-backend-wasm')
const wasm = gzipSync(readFileSync(join(dirname(backend), 'tfjs-backend-wasm-simd.wasm')), { level: 9 }).length / 1000
print('until it can join', untilJoined)
print('the worker of a perceptron on digits', computing)
console.log(`its WebAssembly: ${wasm.toFixed(0)} kB`)
console.log(`in all: ${(untilJoined.total + computing.total + wasm).toFixed(0)} kB`)
if (process.argv.includes('--files'))
  for (const { outputs } of [page, worker])
    for (const [file, { imports, bytes }] of Object.entries(outputs))
      console.log(
        file,
        bytes,
        imports.map(({ path, kind }) => `${kind === 'import-statement' ? '' : '?'}${path.slice(5)}`).join(' ')
      )
