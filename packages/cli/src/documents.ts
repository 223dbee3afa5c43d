/** The documents with tables that follow from a registry: `npm run schemas` writes them anew. */
import { codecTable, taskTable } from '@murmuration/experiment'
import { algorithmTables } from './algorithms-command.js'
import { graphTable } from './graphs.js'
import { paperMap } from './paper-map.js'

/** What stands between the marks of a document, one after the other, by its path from the root of the repository. */
export const tables: Readonly<Record<string, () => readonly string[]>> = {
  'docs/algorithms.md': () => [algorithmTables()],
  'docs/paper-map.md': () => [paperMap()],
  'docs/topology-file.md': () => [graphTable()],
  'docs/training-file.md': () => [taskTable(), codecTable()]
}

/** The document with other tables between its marks. */
export function withTables(document: string, texts: readonly string[]): string {
  let place = 0
  return document.replace(
    /(<!-- tables -->\n)[\s\S]*?(<!-- \/tables -->)/g,
    (_, before: string, after: string) => `${before}\n${texts[place++]}\n\n${after}`
  )
}
