import test from 'ava'
import { methodLabel } from './labels.js'
import { methodSchema } from './methods.js'

const labels: readonly (readonly [method: object, label: string])[] = [
  [{ algorithm: 'dpsgd' }, 'D-PSGD'],
  [{ algorithm: 'dpsgd', name: 'gossip' }, 'gossip'],
  [
    { algorithm: { name: 'dpsgd', order: 'adapt-then-combine' }, graph: 'complete' },
    'D-PSGD (complete, adapt-then-combine)'
  ],
  [
    { algorithm: 'dpsgd', fusion: 'per-tensor', batch: 64, rate: { initial: 0.5 } },
    'D-PSGD (per-tensor, batch 64, rate 0.5)'
  ],
  [{ algorithm: { name: 'dpsgd', overlap: false }, optimiser: 'adam' }, 'D-PSGD (no overlap, adam)'],
  [{ algorithm: { name: 'gossip-pga', period: 8 } }, 'Gossip-PGA'],
  [{ algorithm: { name: 'gossip-pga', period: 4 } }, 'Gossip-PGA (period 4)'],
  [
    { algorithm: { name: 'diloco', outer: { name: 'sgd', rate: 1 } } },
    'DiLoCo (outer sgd momentum 0 nesterov false rate 1)'
  ],
  [{ algorithm: 'parameter-server' }, 'Parameter server'],
  [{ algorithm: { name: 'parameter-server', calls: 'streamed' }, servers: 1, on: 'own' }, 'Parameter server'],
  [{ algorithm: 'parameter-server', servers: 4 }, 'Parameter server (4 servers)'],
  [{ algorithm: 'parameter-server', on: 'workers' }, 'Parameter server (on the workers)'],
  [{ algorithm: 'parameter-server', on: 'workers', servers: 1 }, 'Parameter server (1 server, on the workers)'],
  [
    { algorithm: { name: 'parameter-server', fusion: 'per-tensor', calls: 'blocking' }, on: 'a' },
    'Parameter server (per-tensor, blocking, on a)'
  ],
  [{ algorithm: { name: 'stale-synchronous', staleness: 0 } }, 'Stale synchronous parallel (staleness 0)'],
  [
    { algorithm: { name: 'all-reduce', collective: 'halving-doubling', chunks: 1 } },
    'SGD on an all-reduce (halving-doubling, chunks 1)'
  ],
  [{ algorithm: 'local-sgd', rate: { decay: 'cosine' } }, 'Local SGD (cosine rate)'],
  [{ algorithm: 'sgd' }, 'SGD on one machine']
]

test('a method without a name is called by its algorithm and what it has otherwise than by default', (t) => {
  for (const [method, label] of labels) t.is(methodLabel(methodSchema.parse(method)), label)
})
