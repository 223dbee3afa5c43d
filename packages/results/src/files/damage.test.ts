import test from 'ava'
import { lineOfSyntaxError, lineOfValue } from './damage.js'

test('the line of a value is found in nested objects and lists, whatever is in their texts', (t) => {
  const text = '{\n "a": {"},": 1},\n "b": [\n  "x, \\" ]",\n  {"c": 5,\n   "d": 6}\n ]\n}'
  t.is(lineOfValue(text, ['b', 1, 'd']), 6)
  t.is(lineOfValue(text, ['b', 1, 'c']), 5)
  t.is(lineOfValue(text, ['b', 0]), 4)
  t.is(lineOfValue(text, ['a', '},']), 2)
  t.is(lineOfValue(text, ['b', 1, 'missing']), 5, 'that of the object that lacks it')
  t.is(lineOfValue(text, []), 1)
})

test('the line of a mistake in JSON comes from its position, or is the last', (t) => {
  t.is(lineOfSyntaxError('{\n "a": 1,\n}', 'Expected … in JSON at position 11 (line 3 column 1)'), 3)
  t.is(lineOfSyntaxError('{\n "a": 1,\n', 'Unexpected end of JSON input'), 2)
})
