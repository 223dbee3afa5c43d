import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readScenario, runAll, sweepOf } from '@murmuration/experiment/sim'
import { reportHtml } from '@murmuration/report'
import test from 'ava'

const servers = ['per-tensor', 'fused'].flatMap((fusion) =>
  ['blocking', 'streamed'].map(
    (calls) => `{ algorithm: { name: parameter-server, fusion: ${fusion}, calls: ${calls} }, on: b }`
  )
)

test('methods with automatic labels are compared by their fields in the report: what fusing does, and what streaming', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'scenario.yaml')
  await writeFile(
    path,
    `title: Servers
topology: { graph: ring, peers: [a, b, c], links: { default: { latency: 10 ms } } }
task: quadratic
optimiser: sgd
weightDecay: 0
rate: { decay: constant }
methods: [${servers.join(', ')}, { algorithm: dpsgd }, { algorithm: parameter-server }]
traffic: { tensors: [10, 10, 10] }
rounds: 2
`
  )
  const scenario = await readScenario(path)
  const { signal } = new AbortController()
  const { results } = await runAll(scenario, { threads: 1, onRun: () => {}, keep: () => {}, signal })
  const runs = results.map(({ record }) => record)
  const html = await reportHtml({ sweep: sweepOf(scenario, 'murmur sim'), runs, timelines: [] })
  t.regex(html, /“Parameter server \(on b\)”, per tensor: blocking takes \S+x as long as streamed/)
  t.regex(html, /“Parameter server \(on b\)”, streamed: per tensor takes \S+x as long as fused/)
  t.regex(html, /For “Parameter server \(on b\)”, streaming matters more than fusing/)
})
