/** Updates docs/schemas and the tables of other documents: `npm run schemas`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { schemaFiles } from '@murmuration/experiment'
import { tables, withTables } from './documents.js'

const root = new URL('../../../', import.meta.url)
const folder = new URL('docs/schemas/', root)
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries(schemaFiles())) await writeFile(new URL(name, folder), text)

for (const [path, text] of Object.entries(tables)) {
  const document = new URL(path, root)
  await writeFile(document, withTables(await readFile(document, 'utf8'), await text()))
}
