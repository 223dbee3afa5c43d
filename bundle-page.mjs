/**
 * Builds the page with which a browser joins a run: packages/browser/dist/page, which peers serve, and any web server
 * that serves files. The first view is small; the names of what follows it contain a hash.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { sharedStyle } from '@murmuration/watch/page'
import { licences } from './bundled-licences.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const source = join(root, 'packages/browser/src/page')
const out = join(root, 'packages/browser/dist/page')

rmSync(out, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    join(source, 'main.ts'),
    ...['task-worker', 'predict-worker'].map((name) => join(root, `packages/browser/dist/${name}.js`))
  ],
  entryNames: '[name]',
  outdir: out,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  chunkNames: '[name]-[hash]',
  metafile: true,
  logLevel: 'warning'
})
const chart = readFileSync(join(folderOf('watch', 'uplot'), 'uPlot.min.css'), 'utf8')
const style = chart + sharedStyle + readFileSync(join(source, 'style.css'), 'utf8')
writeFileSync(join(out, 'style.css'), (await transform(style, { loader: 'css', minify: true })).code)
copyFileSync(join(source, 'index.html'), join(out, 'index.html'))
const wasm = 'tfjs-backend-wasm-simd.wasm'
copyFileSync(join(folderOf('tfjs', '@tensorflow/tfjs-backend-wasm'), wasm), join(out, wasm))
writeFileSync(
  join(out, 'LICENSES.txt'),
  licences(Object.keys(metafile.inputs).filter((file) => !file.startsWith('(disabled)')))
)

/** The folder of the main file of a library, as a package of this repository finds it. */
function folderOf(name, library) {
  return dirname(createRequire(join(root, `packages/${name}/package.json`)).resolve(library))
}
