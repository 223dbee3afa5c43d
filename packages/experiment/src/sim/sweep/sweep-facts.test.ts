import test from 'ava'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { sweepOf } from './sweep-facts.js'

const servers = ['per-tensor', 'fused'].flatMap((fusion) =>
  ['blocking', 'streamed'].map(
    (calls) => `{ algorithm: { name: parameter-server, fusion: ${fusion}, calls: ${calls} }, on: b }`
  )
)
const others = [
  '{ algorithm: parameter-server }',
  '{ algorithm: dpsgd }',
  '{ algorithm: { name: dpsgd, overlap: false } }'
]

test('methods with automatic labels have the fields that the report compares them by', async (t) => {
  const scenario = await scenarioOf({
    methods: `[${[...servers, ...others].join(', ')}]`,
    traffic: '{ tensors: [10, 10, 10] }',
    topology: '{ graph: ring, peers: [a, b, c], links: { default: { latency: 10 ms } } }',
    rounds: '2'
  })
  const sweep = sweepOf(scenario, 'murmur sim')
  t.deepEqual(
    sweep.methods.map(({ form }) => form?.kind),
    [...servers.map(() => 'Parameter server (on b)'), 'Parameter server', 'D-PSGD', 'D-PSGD']
  )
})
