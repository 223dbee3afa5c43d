import test from 'ava'
import type { Form } from '@murmuration/results'
import { formPairs, kindsOf } from './forms.js'

const method = (label: string, form?: Form) => ({ label, description: '', ...(form === undefined ? {} : { form }) })
const server = (fusion: Form['fusion'], calls: Form['calls']): Form => ({ kind: 'server', fusion, calls })

test('methods of one kind that differ in fusing or in streaming alone are pairs, whatever they are called', (t) => {
  const methods = [
    method('plain SGD'),
    method('a', server('per-tensor', 'blocking')),
    method('b', server('per-tensor', 'streamed')),
    method('c', server('fused', 'blocking')),
    method('d', server('fused', 'streamed'))
  ]
  t.deepEqual(formPairs(methods), [
    { kind: 'server', change: 'fusing', where: 'blocking', before: 1, after: 3 },
    { kind: 'server', change: 'streaming', where: 'per-tensor', before: 1, after: 2 },
    { kind: 'server', change: 'fusing', where: 'streamed', before: 2, after: 4 },
    { kind: 'server', change: 'streaming', where: 'fused', before: 3, after: 4 }
  ])
  t.deepEqual(kindsOf(methods), ['plain SGD', 'server', 'server', 'server', 'server'])
})

test('words in labels make no pair, nor do other kinds, nor what differs in both', (t) => {
  t.deepEqual(formPairs([method('x, tensor by tensor'), method('x, fused')]), [])
  const other: Form = { kind: 'another server', fusion: 'fused', calls: 'blocking' }
  t.deepEqual(formPairs([method('a', server('per-tensor', 'blocking')), method('b', other)]), [])
  t.deepEqual(formPairs([method('a', server('per-tensor', 'blocking')), method('b', server('fused', 'streamed'))]), [])
})

test('of methods that exchange alike the first makes the pair', (t) => {
  const forms = [server('fused', 'streamed'), server('per-tensor', 'streamed'), server('fused', 'streamed')]
  const pairs = formPairs(forms.map((form, place) => method(String(place), form)))
  t.deepEqual(pairs, [{ kind: 'server', change: 'fusing', where: 'streamed', before: 1, after: 0 }])
})
