import { peerName } from '@murmuration/core'
import test from 'ava'
import { massField, massSumField, roundsField, wholeField } from '../record/number-fields.js'
import type { Owner } from './owner.js'
import { Arena, type Vector } from '../vectors/vector.js'
import { Wire } from './wire.js'

test('a message that a process begins under the number of one that its earlier process has not ended is its own alone', (t) => {
  const freed: Float32Array[] = []
  const memory = {
    allocate: (length: number) => new Float32Array(length),
    free: (one: Float32Array) => void freed.push(one)
  }
  const ranges = [0, 2].map((offset) => ({ offset, length: 2 }))
  const owner = { fabric: memory, arena: new Arena(memory), length: 4, ranges } as unknown as Owner
  const wire = new Wire(owner, 5, { x: 'vector' })
  const part = (offset: number, value: number) =>
    wire.open(peerName('b'), 3, { kind: 5, round: 3, part: 0, field: 0, offset, vector: Float32Array.of(value, value) })
  t.is(part(0, 1), undefined)
  t.is(part(0, 2), undefined)
  t.is(freed.length, 3, 'of two parts, and of the message that does not end')
  const message = part(2, 2) as { readonly x: Vector }
  t.deepEqual([...message.x.values], [2, 2, 2, 2])
  t.is(part(2, 3), undefined)
  t.is(part(2, 3), 'a part of a message is duplicate')
})

test('a part of a message is found among 20,000 tensors without going through them', (t) => {
  const memory = { allocate: (length: number) => new Float32Array(length), free: () => {} }
  let looks = 0
  const ranges = Array.from({ length: 20_000 }, (_, place) => ({
    length: 1,
    get offset() {
      looks++
      return place
    }
  }))
  const owner = { fabric: memory, arena: new Arena(memory), length: ranges.length, ranges } as unknown as Owner
  const wire = new Wire(owner, 5, { x: 'vector' })
  const part = (offset: number) =>
    wire.open(peerName('b'), 3, { kind: 5, round: 3, part: 0, field: 0, offset, vector: Float32Array.of(offset) })
  const opened = ranges.map((_, offset) => part(offset))
  t.deepEqual([...(opened.at(-1) as { readonly x: Vector }).x.values.subarray(-2)], [19_998, 19_999])
  t.is(typeof part(20_000), 'string')
  t.true(looks < 4 * ranges.length, `${looks} looks at ${ranges.length} ranges`)
})

test('a message with a number that the protocol does not allow is refused, with the range', (t) => {
  const memory = { allocate: (length: number) => new Float32Array(length), free: () => {} }
  const length = 2
  const workers = 4
  const rounds = 10
  const run = { fabric: memory, arena: new Arena(memory), length, ranges: [{ offset: 0, length }], workers, rounds }
  const shape = {
    x: 'vector',
    w: massField,
    sum: massSumField,
    count: wholeField(1, ({ workers }) => workers),
    k: roundsField
  } as const
  const wire = new Wire(run as unknown as Owner, 5, shape)
  const opened = (...numbers: readonly number[]) =>
    wire.open(peerName('b'), 3, { kind: 5, round: 3, part: 0, field: 0, numbers, vector: new Float32Array(length) })
  const { w, sum, count, k } = opened(4, 40, 4, 10) as Readonly<Record<string, unknown>>
  t.deepEqual([w, sum, count, k], [4, 40, 4, 10])
  t.is(typeof opened(Number.MIN_VALUE, 0, 1, 0), 'object')
  for (const lie of [0, -0.75, 4.1, 1e308]) t.is(opened(lie, 0, 1, 0), `w is ${lie}; expected: above 0, at most 4`)
  for (const lie of [-1e-9, 40.1]) t.is(opened(1, lie, 1, 0), `sum is ${lie}; expected: 0 to 40`)
  for (const lie of [0, 1.5, 5]) t.is(opened(1, 0, lie, 0), `count is ${lie}; expected: a whole number from 1 to 4`)
  for (const lie of [-1, 0.5, 11]) t.is(opened(1, 0, 1, lie), `k is ${lie}; expected: a whole number from 0 to 10`)
})
