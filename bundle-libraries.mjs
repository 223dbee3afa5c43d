/**
 * Puts the libraries that a package names in src/libraries into a file each, in place of what the compiler wrote there.
 * As the hundreds of modules that they are, they take several times as long to load. Without this step the packages do
 * the same, and start more slowly.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licences } from './bundled-licences.mjs'
import { webrtcVersion2 } from './webrtc-version-2.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/** For libraries that are CommonJS and use modules of Node. */
const requireOfNode = `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)`

const forNode = { platform: 'node', banner: { js: requireOfNode } }

const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/libp2p/package.json'), 'utf8'))

await bundle('topology', [{ files: ['matrices'] }])
await bundle('libp2p', [
  // What both files use is in a third one, so that every class and symbol exists once.
  { files: ['base', 'network'], ...forNode, splitting: true, chunkNames: 'shared' },
  // Few peers load these. They have copies of their own, so that the others need not load more files.
  { files: ['webrtc', 'websockets'], ...forNode, external: ['node-datachannel'], plugins: [webrtcVersion2] },
  // For pages, only what is not installed with the package.
  { files: ['webrtc.browser'], platform: 'browser', external: Object.keys(dependencies), plugins: [webrtcVersion2] }
])

/** Bundles these files of a package, and writes the licences of what they contain next to them. */
async function bundle(name, groups) {
  const folder = join(root, 'packages', name)
  const out = join(folder, 'dist/libraries')
  const inputs = []
  for (const { files, ...options } of groups) {
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
    inputs.push(...Object.keys(metafile.inputs))
  }
  writeFileSync(join(out, 'LICENSES.txt'), licences(inputs))
}
