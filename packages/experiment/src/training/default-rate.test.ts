import test from 'ava'
import { scenarioOf } from '../sim/scenario/scenario.test.support.js'
import { tasks } from './tasks.js'
import { readTrainingFile } from './read-training-file.js'
import { parseTrainingFile } from './training-file.js'

const rateOf = async (text: string) => (await parseTrainingFile(text, 'train.yaml')).rate

test('a training file without a rate has that of its task, after a warm-up, also where a command names the task', async (t) => {
  for (const { kind, rate, rateOfSmall = rate } of tasks) {
    const expected = { initial: rateOfSmall, warmup: 20, decay: 'cosine', scale: 'none' } as const
    t.deepEqual(await rateOf(`task: ${kind}\n`), expected, kind)
    t.deepEqual((await readTrainingFile(undefined, { task: kind })).rate, expected, `--task ${kind}`)
    const scenario = await scenarioOf({ task: kind })
    t.deepEqual(scenario.training.rate, expected, `the scenario of ${kind}`)
    t.deepEqual(scenario.methods[0].training.rate, expected)
  }
})

test('files, large images, and local data of which others have another size have the rate that is safe for all', async (t) => {
  for (const { kind, rate } of tasks.filter(({ learnsFromData }) => learnsFromData)) {
    t.like(await rateOf(`task: ${kind}\ndata: { path: photos }\n`), { initial: rate }, kind)
    t.like((await readTrainingFile(undefined, { task: kind, data: '.' })).rate, { initial: rate }, `--data of ${kind}`)
    t.like(await rateOf(`task: ${kind}\ndata: cifar-10\n`), { initial: rate }, kind)
    t.like(await rateOf(`task: ${kind}\ndata: mnist\npartition: local\n`), { initial: rate }, kind)
  }
})

test('the warm-up is at most a twentieth of the run, and belongs to the default rate', async (t) => {
  t.like(await rateOf('task: cnn\nrounds: 100\n'), { warmup: 5 })
  t.like(await rateOf('task: cnn\nrounds: 10\nrate: { decay: constant }\n'), { warmup: 0, decay: 'constant' })
  t.like(await rateOf('task: cnn\nrate: { warmup: 3 }\n'), { warmup: 3 })
  t.like(await rateOf('task: cnn\nrate: { initial: 0.3 }\n'), { initial: 0.3, warmup: 0 })
})

test('Adam has a default rate of its own, also as that of one method of a scenario', async (t) => {
  t.like(await rateOf('task: mlp\noptimiser: adam\n'), { initial: 0.001, warmup: 20 })
  const { methods } = await scenarioOf({
    task: 'softmax',
    methods: '[dpsgd, { algorithm: dpsgd, optimiser: adam }, { algorithm: dpsgd, rate: { initial: 0.3 } }]'
  })
  const softmax = tasks.find(({ kind }) => kind === 'softmax')
  t.deepEqual(
    methods.map(({ training: { rate } }) => [rate.initial, rate.warmup]),
    [
      [softmax?.rateOfSmall, 20],
      [0.001, 20],
      [0.3, 0]
    ]
  )
})
