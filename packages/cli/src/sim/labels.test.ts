import test from 'ava'
import { contenderLabel, graphLabel } from './labels.js'
import { contenderSchema } from './scenario-contenders.js'

const labels: readonly (readonly [contender: object, label: string])[] = [
  [{ algorithm: 'dpsgd' }, 'D-PSGD'],
  [{ algorithm: 'dpsgd', name: 'gossip' }, 'gossip'],
  [{ algorithm: 'dpsgd', graph: 'complete', order: 'adapt-then-combine' }, 'D-PSGD (complete, adapt-then-combine)'],
  [
    { algorithm: 'dpsgd', fusion: 'per-tensor', batch: 64, rate: { initial: 0.5 } },
    'D-PSGD (per tensor, batch 64, rate 0.5)'
  ],
  [{ algorithm: 'dpsgd', overlap: false }, 'D-PSGD (no overlap)'],
  [{ algorithm: 'parameter-server' }, 'parameter server'],
  [{ algorithm: 'parameter-server', servers: 1, on: 'own', calls: 'streamed' }, 'parameter server'],
  [{ algorithm: 'parameter-server', servers: 4 }, 'parameter server (4 servers)'],
  [{ algorithm: 'parameter-server', on: 'workers' }, 'parameter server (on the workers)'],
  [{ algorithm: 'parameter-server', on: 'workers', servers: 1 }, 'parameter server (1 server, on the workers)'],
  [
    { algorithm: 'parameter-server', on: 'a', fusion: 'per-tensor', calls: 'blocking' },
    'parameter server (on a, blocking, per tensor)'
  ],
  [{ algorithm: 'async-parameter-server' }, 'asynchronous parameter server'],
  [{ algorithm: 'stale-synchronous' }, 'stale synchronous (staleness 3)'],
  [{ algorithm: 'all-reduce' }, 'ring all-reduce'],
  [{ algorithm: 'all-reduce', collective: 'halving-doubling', pieces: 1 }, 'halving-doubling all-reduce (pieces 1)'],
  [{ algorithm: 'local-sgd', rate: { decay: 'cosine' } }, 'local SGD (period 8, cosine rate)'],
  [{ algorithm: 'sgd' }, 'plain SGD']
]

test('a contender without a name is called by its algorithm and what it has otherwise than by default', (t) => {
  for (const [contender, label] of labels) t.is(contenderLabel(contenderSchema.parse(contender)), label)
})

test('a graph is called by its kind and options', (t) => {
  t.is(graphLabel({ kind: 'ring' }), 'ring')
  t.is(graphLabel({ kind: 'random-regular', degree: 4, seed: 1 }), 'random-regular (degree 4, seed 1)')
  t.is(graphLabel({ kind: 'edges', edges: [['a', 'b']] }), 'edges (1)')
})
