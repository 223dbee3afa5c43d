import { namedSets } from '@murmuration/data'
import { tasks } from '@murmuration/experiment/tasks'
import test from 'ava'
import { graphs } from './init/choices.js'
import { dataWords, graphWords, taskWords } from './words.js'

test('the words of the help are the names in the registries', (t) => {
  t.deepEqual(
    taskWords,
    tasks.map(({ kind }) => kind)
  )
  t.deepEqual(
    dataWords,
    namedSets.map(({ name }) => name)
  )
  t.deepEqual(
    graphWords,
    graphs.map(({ kind }) => kind)
  )
})
