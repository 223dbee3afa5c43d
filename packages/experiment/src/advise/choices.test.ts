import type { PeerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import type { Training } from '../training/training-schema.js'
import { type Choice, choicesFor, periodOf } from './choices.js'

const training = { task: { kind: 'softmax' }, rate: { initial: 0.1 }, rounds: 150 } as unknown as Training
const peersOf = (count: number) => Array.from({ length: count }, (_, k) => `p${k}` as PeerName)
const choicesOf = (count: number) => choicesFor(training, peersOf(count))
const named = (choices: readonly Choice[], name: string) => choices.filter(({ algorithm }) => algorithm.name === name)

test('exchanges after several steps use all rounds of a graph that repeats, for any number of peers', (t) => {
  for (let count = 2; count <= 33; count++) {
    for (const choice of [...named(choicesOf(count), 'gasloc'), ...named(choicesOf(count), 'overlap-merge')]) {
      const { graph } = choice
      if (graph === undefined) return t.fail('no graph')
      const { period } = createTopology({ peers: peersOf(count), graph })
      const used = new Set(Array.from({ length: period }, (_, k) => ((k + 1) * periodOf(choice)) % period))
      t.is(used.size, period, `${count} peers, every ${periodOf(choice)} steps`)
    }
  }
})

test('both sides have the same rates, and strengths of compression where they have any', (t) => {
  const choices = choicesOf(8)
  const strengthsOf = (name: string, option: string) =>
    new Set(named(choices, name).map(({ algorithm }) => JSON.stringify(algorithm[option]))).size
  t.is(strengthsOf('choco', 'compressor'), strengthsOf('cocktail-sgd', 'random'))
  t.is(strengthsOf('power-gossip', 'rank'), strengthsOf('power-sgd', 'rank'))
  for (const { algorithm } of choices)
    t.is(new Set(named(choices, algorithm.name ?? '').map(({ rate }) => rate)).size, 3, algorithm.name)
})

test('more than 16 peers keep no state for each other peer', (t) => {
  const graphsOf = (count: number) =>
    new Set([...named(choicesOf(count), 'choco'), ...named(choicesOf(count), 'power-gossip')].map((each) => each.graph))
  t.deepEqual([...graphsOf(16)], [{ kind: 'complete' }])
  t.deepEqual([...graphsOf(17)], [undefined])
})

test('dual ascent is tried at one rate, and only for tasks that have a dual', (t) => {
  t.is(named(choicesOf(8), 'cola').length, 0)
  const ofSvm = choicesFor({ ...training, task: { kind: 'svm' } }, peersOf(8))
  t.deepEqual(
    named(ofSvm, 'cola').map(({ rate, graph }) => ({ rate, graph })),
    [
      { rate: 0.1, graph: undefined },
      { rate: 0.1, graph: { kind: 'complete' } }
    ]
  )
})
