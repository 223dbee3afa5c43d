import { readFileSync } from 'node:fs'
import test from 'ava'
import { algorithmsJson, algorithmsText } from './algorithms-command.js'
import { tables, withTables } from './documents.js'
import { headOf, recordFiles, sentenceOf } from './paper-map.js'
import { exitCodes } from './exit-codes.js'

const root = new URL('../../../', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8')

for (const [path, text] of Object.entries(tables)) {
  test(`the tables of ${path} are those of the registry (npm run schemas writes them anew)`, async (t) => {
    const document = textOf(path)
    const texts = await text()
    for (const each of texts) t.true(document.includes(each))
    t.is(withTables(document, texts), document)
  })
}

test('every option of every algorithm has a description and a default', (t) => {
  for (const { name, options } of algorithmsJson()) {
    for (const option of options) {
      t.truthy(option.description, `${name}: ${option.name}`)
      t.not(option.default, undefined, `${name}: ${option.name}`)
    }
  }
})

test('the list says of every algorithm what the loss of a peer means, for people and for programs', (t) => {
  const entries = algorithmsJson()
  const lines = algorithmsText().match(/^ {2}on loss (continues|continues in a new epoch|ends): \S.{30,}$/gm) ?? []
  t.is(lines.length, entries.length)
  t.deepEqual(
    lines,
    entries.map(({ onLoss, lossReason }) => `  on loss ${onLoss}: ${lossReason}`)
  )
})

test('every algorithm is one file, which begins by saying what it computes', async (t) => {
  for (const [name, { text }] of await recordFiles()) {
    t.true(headOf(text).length > 40, name)
    t.regex(sentenceOf(text), /^\S.{18,}\.$/, name)
  }
})

test('the list says of which papers only a part was read, as the files do', async (t) => {
  const files = await recordFiles()
  let count = 0
  for (const { name, source } of algorithmsJson()) {
    const head = headOf(files.get(name)?.text ?? '')
    const isPart = /(abstracts?|first page)( and the authors' code)? (was|were) read|described by others/.test(head)
    count += isPart ? 1 : 0
    t.is(/ \((of this )?only .* (was|were) read\)$/.test(source), isPart, name)
  }
  t.is(count, 13, 'the README says thirteen')
  t.regex(textOf('README.md'), /of thirteen papers only a part was read/)
})

test('every exit code is documented as it is', (t) => {
  const documented = textOf('docs/use/commands.md')
  for (const { code, meaning } of Object.values(exitCodes))
    t.true(documented.includes(`| ${code} | ${meaning} |`), meaning)
})

test('the documents name the versions of Node that package.json asks for', (t) => {
  const { engines } = JSON.parse(textOf('package.json')) as { readonly engines: { readonly node: string } }
  const versions = engines.node.match(/\d+(\.\d+)?/g)?.map((version) => `${version}+`) ?? []
  const named = `Node ${versions.slice(0, -1).join(', ')} or ${versions.at(-1)}`
  for (const file of ['README.md', 'docs/use/four-machines.md'])
    t.true(textOf(file).includes(named), `${file}: ${named}`)
})
