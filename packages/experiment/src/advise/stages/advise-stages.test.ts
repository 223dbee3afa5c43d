import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { makePlan } from '../../make-plan.js'
import { adviseStages, stageFiles } from './advise-stages.js'

const { signal } = new AbortController()

async function files(topologyText: string, task = '{ kind: mlp, hidden: [64, 64, 64, 64] }') {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-stages-'))
  const [topology, train] = ['topology.yaml', 'train.yaml'].map((name) => join(folder, name))
  await writeFile(topology, topologyText)
  await writeFile(train, `# ours\ntask: ${task}\ndata: { digits: 120 }\nbatch: 8\nrounds: 4\n`)
  return { folder, topology, train }
}

test('a model without room is cut, and the files of the best plan are a run with the same stages', async (t) => {
  const { folder, ...request } = await files(
    '# ours too\ngraph: ring\npeers: [{ name: a, memory: 153 MB }, b, { name: c, memory: 153 MB }, d]\n'
  )
  const advice = await adviseStages(request, { signal })
  if (advice === undefined) return t.fail('no advice')
  t.true(advice.needed > 153e6 && advice.alone > 0)
  const [best] = advice.plans
  const texts = await stageFiles(request, best)
  t.true(texts.topology.startsWith('# ours too\n') && texts.train.startsWith('# ours\n'))
  t.regex(texts.topology, /name: a, memory: 153 MB, stage: 0/)
  const [topology, train] = ['new.yaml', 'new-train.yaml'].map((name) => join(folder, name))
  await writeFile(topology, texts.topology)
  await writeFile(train, texts.train)
  const { file, training } = await makePlan({ topology, train })
  t.deepEqual(file.pipeline?.lines, best.lines)
  t.deepEqual(training.pipeline?.cuts, best.cuts)
})

test('where each peer has room, and the file no stages, there is nothing to cut', async (t) => {
  t.is(await adviseStages(await files('graph: ring\npeers: [{ name: a, memory: 2 GB }, b]\n'), { signal }), undefined)
  t.is(await adviseStages(await files('graph: ring\npeers: 2\n'), { signal }), undefined)
  const advice = await adviseStages(await files('graph: ring\nstages: 2\npeers: 2\n'), { signal })
  t.is(advice?.plans.length, 1)
  t.is(advice?.memory, undefined)
})

test('a model that cannot be cut, or has no room anywhere, is an error', async (t) => {
  const small = 'graph: ring\npeers: [{ name: a, memory: 150 MB }, b]\n'
  await t.throwsAsync(adviseStages(await files(small), { signal }), {
    instanceOf: InputError,
    message: /found no number of stages that divides 2 peers and has room/
  })
  await t.throwsAsync(adviseStages(await files(small, 'softmax'), { signal }), {
    instanceOf: InputError,
    message: 'the task has no layers, so its model cannot be cut into stages'
  })
})
