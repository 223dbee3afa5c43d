import test from 'ava'
import { withYamlValues } from './yaml-values.js'

test('values take their places, and comments and the rest stay', (t) => {
  const text = '# ours\ntask: mlp # small\nrate: { initial: 0.1, warmup: 5 }\n\n# how\nalgorithm:\n  name: dpsgd\n'
  const changed = withYamlValues(text, [
    [['algorithm'], { name: 'choco', period: 9 }],
    [['rate', 'initial'], 0.3],
    [['codec'], 'int8']
  ])
  t.is(
    changed,
    '# ours\ntask: mlp # small\nrate: { initial: 0.3, warmup: 5 }\n\n# how\nalgorithm: { name: choco, period: 9 }\ncodec: int8\n'
  )
})

test('mappings that are not there are made, in an empty file too', (t) => {
  t.is(withYamlValues('', [[['rate', 'initial'], 0.3]]), 'rate: { initial: 0.3 }\n')
  t.is(withYamlValues('# nothing\n', [[['a'], 'b']]), '# nothing\n\na: b\n')
})
