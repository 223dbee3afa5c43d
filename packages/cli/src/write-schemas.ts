/** Writes docs/schemas anew: `npm run schemas`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { schemaFiles } from './schemas.js'

const folder = new URL('../../../docs/schemas/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries(schemaFiles())) await writeFile(new URL(name, folder), text)
