/** Writes docs/schemas and the tables of docs/algorithms.md anew: `npm run schemas`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { withTables } from './algorithms-command.js'
import { schemaFiles } from '@murmuration/experiment'

const folder = new URL('../../../docs/schemas/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries(schemaFiles())) await writeFile(new URL(name, folder), text)

const algorithms = new URL('../algorithms.md', folder)
await writeFile(algorithms, withTables(await readFile(algorithms, 'utf8')))
