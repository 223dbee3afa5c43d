/** Puts the licences into each package, where npm packs them: it packs no file from above a package. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const licences = readdirSync(root).filter((name) => name.startsWith('LICENSE-'))
for (const name of readdirSync(join(root, 'packages')))
  for (const licence of licences) copyFileSync(join(root, licence), join(root, 'packages', name, licence))
