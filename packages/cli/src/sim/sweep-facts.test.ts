import { reportHtml, type RunRecord } from '@murmuration/report'
import test from 'ava'
import { Families } from './families.js'
import { simulateRun } from './run.js'
import { scenarioOf } from './scenario.test.support.js'
import { runsOf, topologyOf } from './sweep.js'
import { sweepOf } from './sweep-facts.js'

const servers = ['per-tensor', 'fused'].flatMap((fusion) =>
  ['blocking', 'streamed'].map((calls) => `{ algorithm: parameter-server, on: b, fusion: ${fusion}, calls: ${calls} }`)
)
const others = ['{ algorithm: parameter-server }', '{ algorithm: dpsgd }', '{ algorithm: dpsgd, overlap: false }']

test('contenders with automatic labels are compared by their fields in the report: what fusing does, and what streaming', async (t) => {
  const scenario = await scenarioOf({
    contenders: `[${[...servers, ...others].join(', ')}]`,
    traffic: '{ tensors: [10, 10, 10] }',
    topology: '{ graph: ring, peers: [a, b, c], links: { default: { latency: 10 ms } } }',
    stop: '{ rounds: 2 }'
  })
  const sweep = sweepOf(scenario, 'murmur sim')
  t.deepEqual(
    sweep.contenders.map(({ form }) => form?.kind),
    [...servers.map(() => 'Parameter server (on b)'), 'Parameter server', 'D-PSGD', 'D-PSGD']
  )
  const families = new Families(1)
  const runs: RunRecord[] = []
  for (const run of runsOf(scenario)) {
    const family = await families.of(run.setting.task, topologyOf(scenario, run).topology.peers, run.seed)
    runs.push((await simulateRun(scenario, run, family, () => 0)).record)
  }
  const html = await reportHtml({ sweep, runs, timelines: [] })
  t.regex(html, /“Parameter server \(on b\)”, tensor by tensor: blocking takes \S+x as long as streamed/)
  t.regex(html, /“Parameter server \(on b\)”, streamed: tensor by tensor takes \S+x as long as fused/)
  t.regex(html, /For “Parameter server \(on b\)”, that it does not wait matters more than that it fuses/)
})
