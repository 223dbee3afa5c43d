import { peerName } from '@murmuration/core'
import test from 'ava'
import { graphLabel, graphSchema } from './graph-description.js'
import { graphProblems } from './graph-problems.js'
import type { GraphKind } from './kind.js'
import { graphKinds } from './registry.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)

test('the example of every kind is what files may say, and possible for four peers', (t) => {
  for (const { kind, example } of graphKinds as readonly GraphKind[]) {
    const graph = graphSchema.parse({ kind, ...example(peers) })
    t.deepEqual(graphProblems(graph, undefined, peers), [], kind)
  }
})

test('every kind and every option of it has a description', (t) => {
  for (const { kind, description, schema } of graphKinds) {
    t.regex(description, /^(has|sends|receives) .*[^.]$/, kind)
    for (const [name, option] of Object.entries(schema.shape))
      if (name !== 'kind') t.truthy(option.description, `${kind}: ${name}`)
  }
})

test('a kind without needed options may be written as one word', (t) => {
  t.deepEqual(graphSchema.parse('base-graph'), { kind: 'base-graph', degree: 1 })
  t.deepEqual(graphSchema.parse('torus'), { kind: 'torus' })
  t.false(graphSchema.safeParse('random-regular').success)
})

test('a label has the options, and of lists their lengths', (t) => {
  t.is(graphLabel({ kind: 'ring' }), 'ring')
  t.is(graphLabel({ kind: 'random-regular', degree: 4, seed: 1 }), 'random-regular (degree 4, seed 1)')
  t.is(graphLabel({ kind: 'edges', edges: [['a', 'b']] }), 'edges (1)')
})
