import { readFileSync } from 'node:fs'
import test from 'ava'
import { sliceLength } from '@murmuration/engine'

test('docs/understand/performance.md names the length of the slices that averages are computed in', (t) => {
  const document = readFileSync(new URL('../../../docs/understand/performance.md', import.meta.url), 'utf8')
  t.true(document.includes(`slices of ${sliceLength.toLocaleString('en')} numbers`))
})

test('the README shows D-PSGD as it is in its file, whole but for four fields', (t) => {
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const [, shown] = /```ts\n(export const dpsgd[^`]*)```/.exec(text('../../../README.md')) ?? []
  const [whole = ''] = /export const dpsgd[^]*/.exec(text('../src/methods/dpsgd.ts')) ?? []
  // They stand on lines of their own; the options end at their closing brackets.
  const field = /^ {2}(name|title|source|options): (?:.*|[^]*?^ {2}\}\)),\n/gm
  t.deepEqual(
    [...whole.matchAll(field)].map(([, name]) => name),
    ['name', 'title', 'source', 'options']
  )
  t.is(shown, whole.replace(field, ''))
})
