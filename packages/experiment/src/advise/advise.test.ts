import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, StoppedError } from '@murmuration/core'
import test from 'ava'
import { median } from 'simple-statistics'
import { computingOf } from '../sim/scenario/computing.js'
import { makePlan } from '../make-plan.js'
import { advise } from './advise.js'
import { adviceFiles, checkMovable } from './files.js'

const { signal } = new AbortController()
const computing = computingOf('{ perSample: 0.1 ms }')

async function files(links: string) {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-advise-'))
  const topology = join(folder, 'topology.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, `# ours\ngraph: ring\npeers: [a, b, c, d]\n${links}`)
  await writeFile(
    train,
    '# also ours\ntask: softmax\ndata: { digits: 120, size: 8 }\nbatch: 4\nrate: { initial: 0.5 }\nrounds: 36\nconsensusTolerance: 0.1\n'
  )
  return { folder, topology, train }
}

test('on slow links the plan of the files is not the best, and the files of the best are a run', async (t) => {
  const { folder, topology, train } = await files('links: { default: { bandwidth: 100 kbit/s, latency: 50 ms } }\n')
  const options = { computing, budget: 300, threads: 2, signal }
  const advice = await advise({ topology, train }, options)
  t.true(advice.isWhole && advice.tried > 100)
  t.is(advice.targets.length, 3)
  const total = (reached: readonly number[], averaging: number) => median([...reached]) + averaging
  const totals = advice.plans.map(({ reached, averaging }) => total(reached, averaging))
  t.deepEqual(
    totals,
    totals.toSorted((left, right) => left - right)
  )
  const given = advice.plans.findIndex(({ isGiven }) => isGiven)
  t.true(totals[0] < totals[given] / 2, `${totals}`)
  const [best] = advice.plans
  const texts = await adviceFiles({ topology, train }, best)
  t.true(texts.topology.startsWith('# ours\n') && texts.train.startsWith('# also ours\n'))
  const asTopology = join(folder, 'new.yaml')
  const asTrain = join(folder, 'new-train.yaml')
  await writeFile(asTopology, texts.topology)
  await writeFile(asTrain, texts.train)
  const plan = await makePlan({ topology: asTopology, train: asTrain })
  t.is(plan.label, best.algorithm)
  t.is(plan.training.codec, best.choice.codec)
  t.is(plan.training.rate.initial, best.choice.rate)
})

test('whoever stops it is told that it was stopped, and nothing of a budget', async (t) => {
  const given = await files('links: { preset: home }\n')
  const controller = new AbortController()
  const emit = () => controller.abort(new StoppedError('enough'))
  const options = { computing, budget: 300, signal: controller.signal, emit }
  await t.throwsAsync(advise(given, options), { instanceOf: StoppedError, message: 'enough' })
})

test('a topology without links, and a budget that is too small, are refused with a sentence', async (t) => {
  const without = await files('')
  await t.throwsAsync(advise(without, { computing, budget: 60, signal }), {
    instanceOf: InputError,
    message: /found no links; expected/
  })
  const given = await files('links: { preset: home }\n')
  await t.throwsAsync(advise(given, { computing, budget: 0.001, signal }), {
    instanceOf: InputError,
    message: /--budget: too little to complete a simulation/
  })
})

test('a topology with stages is refused with a sentence', async (t) => {
  const { topology, train } = await files('links: { preset: home }\nstages: 2\n')
  await t.throwsAsync(advise({ topology, train }, { computing, budget: 60, signal }), {
    instanceOf: InputError,
    message: /: found stages, expected none/
  })
})

test('a training file that names others is not written where it would not find them', async (t) => {
  const { folder, topology } = await files('links: { preset: home }\n')
  const train = join(folder, 'named.yaml')
  await writeFile(join(folder, 'a.csv'), '1,0\n2,1\n')
  await writeFile(train, 'task: softmax\ndata: { path: a.csv }\n')
  const choice = { algorithm: { name: 'dpsgd' }, codec: 'int8', rate: 0.1 } as const
  const { train: text } = await adviceFiles({ topology, train }, { choice, isGiven: false })
  t.regex(text, /^algorithm: dpsgd$/m)
  await checkMovable(train, folder)
  await t.throwsAsync(checkMovable(train, join(folder, 'other')), {
    instanceOf: InputError,
    message: /its relative paths name other files/
  })
})
