import { InputError } from '@murmuration/core'
import { addFlow, algorithm, recordProblem } from '@murmuration/engine'
import test from 'ava'
import * as z from 'zod'
import { algorithmIn, allAlgorithms } from './registry.js'

const right = {
  name: 'mine',
  title: 'Mine',
  source: 'here',
  options: z.strictObject({}),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  edges: { model: addFlow },
  start: () => ({}),
  round: async () => ({})
}

const wrong: readonly (readonly [object, RegExp])[] = [
  [
    { options: undefined },
    /^options: found none, expected a schema, such as z\.strictObject\(\{\}\) where there are none$/
  ],
  [{ options: { period: 2 } }, /^options: found period, expected a schema/],
  [{ keeps: 'maen' }, /^keeps: found "maen", expected one of "mean", "weighted mean", "equality", "nothing"$/],
  [{ keeps: undefined }, /^keeps: found none, expected one of/],
  [{ kepes: 'mean' }, /^kepes: found a part that algorithms do not have; they have name, title/],
  [{ name: '' }, /^name: found "", expected a text$/],
  [{ start: undefined }, /^start: found none, expected a function$/],
  [{ round: undefined }, /^round: found none, expected a function$/],
  [{ round: 1 }, /^round: found 1, expected a function$/],
  [{ needs: undefined }, /^needs: found none, expected an object$/],
  [{ needs: { weights: 'row' } }, /^needs\.weights: found "row", expected one of "rows", "columns"/],
  [{ needs: { weihgts: 'rows' } }, /^needs\.weihgts: found a part/],
  [{ pace: 'mine' }, /^pace: found "mine", expected "own"$/],
  [{ channels: { model: { x: 'vektor' } } }, /^channels\.model\.x: found "vektor", expected 'vector', 'packed'/],
  [{ channels: { model: 'vector' } }, /^channels\.model: found "vector", expected an object$/],
  [{ channels: { model: { ask: { x: 'vektor' }, reply: {} } } }, /^channels\.model\.ask\.x: found "vektor"/],
  [{ edges: { modle: addFlow } }, /^edges\.modle: found no channel "modle", expected one of model$/],
  [{ edges: { model: 'droped' } }, /^edges\.model: found "droped", expected 'dropped', 'added'/],
  [{ answers: { model: () => {} } }, /^answers\.model: found no channel "model" with ask and reply, expected one$/],
  [
    { keeps: 'nothing', done: () => false },
    /^done: found a function, expected none: only "keeps: 'equality'" in common rounds/
  ],
  [{ pace: 'own', keeps: 'equality', done: () => false }, /^done: found a function, expected none/],
  [
    { keeps: 'equality', done: () => false, server: { start: () => ({}), round: () => {} } },
    /^server\.done: found none, expected a function: workers and servers have to know together/
  ],
  [{ done: true }, /^done: found true, expected a function$/],
  [{ server: { round: () => {} } }, /^server\.start: found none, expected a function$/]
]

for (const [parts, message] of wrong)
  test(`an algorithm with ${Object.keys(parts)[0]}: ${JSON.stringify(Object.values(parts)[0]) ?? 'nothing'} is refused`, (t) => {
    t.regex(recordProblem({ ...right, ...parts }) ?? '', message)
    t.throws(() => algorithm({ ...right, ...parts } as never), { instanceOf: InputError, message: /^algorithm: / })
    const changed = { ...algorithm(right as never), ...parts }
    t.throws(() => algorithmIn({ changed }, './mine.js'), {
      instanceOf: InputError,
      message: /^the algorithm's module \.\/mine\.js: /
    })
  })

test('all algorithms of this package are right', (t) => {
  for (const each of allAlgorithms) t.is(recordProblem(each), undefined, each.name)
})
