import test from 'ava'
import { fusedPairs } from './fusing.js'

test('labels that differ in the words about fusing alone are a pair', (t) => {
  const labels = [
    'all-reduce, tensor by tensor',
    'D-PSGD',
    'all-reduce, fused',
    'Parameter server (fused)',
    'parameter server'
  ]
  t.deepEqual(fusedPairs(labels), [
    { name: 'all-reduce', apart: 0, fused: 2 },
    { name: 'Parameter server', apart: 4, fused: 3 }
  ])
})

test('other differences make no pair, and “unfused” is not fused', (t) => {
  t.deepEqual(fusedPairs(['all-reduce, 2 shards, fused', 'all-reduce, fused', 'D-PSGD, unfused']), [])
  t.deepEqual(fusedPairs(['D-PSGD fused', 'D-PSGD unfused']), [{ name: 'D-PSGD', apart: 1, fused: 0 }])
})
