/**
 * The algorithms in studies/paper-map.md: from the record to its paper, its file, what it computes, and its own tests.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { allAlgorithms, isAlgorithm } from '@murmuration/algorithms'

const root = new URL('../../../', import.meta.url)
const sources = 'packages/algorithms/src/methods/'
const tests = 'test/src/'

interface SourceFile {
  readonly path: string
  readonly text: string
}

function filesIn(folder: string, ending: string): readonly SourceFile[] {
  return readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ path: `${folder}${name}`, text: readFileSync(new URL(`${folder}${name}`, root), 'utf8') }))
}

/** The text of the first comment: what is computed, by which equations, and what differs from the paper. */
export function headOf(text: string): string {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? []
  const lines = comment.split('\n').map((line) => line.replace(/^ \*/, '').trim())
  return lines.join(' ').trim().replaceAll('|', '\\|')
}

/** The first sentence of {@link headOf}: what is computed. */
export function sentenceOf(text: string): string {
  const [sentence] = headOf(text).split(/(?<=\.) /, 1)
  return sentence
}

/** {@link sentenceOf} without the title, which the table has in another column. */
function withoutTitle(sentence: string, title: string): string {
  const start = [': ', ', '].map((mark) => title + mark).find((each) => sentence.startsWith(each))
  if (start === undefined) return sentence
  const rest = sentence.slice(start.length)
  return rest[0].toUpperCase() + rest.slice(1)
}

/** The file of each record, by the record's name. */
export async function recordFiles(): Promise<ReadonlyMap<string, SourceFile>> {
  const found = new Map<string, SourceFile>()
  for (const file of filesIn(sources, '.ts')) {
    const compiled = file.path.replace('/src/', '/dist/').replace(/ts$/, 'js')
    const exported = (await import(new URL(compiled, root).href)) as object
    for (const record of Object.values(exported)) if (isAlgorithm(record)) found.set(record.name, file)
  }
  const lost = allAlgorithms.find(({ name }) => !found.has(name))
  if (lost !== undefined) throw new Error(`no file of ${sources} exports the record ${lost.name}`)
  return found
}

/** The table: a line for each record, in the order of the registry. */
export async function paperMap(): Promise<string> {
  // An optimiser in the options of a record may have the name of another record.
  const oracles = filesIn(tests, 'oracles.test.ts').map(({ path, text }) => {
    return { path, text: text.replaceAll(/outer: \{ name: '[^']*'/g, '') }
  })
  const files = await recordFiles()
  const rows = allAlgorithms.map(({ name, title, source }) => {
    const { path, text } = files.get(name) as SourceFile
    const ownTests = oracles
      .filter((file) => file.text.includes(`name: '${name}'`))
      .map((file) => `[${file.path.slice(tests.length, -'-oracles.test.ts'.length)}](../${file.path})`)
    const what = withoutTitle(sentenceOf(text), title)
    return `| [${title}](../${path}) | ${source} | ${what} | ${ownTests.join(', ')} |`
  })
  return ['| algorithm | source | what it computes | oracle |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
