import test from 'ava'
import { mutantsOf, mutated } from './mutations.js'

const all = (program: string) => mutantsOf(program).map((mutant) => mutated(program, mutant))

test('a mutant changes one operator, number, condition, Math function or call', (t) => {
  t.deepEqual(all('a = b + 2'), ['a = b - 2', 'a = b + (2 + 1)'])
  t.deepEqual(all('if (a < b) go()'), ['if (!(a < b)) go()', 'if (a <= b) go()', 'if (a < b) ;'])
  t.deepEqual(all('a = Math.max(b, c) && true'), [
    'a = Math.max(b, c) || true',
    'a = Math.min(b, c) && true',
    'a = Math.max(b, c) && false'
  ])
  t.deepEqual(all('await go(a)'), [';'])
})

test('texts, imports and what is thrown have no mutants', (t) => {
  t.deepEqual(all("import a from 'b'; a = 'x' + b; throw new Error(`${1 + 1}`)"), [])
})
