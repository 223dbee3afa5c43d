import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { nothingLearned } from './learned-nothing.js'
import { scenarioOf } from '../sim/scenario/scenario.test.support.js'
import { simulateRun } from '../sim/run/run.js'
import { runsOf } from '../sim/scenario/sweep.js'
import { TaskSets } from '../sim/run/task-sets.js'

const rate = { initial: 0.05 }

test('a model that is no better than the most frequent class, or the mean, is told, with what to do', (t) => {
  const classes = { constantAnswer: { accuracy: 0.25 } }
  t.deepEqual(nothingLearned({ loss: 1, accuracy: 0.25 }, classes, rate), {
    learnedNothing:
      'no better than always answering the most frequent class of the test set (25.00 %); try a lower rate, such as rate: { initial: 0.005 } in the training file, then more rounds'
  })
  t.deepEqual(nothingLearned({ loss: 9, accuracy: 0.26 }, classes, rate), {})
  const numbers = { constantAnswer: { loss: 4 } }
  t.regex(
    nothingLearned({ loss: 4 }, numbers, rate).learnedNothing ?? '',
    /^no better than .* the mean of the test set \(loss 4\.00\); try a lower rate/
  )
  t.deepEqual(nothingLearned({ loss: 3.9 }, numbers, rate), {})
})

test('nothing is said where a constant answer is right, or none is known', (t) => {
  t.deepEqual(nothingLearned({ loss: 0, accuracy: 1 }, { constantAnswer: { accuracy: 1 } }, rate), {})
  t.deepEqual(nothingLearned({ loss: 0 }, { constantAnswer: { loss: 0 } }, rate), {})
  t.deepEqual(nothingLearned({ loss: 5 }, {}, rate), {})
})

test('the record of a simulated run says that it learned nothing, and only then', async (t) => {
  const recordOf = async (inputOf: (sample: number) => number) => {
    const path = join(await mkdtemp(join(tmpdir(), 'murmur-nothing-')), 'table.csv')
    const rows = Array.from({ length: 60 }, (_, k) => `${inputOf(k)},${k % 2 === 0 ? 'even' : 'odd'}`)
    await writeFile(path, `x,label\n${rows.join('\n')}\n`)
    const lines = { task: 'softmax', data: `{ path: ${path} }`, rounds: '30', batch: '8' }
    const scenario = await scenarioOf(lines)
    const [run] = runsOf(scenario)
    const taskSet = await new TaskSets(1).of(scenario.training, ['a', 'b', 'c'], 1)
    return (await simulateRun(scenario, run, taskSet, () => 0)).record
  }
  t.is((await recordOf((k) => (k % 2) - 0.5)).learnedNothing, undefined)
  t.regex((await recordOf(() => 1)).learnedNothing ?? '', /most frequent class of the test set/)
})
