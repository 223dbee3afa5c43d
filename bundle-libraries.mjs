/**
 * Puts the libraries that a package names in src/libraries into a file each, in place of what the compiler wrote there.
 * As the hundreds of modules that they are, they take several times as long to load. Without this step the packages do
 * the same, and start more slowly.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

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

/** The licences of all packages that these files belong to, each text once, with the names of its packages. */
function licences(files) {
  const folders = files.flatMap((file) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [])
  const byText = new Map()
  for (const folder of new Set(folders.sort())) {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const text = licenceIn(join(root, folder))
    byText.set(text, new Set([...(byText.get(text) ?? []), `${name} ${version}`]))
  }
  return [...byText].map(([text, names]) => `${[...names].join(', ')}\n\n${text}\n`).join('\n----\n\n')
}

/** The texts of a package's licences; where it has none, what its package.json says. */
function licenceIn(folder) {
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (texts.length > 0) return texts.join('\n\n')
  const { license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return `Licence: ${license}. Author: ${author?.name ?? author ?? 'not named'}`
}
