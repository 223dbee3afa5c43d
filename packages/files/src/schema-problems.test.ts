import test from 'ava'
import * as z from 'zod'
import { validate } from './schema-problems.js'

function expectedBy(schema: z.ZodType, input: unknown): readonly string[] {
  const result = validate(schema, input)
  return result.ok ? [] : result.problems.map(({ message }) => message)
}

test('a number, list or text of a wrong size is told the limit, in words for what it counts', (t) => {
  for (const [schema, input, message] of [
    [z.number().min(1), 0, 'found 0, expected at least 1'],
    [z.number().max(1), 2, 'found 2, expected at most 1'],
    [z.number().gt(1), 1, 'found 1, expected more than 1'],
    [z.number().lt(1), 1, 'found 1, expected less than 1'],
    [z.array(z.number()).min(1), [], 'found a list of 0, expected at least 1 item'],
    [z.array(z.number()).min(2), [0], 'found a list of 1, expected at least 2 items'],
    [z.string().max(1), 'ab', 'found "ab", expected at most 1 characters']
  ] as const) {
    t.deepEqual(expectedBy(schema, input), [message])
  }
})

test('a text is shown whole up to 60 characters', (t) => {
  t.deepEqual(expectedBy(z.number(), 'x'.repeat(60)), [`found "${'x'.repeat(60)}", expected a number`])
  t.deepEqual(expectedBy(z.number(), 'x'.repeat(61)), [`found "${'x'.repeat(57)}...", expected a number`])
})
