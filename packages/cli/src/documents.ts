/** The documents with tables that are generated from a registry: `npm run schemas` updates them. */
import { codecTable, taskTable } from '@murmuration/experiment'
import { algorithmTables } from './algorithms-command.js'
import { graphTable } from './graphs.js'
import { paperMap } from './paper-map.js'
import { taxonomyTable } from './taxonomy.js'

/** The tables between the marks of a document, in order, by its path from the root of the repository. */
export const tables: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  'docs/use/algorithms.md': () => [algorithmTables()],
  'docs/understand/taxonomy.md': () => [taxonomyTable()],
  'studies/paper-map.md': async () => [await paperMap()],
  'docs/use/topology-file.md': () => [graphTable()],
  'docs/use/training-file.md': () => [taskTable(), codecTable()]
}

/** The document with new tables between its marks. */
export function withTables(document: string, texts: readonly string[]): string {
  let index = 0
  return document.replace(
    /(<!-- tables -->\n)[\s\S]*?(<!-- \/tables -->)/g,
    (_, before: string, after: string) => `${before}\n${texts[index++]}\n\n${after}`
  )
}
