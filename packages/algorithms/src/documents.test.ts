import { readFileSync } from 'node:fs'
import test from 'ava'
import { sliceLength } from './slices.js'

test('docs/performance.md names the length of the slices that averages are computed in', (t) => {
  const document = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
  t.true(document.includes(`slices of ${sliceLength.toLocaleString('en')} numbers`))
})

test('the README shows D-PSGD as it is in its file', (t) => {
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const [, shown = ''] = /```ts\n(export const dpsgd[^`]*)```/.exec(text('../../../README.md')) ?? []
  const lines = text('../src/dpsgd.ts').split('\n')
  let place = -1
  for (const line of shown.trimEnd().split('\n')) {
    place = lines.indexOf(line, place + 1)
    t.true(place >= 0, line)
  }
  t.true(shown.split('\n').length > 10)
})
