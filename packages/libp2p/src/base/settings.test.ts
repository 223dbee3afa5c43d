import test from 'ava'
import fc from 'fast-check'
import { decodeRunSettings, encodeRunSettings } from '../links/control-messages.js'
import { differencesBetween, type Settings, settingsOf, tellDifferences } from './settings.js'

const asRead = (settings: Settings) =>
  decodeRunSettings(encodeRunSettings({ settings, schema: [], start: '' })).settings
const names = (ours: Record<string, unknown>, theirs: Record<string, unknown>) =>
  differencesBetween(settingsOf(ours), settingsOf(theirs)).map(({ name }) => name)

test('the canonical form does not depend on the order of keys, and names each value by its path', (t) => {
  const settings = settingsOf({ 'b': { d: [1, 'x'], c: null }, 'a': {}, 'e.f': true, 'left': undefined })
  t.deepEqual(settings, { 'a': '{}', 'b.c': 'null', 'b.d[0]': '1', 'b.d[1]': '"x"', '["e.f"]': 'true' })
  t.deepEqual(names({ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }), [])
})

test('a key with a dot, an empty list and a text that looks like one stay distinct', (t) => {
  t.deepEqual(names({ a: { b: 1 } }, { 'a.b': 1 }), ['["a.b"]', 'a.b'])
  t.deepEqual(names({ a: [] }, { a: '[]' }), ['a'])
  t.deepEqual(names({ a: [] }, { a: {} }), ['a'])
  t.deepEqual(names({ a: 1 }, { a: '1' }), ['a'])
  t.deepEqual(names({ a: '\u001b' }, { a: '\\u001b' }), ['a'])
})

test('values that differ as JSON have different canonical forms, and a neighbour reads what was sent', (t) => {
  const value = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [ours, theirs] = [left, right].map((each) => settingsOf(each))
      t.is(differencesBetween(ours, asRead(theirs)).length === 0, sorted(left) === sorted(right))
      t.deepEqual(asRead(ours), ours)
    })
  )
})

test('a setting named __proto__ is read correctly', (t) => {
  const ours = settingsOf(JSON.parse('{ "__proto__": 1 }') as Record<string, unknown>)
  t.deepEqual(asRead(ours), ours)
  t.deepEqual(Object.keys(ours), ['["__proto__"]'])
})

test('long values are compared in full, and shown in short around the difference', (t) => {
  const rows = (last: number) => ({ topology: { graph: { rows: [...Array<number>(10_000).fill(0.25), last] } } })
  const ours = settingsOf(rows(1))
  t.deepEqual(Object.keys(ours), ['topology.graph.rows'], 'one setting instead of ten thousand')
  t.is(differencesBetween(ours, settingsOf(rows(2))).length, 1)
  const long = (end: string) => settingsOf({ note: `${'x'.repeat(500)}${end}` })
  const text = tellDifferences(differencesBetween(long('left'), long('right')))
  t.regex(text, /note is …x+left" here and …x+right" there/)
  t.true(text.length < 250, text)
})

test('a message names sixteen differences and counts the others', (t) => {
  const many = (value: number) => settingsOf({ list: Array<number>(100).fill(value) })
  const text = tellDifferences(differencesBetween(many(1), many(2)))
  t.regex(text, /^the settings differ: list\[0\] is 1 here and 2 there; .*; and 84 more$/)
})

/** JSON with the keys in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each !== 'object' || each === null || Array.isArray(each)
      ? each
      : Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
  )
}
