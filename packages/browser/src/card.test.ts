import { parseTrainingFile } from '@murmuration/experiment'
import test from 'ava'
import { learnedOf } from './card.js'

const said = async (text: string) => learnedOf({ training: await parseTrainingFile(text, 'a training file') })

test('a person reads what is learned, without the names of models', async (t) => {
  const common = `test: { path: test.csv, sha256: { test.csv: '${'0'.repeat(64)}' } }\npartition: { local: per-peer }`
  t.is(await said('task: mlp\ndata: digits'), 'to tell apart what images show (digits)')
  t.is(await said('task: mlp\ndata: { digits: 900, size: 14 }'), 'to tell apart what images show (digits)')
  t.is(await said('task: logistic\ndata: gaussians'), 'to tell two kinds of points apart (gaussians)')
  t.is(await said('task: gpt\ndata: sentences'), 'to continue texts')
  t.is(await said('task: cnn\ndata: { path: pets }'), 'to tell apart what images show')
  t.is(await said(`task: mlp\ndata: { path: a.csv, target: y }\n${common}`), 'to predict y from the other columns')
  t.is(await said('task: softmax\ndata: { path: a.csv }'), 'to predict one column of a table from the other columns')
})
