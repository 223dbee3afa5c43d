/**
 * Puts the libraries that src/libraries names into a file each, in place of what the compiler wrote there. As the 600 modules that they are, they take
 * three times as long to load. Without this step the package does the same, and starts more slowly.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = join(here, 'dist/libraries')

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/libraries/base.ts', 'src/libraries/network.ts'],
  outdir: out,
  bundle: true,
  // What both use is in a third file: every class and symbol exists once.
  splitting: true,
  chunkNames: 'shared',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // For those that are CommonJS.
  banner: { js: `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)` },
  metafile: true,
  logLevel: 'warning'
})
for (const name of ['base', 'network']) rmSync(join(out, `${name}.js.map`), { force: true })
writeFileSync(join(out, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)))

/** The licences of all packages that these files belong to, each text once, with the names of its packages. */
function licences(files) {
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [])
  const byText = new Map()
  for (const folder of new Set(folders.sort())) {
    const { name, version } = JSON.parse(readFileSync(join(here, folder, 'package.json'), 'utf8'))
    const text = licenceIn(join(here, folder))
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
