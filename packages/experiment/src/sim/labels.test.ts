import test from 'ava'
import { contenderLabel } from './labels.js'
import { contenderSchema } from './scenario-contenders.js'

const labels: readonly (readonly [contender: object, label: string])[] = [
  [{ algorithm: 'dpsgd' }, 'D-PSGD'],
  [{ algorithm: 'dpsgd', name: 'gossip' }, 'gossip'],
  [{ algorithm: 'dpsgd', graph: 'complete', order: 'adapt-then-combine' }, 'D-PSGD (complete, adapt-then-combine)'],
  [
    { algorithm: 'dpsgd', fusion: 'per-tensor', batch: 64, rate: { initial: 0.5 } },
    'D-PSGD (per-tensor, batch 64, rate 0.5)'
  ],
  [{ algorithm: 'dpsgd', overlap: false, optimiser: 'adam' }, 'D-PSGD (no overlap, adam)'],
  [{ algorithm: 'gossip-pga', period: 8 }, 'Gossip-PGA'],
  [{ algorithm: 'gossip-pga', period: 4 }, 'Gossip-PGA (period 4)'],
  [{ algorithm: 'diloco', outer: { name: 'sgd', rate: 1 } }, 'DiLoCo (outer sgd momentum 0 nesterov false rate 1)'],
  [{ algorithm: 'parameter-server' }, 'Parameter server'],
  [{ algorithm: 'parameter-server', servers: 1, on: 'own', calls: 'streamed' }, 'Parameter server'],
  [{ algorithm: 'parameter-server', servers: 4 }, 'Parameter server (4 servers)'],
  [{ algorithm: 'parameter-server', on: 'workers' }, 'Parameter server (on the workers)'],
  [{ algorithm: 'parameter-server', on: 'workers', servers: 1 }, 'Parameter server (1 server, on the workers)'],
  [
    { algorithm: 'parameter-server', on: 'a', fusion: 'per-tensor', calls: 'blocking' },
    'Parameter server (per-tensor, blocking, on a)'
  ],
  [{ algorithm: 'stale-synchronous', staleness: 0 }, 'Stale synchronous parallel (staleness 0)'],
  [
    { algorithm: 'all-reduce', collective: 'halving-doubling', pieces: 1 },
    'SGD on an all-reduce (halving-doubling, pieces 1)'
  ],
  [{ algorithm: 'local-sgd', rate: { decay: 'cosine' } }, 'Local SGD (cosine rate)'],
  [{ algorithm: 'sgd' }, 'SGD on one machine']
]

test('a contender without a name is called by its algorithm and what it has otherwise than by default', (t) => {
  for (const [contender, label] of labels) t.is(contenderLabel(contenderSchema.parse(contender)), label)
})
