import { readFileSync } from 'node:fs'
import { InputError } from '@murmuration/core'
import { knownSetNames } from '@murmuration/tasks'
import { parseYamlFile } from '@murmuration/topology'
import test from 'ava'
import { algorithmsJson, algorithmTables, withTables } from './algorithms-command.js'
import { exitCodes } from './exit-codes.js'
import { makePlan } from './plan.js'
import { schemaFiles } from './schemas.js'
import { readTrainingFile, trainingSchema } from './training-file.js'

const root = new URL('../../../', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8')

test('the published JSON Schemas are those of the code (npm run schemas writes them anew)', (t) => {
  for (const [name, text] of Object.entries(schemaFiles())) t.is(textOf(`docs/schemas/${name}`), text)
})

test('the tables of docs/algorithms.md are those of the registry (npm run schemas writes them anew)', (t) => {
  const document = textOf('docs/algorithms.md')
  t.true(document.includes(algorithmTables()))
  t.is(withTables(document), document)
})

test('every option of every algorithm has a description and a default', (t) => {
  for (const { name, options } of algorithmsJson()) {
    for (const option of options) {
      t.truthy(option.description, `${name}: ${option.name}`)
      t.not(option.default, undefined, `${name}: ${option.name}`)
    }
  }
})

test('every exit code is documented as it is', (t) => {
  const documented = textOf('docs/commands.md')
  for (const { code, meaning } of Object.values(exitCodes))
    t.true(documented.includes(`| ${code} | ${meaning} |`), meaning)
})

test('the documents name the versions of Node that package.json asks for', (t) => {
  const { engines } = JSON.parse(textOf('package.json')) as { readonly engines: { readonly node: string } }
  const versions = engines.node.match(/\d+(\.\d+)?/g)?.map((version) => `${version}+`) ?? []
  const named = `Node ${versions.slice(0, -1).join(', ')} or ${versions.at(-1)}`
  for (const file of ['README.md', 'docs/four-machines.md']) t.true(textOf(file).includes(named), `${file}: ${named}`)
})

test('the training file in the documents is one, and shows the defaults', (t) => {
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(textOf('docs/training-file.md')) ?? []
  const shown = parseYamlFile(yaml ?? '', 'docs/training-file.md', trainingSchema).value
  t.deepEqual(shown, trainingSchema.parse({}))
})

test('the training files of the examples are accepted, and options set things in their place', async (t) => {
  for (const file of ['mlp', 'mlp-by-label', 'cnn']) {
    const path = new URL(`examples/mnist/${file}.yaml`, root).pathname
    const training = await readTrainingFile(path, { data: '/some/folder', partition: 'dirichlet:0.5' })
    t.deepEqual(training.data, { path: '/some/folder' })
    t.deepEqual(training.partition, { dirichlet: 0.5 })
  }
  t.is((await readTrainingFile(undefined)).rounds, 400)
  await t.throwsAsync(readTrainingFile(undefined, { partition: 'dirichlet:x' }), { instanceOf: InputError })
})

test('the commands of the README that train name files that are there and data that can be had', async (t) => {
  const rows = [
    ...textOf('README.md').matchAll(/^\| `(topologies\/\S+) --train (\S+) --data (\S+?)(?: --partition (\S+))?` \|/gm)
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
