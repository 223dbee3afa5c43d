import { InputError, problem } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import * as z from 'zod'
import { parseYamlFile } from './yaml-file.js'

const schema = z.strictObject({
  name: z.string(),
  count: z.int().min(1).max(9),
  colour: z.enum(['red', 'green', 'blue']).optional(),
  nested: z.strictObject({ list: z.array(z.number()).min(1) }).optional(),
  choice: z.union([z.enum(['none', 'all']), z.strictObject({ only: z.array(z.string()) })]).optional()
})

/** The message with which the text is refused. */
function refusal(t: ExecutionContext, text: string): string {
  return t.throws(() => parseYamlFile(text, 'f.yaml', schema), { instanceOf: InputError })?.message ?? ''
}

test('a good file gives its value', (t) => {
  const { value, plain } = parseYamlFile('count: 3 # three\nname: x\nchoice: { only: [a] }\n', 'f.yaml', schema)
  t.deepEqual(value, { name: 'x', count: 3, choice: { only: ['a'] } })
  t.deepEqual(Object.keys(plain as object), ['count', 'name', 'choice'], 'as the file has them')
})

test('all problems are listed, in the order of the file, each with file, line and column', (t) => {
  t.is(
    refusal(t, 'nmae: x\ncount: 12\ncolour: rde\nnested:\n  list:\n    - 1\n    - two\n'),
    [
      'f.yaml:1:1: name: missing, expected text (in quotes where it looks like a number)',
      'f.yaml:1:1: found the key "nmae", expected one of name, count, colour, nested, choice; did you mean "name"?',
      'f.yaml:2:8: count: found 12, expected at most 9',
      'f.yaml:3:9: colour: found "rde", expected one of red, green, blue; did you mean "red"?',
      'f.yaml:7:7: nested.list[1]: found "two", expected a number'
    ].join('\n')
  )
})

test('what was found is named: numbers, nothing, lists and mappings', (t) => {
  const found = (value: string) => refusal(t, `count: 1\nname: ${value}`)
  t.regex(found('5'), /^f\.yaml:2:7: name: found 5, expected text \(in quotes/)
  t.regex(found(''), /name: found nothing, expected text/)
  t.regex(found('[1, 2]'), /name: found a list of 2, expected text/)
  t.regex(found('{ a: 1 }'), /name: found a mapping, expected text/)
  t.regex(refusal(t, 'name: x\ncount: 1.5'), /count: found 1\.5, expected a whole number/)
})

test('of several forms the one that was meant is explained; if none was, all are', (t) => {
  const choice = (value: string) => refusal(t, `name: x\ncount: 1\nchoice: ${value}`)
  t.is(
    choice('{ only: [1] }'),
    'f.yaml:3:18: choice.only[0]: found 1, expected text (in quotes where it looks like a number)'
  )
  t.is(
    choice('{ onyl: [a] }').split('\n')[1],
    'f.yaml:3:11: choice: found the key "onyl", expected only; did you mean "only"?'
  )
  t.is(
    choice('nnoe'),
    'f.yaml:3:9: choice: found "nnoe", expected one of none, all, or a mapping; did you mean "none"?'
  )
})

test('text that is not YAML is refused with the place of the fault', (t) => {
  t.regex(refusal(t, 'name: x\nname: y\n'), /^f\.yaml:2:1: found invalid YAML: Map keys must be unique/)
  t.regex(refusal(t, 'name: [x\ncount: 3\n'), /^f\.yaml:2:\d+: found invalid YAML/)
  t.regex(refusal(t, 'name: *x\n'), /^f\.yaml: found invalid YAML: Unresolved alias/)
  t.regex(refusal(t, '- a\n'), /^f\.yaml:1:1: found a list of 1, expected a mapping/)
})

test('an empty file is an empty mapping', (t) => {
  t.regex(refusal(t, '# nothing\n'), /name: missing/)
  t.deepEqual(parseYamlFile('', 'f.yaml', z.strictObject({ a: z.int().default(1) })).value, { a: 1 })
})

test('problems found later get their places too, at values, keys, or the nearest there is', (t) => {
  const file = parseYamlFile('name: &n x\ncount: 3\nnested:\n  list: [1, 2]\n', 'f.yaml', schema)
  const error = file.errorOf([
    problem(['nested', 'list', 1], 'too much'),
    { path: ['nested', 'list'], at: 'key', message: 'not here' },
    problem(['nested', 'absent', 'deeper'], 'nowhere'),
    problem([], 'everything')
  ])
  t.true(error instanceof InputError)
  t.deepEqual(error.message.split('\n'), [
    'f.yaml:1:1: everything',
    'f.yaml:4:3: nested: not here',
    'f.yaml:4:3: nested.absent.deeper: nowhere',
    'f.yaml:4:13: nested.list[1]: too much'
  ])
})

test('each key that a mapping has already is named with its place, also where there are many', (t) => {
  const keys = Array.from({ length: 30 }, (_, k) => `key${k}: 1\n`).join('')
  const message = refusal(t, `${keys}key7: 2\nnested: { a: 1, 1: 2, "1": 3, a: 4 }\n`)
  t.is(
    message,
    'f.yaml:31:1: found invalid YAML: Map keys must be unique\nf.yaml:32:31: found invalid YAML: Map keys must be unique'
  )
})

test('a file of more values than the parser has memory for is refused before it is parsed', (t) => {
  t.regex(refusal(t, `name: [${'1,'.repeat(500_000)}`), /^f\.yaml: found more than 500000 commas, colons and lines/)
})
