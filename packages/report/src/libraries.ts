/** The chart library's own files and licences, read from the installed packages. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invariant } from '@murmuration/core'

/** Dependencies of d3-dsv's command line, which are not in the browser files. */
const notForBrowsers = ['commander', 'iconv-lite', 'rw']

/** Scripts in the order in which they must run: Plot expects d3 as a global. */
export async function libraryScripts(): Promise<string[]> {
  const here = fileURLToPath(import.meta.url)
  return await Promise.all([
    readFile(join(folderOf('d3', here), 'dist/d3.min.js'), 'utf8'),
    readFile(join(folderOf('@observablehq/plot', here), 'dist/plot.umd.min.js'), 'utf8')
  ])
}

/** The licences of everything in the scripts, each once, with the names of its packages. */
export async function libraryLicences(): Promise<string> {
  const packages = new Map<string, string>()
  await findPackages('@observablehq/plot', fileURLToPath(import.meta.url), packages)
  const names = new Map<string, string[]>()
  for (const [name, folder] of packages) {
    const text = (await readFile(join(folder, 'LICENSE'), 'utf8')).trim()
    names.set(text, [...(names.get(text) ?? []), name])
  }
  return [...names].map(([text, of]) => `${of.sort().join(', ')}\n\n${text}`).join('\n\n----\n\n')
}

/** Adds the package and all its dependencies, by name and folder. */
async function findPackages(name: string, importer: string, found: Map<string, string>): Promise<void> {
  if (found.has(name) || notForBrowsers.includes(name)) return
  const folder = folderOf(name, importer)
  found.set(name, folder)
  const manifest = join(folder, 'package.json')
  const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const dependency of Object.keys(dependencies)) await findPackages(dependency, manifest, found)
}

/** Packages need not export their package.json, so this searches for its folder as Node does. */
function folderOf(name: string, importer: string): string {
  const places = createRequire(importer).resolve.paths(name) ?? []
  const place = places.find((folder) => existsSync(join(folder, name, 'package.json')))
  invariant(place !== undefined, `the package ${name} is not installed where ${dirname(importer)} finds it`)
  return join(place, name)
}
