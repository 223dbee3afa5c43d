import { readFileSync } from 'node:fs'
import test from 'ava'
import { sliceLength } from './slices.js'

test('docs/performance.md names the length of the slices that averages are computed in', (t) => {
  const document = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
  t.true(document.includes(`slices of ${sliceLength.toLocaleString('en')} numbers`))
})
