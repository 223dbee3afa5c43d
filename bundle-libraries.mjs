/**
 * Puts the libraries that a package names in src/libraries into a file each, in place of what the compiler wrote there.
 * As the hundreds of modules that they are, they take several times as long to load. Without this step the packages do
 * the same, and start more slowly.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licences } from './bundled-licences.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/** For libraries that are CommonJS and use modules of Node. */
const requireOfNode = `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)`

await bundle('topology', ['matrices'], {})
// What both files use is in a third one, so that every class and symbol exists once.
await bundle('libp2p', ['base', 'network'], {
  splitting: true,
  chunkNames: 'shared',
  platform: 'node',
  banner: { js: requireOfNode }
})

/** Bundles these files of a package, and writes the licences of what they contain next to them. */
async function bundle(name, files, options) {
  const folder = join(root, 'packages', name)
  const out = join(folder, 'dist/libraries')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => join(folder, `src/libraries/${file}.ts`)),
    outdir: out,
    bundle: true,
    format: 'esm',
    target: 'node20',
    metafile: true,
    logLevel: 'warning',
    ...options
  })
  for (const file of files) rmSync(join(out, `${file}.js.map`), { force: true })
  writeFileSync(join(out, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)))
}
