/** The licences of what a bundle contains. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))

/** The licences of all packages that these files belong to, each text once, with the names of its packages. */
export function licences(files) {
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
