import { peerName } from '@murmuration/core'
import test from 'ava'
import { contraction } from './contraction.js'
import { createTopology } from './create-topology.js'
import { consensusFinding, type Finding, structureFindings } from './findings.js'
import type { GraphDescription } from './graph-description.js'
import type { WeightRule } from './weights.js'
import { topologyOf } from './mixing-topology.js'
import { sparseMatrix } from './sparse.js'

const names = (size: number) => Array.from('abcdefgh'.slice(0, size), peerName)
const build = (size: number, graph: GraphDescription, weights?: WeightRule) =>
  createTopology({ peers: names(size), graph, weights })
const notOk = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => [check, level]))

test('a ring with Metropolis weights passes every check', (t) => {
  const ring = build(4, { kind: 'ring' })
  t.deepEqual(notOk([...structureFindings(ring), consensusFinding(contraction(ring))]), {})
})

test('uniform weights are not doubly stochastic on a star', (t) => {
  const findings = structureFindings(build(4, { kind: 'star' }, 'uniform'))
  t.deepEqual(notOk(findings), { 'doubly-stochastic': 'warning', 'symmetric': 'warning' })
  const message = findings.find(({ check }) => check === 'doubly-stochastic')?.message ?? ''
  t.regex(message, /a \(1\.75\).*weights: metropolis/)
})

test('a directed circle keeps the mean and is not symmetric', (t) => {
  const rows = [
    [0.5, 0.5, 0],
    [0, 0.5, 0.5],
    [0.5, 0, 0.5]
  ]
  t.deepEqual(notOk(structureFindings(build(3, { kind: 'matrix', rows }))), { symmetric: 'warning' })
})

test('parts that no edge joins are named', (t) => {
  const [finding] = structureFindings(
    build(4, {
      kind: 'edges',
      edges: [
        ['a', 'c'],
        ['b', 'd']
      ]
    })
  )
  t.is(finding.message, 'The peers fall into 2 parts that no edge joins: a, c | b, d.')
  t.is(finding.level, 'error')
})

test('a peer that reaches no other is named', (t) => {
  const rows = [
    [0.5, 0.5, 0],
    [0.5, 0.5, 0],
    [0, 0.5, 0.5]
  ]
  const [finding] = structureFindings(build(3, { kind: 'matrix', rows }))
  t.deepEqual([finding.level, finding.message], ['error', 'Nothing of c ever reaches a.'])
})

test('rounds that join the peers only together do join them', (t) => {
  const topology = build(8, { kind: 'one-peer-exponential' })
  t.deepEqual(notOk(structureFindings(topology)), { symmetric: 'warning' })
  t.is(consensusFinding(contraction(topology)).message, 'Plain averaging is exact after 3 rounds.')
})

test('peers that swap their values are advised to keep a part', (t) => {
  const topology = build(2, {
    kind: 'matrix',
    rows: [
      [0, 1],
      [1, 0]
    ]
  })
  t.deepEqual(notOk(structureFindings(topology)), { 'self-weights': 'warning' })
  const finding = consensusFinding(contraction(topology))
  t.is(finding.level, 'error')
  t.regex(finding.message, /λₙ of W is −1/)
})

test('rows that do not sum to 1 and weights below 0 are errors in topologies from elsewhere', (t) => {
  const rows = [
    [1.5, -0.5],
    [0.5, 0.25]
  ].map((row) => row.map((value, column) => ({ column, value })))
  const found = notOk(structureFindings(topologyOf(names(2), [sparseMatrix(rows)])))
  t.like(found, { 'row-sums': 'error', 'non-negative': 'error' })
})
