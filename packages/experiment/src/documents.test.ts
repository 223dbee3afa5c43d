import { readFileSync } from 'node:fs'
import { InputError } from '@murmuration/core'
import { knownSetNames } from '@murmuration/data'
import { parseYamlFile } from '@murmuration/files'
import test from 'ava'
import { schemaFiles } from './schemas.js'
import { makePlan } from './make-plan.js'
import { readTrainingFile } from './training/read-training-file.js'
import { trainingSchema } from './training/training-schema.js'

const root = new URL('../../../', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8')

test('the published JSON Schemas are those of the code (npm run schemas writes them anew)', (t) => {
  for (const [name, text] of Object.entries(schemaFiles())) t.is(textOf(`docs/schemas/${name}`), text)
})

test('the training file in the documents is one, and shows the defaults', (t) => {
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(textOf('docs/use/training-file.md')) ?? []
  const shown = parseYamlFile(yaml ?? '', 'docs/use/training-file.md', trainingSchema).value
  t.deepEqual(shown, trainingSchema.parse({}))
})

test('the training files of the examples are accepted, and options set things in their place', async (t) => {
  for (const file of ['mnist/mlp', 'mnist/mlp-by-label', 'mnist/cnn', 'language-model/train']) {
    const path = new URL(`examples/${file}.yaml`, root).pathname
    const training = await readTrainingFile(path, { data: '/some/folder', partition: 'dirichlet:0.5' })
    t.deepEqual(training.data, { path: '/some/folder' })
    t.deepEqual(training.partition, { dirichlet: 0.5 })
  }
  t.is((await readTrainingFile(undefined)).rounds, 400)
  await t.throwsAsync(readTrainingFile(undefined, { partition: 'dirichlet:x' }), { instanceOf: InputError })
})

test('the commands of docs/understand/comparison.md that train name files that are there and data that can be had', async (t) => {
  const rows = [
    ...textOf('docs/understand/comparison.md').matchAll(
      /^\| `(topologies\/\S+) --train (\S+) --data (\S+?)(?: --partition (\S+))?` \|/gm
    )
  ]
  t.true(rows.length >= 5)
  const place = (file: string) => new URL(file, root).pathname
  for (const [, topology, train, data, partition] of rows) {
    const plan = await makePlan({ topology: place(topology), train: place(train), data, partition })
    t.true(
      knownSetNames.some((name) => name === plan.training.data),
      data
    )
  }
})

test('a wrong training file is refused with line, column, and the word that was meant', (t) => {
  const error = t.throws(() => parseYamlFile('rounds: 10\nrate: { inital: 1 }\n', 'training.yaml', trainingSchema))
  t.regex(error.message, /^training\.yaml:2:9: .*inital.*initial/s)
})
