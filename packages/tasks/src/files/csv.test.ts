import { InputError } from '@murmuration/core'
import test from 'ava'
import { gather } from '../source.js'
import { csvSource } from './csv.js'

const read = (text: string) => {
  const source = csvSource('a.csv', Buffer.from(text))
  const { inputs, targets } = gather(
    source,
    Uint32Array.from(source.targets, (_, index) => index)
  )
  return { inputs: [...inputs], targets: [...targets], classes: source.classes, shape: source.inputShape }
}

test('without a line of names the last column is the class', (t) => {
  t.deepEqual(read('1,2.5,0\n-3,4e2,2\n'), { inputs: [1, 2.5, -3, 400], targets: [0, 2], classes: 3, shape: [2] })
})

test('a column named label, class or target is the class wherever it stands', (t) => {
  t.deepEqual(read('a,Class,b\n1,1,2\n3,0,4'), { inputs: [1, 2, 3, 4], targets: [1, 0], classes: 2, shape: [2] })
})

test('words are numbered in the order of their letters, also without a line of names', (t) => {
  t.deepEqual(read('1, setosa\n2, iris\n\n3, setosa').targets, [1, 0, 1])
  t.deepEqual(read('7,-1\n8,+1').classes, 2)
})

test('a byte order mark, quotes and other line ends are understood', (t) => {
  t.deepEqual(read('\ufeff"x","label"\r\n"1","0"\r\n'), { inputs: [1], targets: [0], classes: 1, shape: [1] })
})

const wrong: readonly (readonly [string, string, RegExp])[] = [
  ['an empty file', '', /a\.csv: no line with values/],
  ['names alone', 'a,b,label\n', /no line with values/],
  ['one column', '1\n2\n', /one column was found, at least two/],
  [
    'a word among numbers',
    'a,b,label\n1,2,0\n1,two,0',
    /a\.csv: line 3, column 2 \("b"\) is "two", a number is expected/
  ],
  ['an empty cell', '1,2,0\n1,,0', /line 2, column 2 is "", a number/],
  ['a short line', '1,2,0\n1,0', /a\.csv: .*line 2/],
  ['a quote that never ends', '1,"2,0\n', /a\.csv: /],
  ['a real number as class', '1,0.5\n1,1', /line 1, column 2 is "0.5", a class is expected/],
  ['a missing class', '1,a\n1,', /line 2, column 2 is "", a class is expected/],
  ['an enormous class', '1,0\n1,123456', /line 2, column 2 is class 123456, below 10000/]
]

for (const [what, text, message] of wrong) {
  test(`${what} is refused with file and line`, (t) => {
    t.throws(() => csvSource('a.csv', Buffer.from(text)), { instanceOf: InputError, message })
  })
}
