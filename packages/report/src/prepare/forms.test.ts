import test from 'ava'
import type { Form } from '@murmuration/results'
import { formPairs, kindsOf } from './forms.js'

const contender = (label: string, form?: Form) => ({ label, about: '', ...(form === undefined ? {} : { form }) })
const server = (fusion: Form['fusion'], calls: Form['calls']): Form => ({ kind: 'server', fusion, calls })

test('contenders of one kind that differ in fusing or in streaming alone are pairs, whatever they are called', (t) => {
  const contenders = [
    contender('plain SGD'),
    contender('a', server('per-tensor', 'blocking')),
    contender('b', server('per-tensor', 'streamed')),
    contender('c', server('fused', 'blocking')),
    contender('d', server('fused', 'streamed'))
  ]
  t.deepEqual(formPairs(contenders), [
    { kind: 'server', change: 'fusing', where: 'blocking', before: 1, after: 3 },
    { kind: 'server', change: 'streaming', where: 'per-tensor', before: 1, after: 2 },
    { kind: 'server', change: 'fusing', where: 'streamed', before: 2, after: 4 },
    { kind: 'server', change: 'streaming', where: 'fused', before: 3, after: 4 }
  ])
  t.deepEqual(kindsOf(contenders), ['plain SGD', 'server', 'server', 'server', 'server'])
})

test('words in labels make no pair, nor do other kinds, nor what differs in both', (t) => {
  t.deepEqual(formPairs([contender('x, tensor by tensor'), contender('x, fused')]), [])
  const other: Form = { kind: 'another server', fusion: 'fused', calls: 'blocking' }
  t.deepEqual(formPairs([contender('a', server('per-tensor', 'blocking')), contender('b', other)]), [])
  t.deepEqual(
    formPairs([contender('a', server('per-tensor', 'blocking')), contender('b', server('fused', 'streamed'))]),
    []
  )
})

test('of contenders that exchange alike the first makes the pair', (t) => {
  const forms = [server('fused', 'streamed'), server('per-tensor', 'streamed'), server('fused', 'streamed')]
  const pairs = formPairs(forms.map((form, place) => contender(String(place), form)))
  t.deepEqual(pairs, [{ kind: 'server', change: 'fusing', where: 'streamed', before: 1, after: 0 }])
})
