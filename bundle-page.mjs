/**
 * Builds the page with which a browser joins a run: packages/browser/dist/page, which peers serve, and any web server
 * that serves files. All but index.html is in a folder that is named by a hash of what it holds, so browsers may keep
 * it; files.json lists it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { sharedStyle } from '@murmuration/watch/page'
import { licences } from './bundled-licences.mjs'
import { withoutThreads } from './without-threads.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const source = join(root, 'packages/browser/src/page')
const out = join(root, 'packages/browser/dist/page')

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [
    join(source, 'main.ts'),
    ...['task-worker', 'predict-worker'].map((name) => join(root, `packages/browser/dist/${name}.js`))
  ],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: out,
  write: false,
  bundle: true,
  splitting: true,
  minify: true,
  // They are in LICENSES.txt.
  legalComments: 'none',
  plugins: [withoutThreads],
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  metafile: true,
  logLevel: 'warning'
})
const chart = readFileSync(join(folderOf('watch', 'uplot'), 'uPlot.min.css'), 'utf8')
const style = chart + sharedStyle + readFileSync(join(source, 'style.css'), 'utf8')
const wasm = 'tfjs-backend-wasm-simd.wasm'
const files = new Map([
  ...outputFiles.map(({ path, contents }) => [basename(path), contents]),
  ['style.css', (await transform(style, { loader: 'css', minify: true })).code],
  [wasm, readFileSync(join(folderOf('tfjs', '@tensorflow/tfjs-backend-wasm'), wasm))]
])
files.set('files.json', JSON.stringify([...files.keys()].sort()))

const hash = createHash('sha256')
for (const [name, contents] of files) hash.update(name).update(contents)
const folder = hash.digest('hex').slice(0, 16)
rmSync(out, { recursive: true, force: true })
mkdirSync(join(out, folder), { recursive: true })
for (const [name, contents] of files) writeFileSync(join(out, folder, name), contents)
const html = readFileSync(join(source, 'index.html'), 'utf8')
writeFileSync(
  join(out, 'index.html'),
  html.replaceAll('"style.css"', `"${folder}/style.css"`).replaceAll('"main.js"', `"${folder}/main.js"`)
)
const inputs = Object.keys(metafile.inputs).filter((file) => !file.startsWith('(disabled)'))
writeFileSync(join(out, 'LICENSES.txt'), licences(inputs))

/** The folder of the main file of a library, as a package of this repository finds it. */
function folderOf(name, library) {
  return dirname(createRequire(join(root, `packages/${name}/package.json`)).resolve(library))
}
