import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { encodeSafetensors, type NamedTensor, tensorsOf } from '@murmuration/vectors'
import test from 'ava'
import { startTaskWorker } from '@murmuration/tasks'
import { makePlan } from '../make-plan.js'
import { taskOf } from '../training/plan.js'
import { evaluateModel } from './evaluate-model.js'
import { exportModel } from './export-model.js'
import { loadModel } from './load-model.js'
import { factsOfRun, modelFile, type ModelFacts, parametersFor } from './model-file.js'
import { predict } from './predict-saved.js'
import { startingFrom } from './start-model.js'

const { signal } = new AbortController()
const topology = new URL('../../../../topologies/ring-4.yaml', import.meta.url).pathname

async function saved(
  change: (facts: ModelFacts) => ModelFacts = (facts) => facts,
  { task = 'softmax', data = '{ digits: 300, size: 8 }', numbers = 650 } = {}
) {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-model-'))
  const train = join(folder, 'train.yaml')
  await writeFile(train, `task: ${task}\ndata: ${data}\ntest: 30 %\nseed: 5\nrounds: 7\n`)
  const plan = await makePlan({ topology, train })
  const worker = await startTaskWorker(taskOf(plan), { signal })
  const parameters = Float32Array.from({ length: numbers }, (_, place) => Math.sin(place))
  const evaluation = await worker.evaluate(parameters).run()
  const { schema, about, signature } = worker
  await worker.close()
  const path = join(folder, 'model.safetensors')
  await writeFile(
    path,
    Buffer.concat(modelFile(schema, parameters, change(factsOfRun(plan, { samples: 9, about, signature, evaluation }))))
  )
  return { path, parameters, evaluation, schema, folder }
}

test('a saved model is read with all its bits and facts, and is worth what it was worth', async (t) => {
  const { path, parameters, evaluation, schema } = await saved()
  const model = await loadModel(path)
  t.deepEqual(model.tensors, tensorsOf(schema, parameters))
  t.is(parametersFor(path, model, schema), model.parameters, 'without a copy')
  t.true(model.tensors.every(({ values }) => values.buffer === model.parameters.buffer))
  t.like(model.facts, { seed: 5, rounds: 7, samples: 9, peers: ['a', 'b', 'c', 'd'], evaluation })
  t.deepEqual(model.facts.learning.data, { digits: 300, size: 8 })
  const { loss, accuracy } = await evaluateModel(path, { signal })
  t.deepEqual({ loss, accuracy }, evaluation)
})

const linear = [
  ['logistic', 3],
  ['softmax', 6],
  ['svm', 3],
  ['{ kind: svm, features: { fourier: 8, gamma: 0.1 } }', 9],
  ['{ kind: mlp, hidden: [2] }', 12]
] as const
for (const [task, numbers] of linear)
  test(`${task}: a model whose tensors another library has sorted is the same model`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'murmur-data-'))
    const data = join(folder, 'data.csv')
    const rows = Array.from({ length: 40 }, (_, row) => `${row % 5},${(row * 3) % 7},${row % 2}`)
    await writeFile(data, `a,b,label\n${rows.join('\n')}\n`)
    const { path, evaluation } = await saved((facts) => facts, { task, data: `{ path: ${data} }`, numbers })
    const results = async () => {
      const { value } = await predict(path, [data]).next()
      const files = (await exportModel(path, { out: folder })).filter((file) => !file.endsWith('.json'))
      const { loss } = await evaluateModel(path, { signal })
      return { value, loss, files: await Promise.all(files.map((file) => readFile(file))) }
    }
    const before = await results()
    t.is(before.loss, evaluation.loss)
    const { facts, tensors } = await loadModel(path)
    const rewrite = (changed: readonly NamedTensor[]) =>
      writeFile(
        path,
        Buffer.concat(encodeSafetensors(changed, { format: 'murmuration-model/1', facts: JSON.stringify(facts) }))
      )
    await rewrite(tensors.toReversed())
    t.deepEqual(await results(), before)
    // As many parameters, of another network.
    await rewrite(tensors.with(0, { ...tensors[0], name: '7/Dense/kernel' }))
    for (const use of [
      predict(path, [data]).next(),
      exportModel(path, { out: folder }),
      evaluateModel(path, { signal })
    ])
      await t.throwsAsync(use, {
        instanceOf: InputError,
        message: /model\.safetensors: has 7\/Dense\/kernel .*; name the/
      })
  })

test('data of a name are taken for what they are, though the run had a test set of its own', async (t) => {
  const gone = { path: '/nowhere/test.csv', sha256: {} }
  const change = (facts: ModelFacts) => ({ ...facts, learning: { ...facts.learning, test: gone } })
  const { path, evaluation } = await saved(change, { data: 'digits', numbers: 7850 })
  const { loss } = await evaluateModel(path, { data: 'digits', signal })
  t.true(Number.isFinite(loss) && loss !== evaluation.loss)
})

test('what is no model, or no file, is called by its name', async (t) => {
  const { path, folder } = await saved()
  const yaml = join(folder, 'train.yaml')
  const expected = 'expected a model that --save wrote, such as model.safetensors'
  await t.throwsAsync(loadModel(yaml), { instanceOf: InputError, message: `${yaml}: found a YAML file, ${expected}` })
  await t.throwsAsync(loadModel(folder), { instanceOf: InputError, message: `${folder}: found a folder, ${expected}` })
  await t.throwsAsync(loadModel(join(folder, 'none.yaml')), { instanceOf: InputError, message: /ENOENT/ })
  await t.throwsAsync(predict(path, [folder]).next(), {
    instanceOf: InputError,
    message: `${folder}: found a folder, expected a file; name the files in it`
  })
})

test('a model of more classes than it has parameters is refused before it is built', async (t) => {
  const { path, schema, parameters } = await saved()
  const { facts } = await loadModel(path)
  const signature = { ...facts.signature, classes: 2_000_000_000 } as NonNullable<typeof facts.signature>
  await writeFile(path, Buffer.concat(modelFile(schema, parameters, { ...facts, signature })))
  await t.throwsAsync(predict(path, ['x.png'], {}).next(), { instanceOf: InputError, message: /2000000000 classes/ })
})

test('a model of a scaled table takes the table as it is, and scales it with its own numbers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-data-'))
  const write = async (name: string, first: number) => {
    const rows = Array.from({ length: 40 }, (_, row) => `${first + 1e9 * row},${(row * 3) % 7},${row % 2}`)
    await writeFile(join(folder, name), `a,b,label\n${rows.join('\n')}\n`)
    return join(folder, name)
  }
  const data = await write('data.csv', 1e12)
  const { path, evaluation, schema, parameters } = await saved((facts) => facts, {
    data: `{ path: ${data}, scale: standard }`,
    numbers: 6
  })
  t.is((await evaluateModel(path, { signal })).loss, evaluation.loss)
  const later = await write('later.csv', 2e12)
  const [here, there] = await Promise.all([data, later].map((file) => evaluateModel(path, { data: file, signal })))
  t.true(there.loss > 2 * here.loss, 'the later table is far from the mean of the first')
  const classes = []
  for await (const { classes: found } of predict(path, [data])) classes.push(found?.[0].name)
  const right = classes.filter((name, row) => name === String(row % 2)).length
  t.is(right / 40, here.accuracy ?? 0)
  const { facts } = await loadModel(path)
  const wrong = { kind: 'numbers', scale: { means: [1], deviations: [1] } } as const
  const signature = { ...(facts.signature as NonNullable<typeof facts.signature>), preprocessing: wrong }
  await writeFile(path, Buffer.concat(modelFile(schema, parameters, { ...facts, signature })))
  await t.throwsAsync(loadModel(path), { instanceOf: InputError, message: /a mean and a deviation for each column/ })
})

test('all samples of a file that is given count', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-data-'))
  const write = async (name: string, rows: number) => {
    const lines = Array.from({ length: rows }, (_, row) => `${row % 5},${(row * 3) % 7},${row % 2}`)
    await writeFile(join(folder, name), `${lines.join('\n')}\n`)
    return join(folder, name)
  }
  const first = await write('first.csv', 40)
  const { path } = await saved((facts) => facts, { data: `{ path: ${first} }`, numbers: 6 })
  const data = await write('other.csv', 10)
  const { accuracy = Number.NaN, ...other } = await evaluateModel(path, { data, signal })
  t.is(Math.round(10 * accuracy) / 10, accuracy, 'of ten samples')
  t.is(other.data, data)
})

test('the images of a folder of links count, and the target of a table is that of the training', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-data-'))
  const rows = Array.from({ length: 30 }, (_, row) => `${row % 3},${row % 5},${(row * 3) % 7},u`)
  await writeFile(join(folder, 'a.csv'), `kind,a,b,id\n${rows.join('\n')}\n`)
  const data = `{ path: ${join(folder, 'a.csv')}, target: kind, ignore: [id] }`
  const { path } = await saved((facts) => facts, { data, numbers: 9 })
  await writeFile(join(folder, 'few.csv'), `kind,b,a\n${['0,1,2', '1,2,1'].join('\n')}\n`)
  t.true((await evaluateModel(path, { data: join(folder, 'few.csv'), signal })).loss > 0)
  const image = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64'
  )
  await mkdir(join(folder, 'store'))
  await writeFile(join(folder, 'store', '1.png'), image)
  for (const name of ['cat', 'dog']) {
    await mkdir(join(folder, 'photos', name), { recursive: true })
    for (const file of ['1.png', '2.png', '3.png'])
      await symlink(join(folder, 'store', '1.png'), join(folder, 'photos', name, file))
  }
  await symlink(join(folder, 'photos', 'dog'), join(folder, 'photos', 'owl'))
  const photos = join(folder, 'photos')
  const { path: pictured } = await saved((facts) => facts, { data: `{ path: ${photos} }`, numbers: 12 })
  t.true((await evaluateModel(pictured, { data: photos, signal })).loss > 0)
})

test('classes that are not shown are no other model, columns are found by their names, and one file of two by the other', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-data-'))
  const write = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  const rows = Array.from({ length: 30 }, (_, row) => [row % 5, (row * 3) % 7, row % 3])
  const first = await write('first.csv', `a,b,label\n${rows.join('\n')}\n`)
  const { path } = await saved((facts) => facts, { data: `{ path: ${first} }`, numbers: 9 })
  const few = rows.filter(([, , label]) => label < 2)
  const data = await write('few.csv', `a,b,label\n${few.join('\n')}\n`)
  const turned = await write('turned.csv', `b,label,a\n${few.map(([a, b, label]) => [b, label, a]).join('\n')}\n`)
  const one = await evaluateModel(path, { data, signal })
  const other = await evaluateModel(path, { data: turned, signal })
  t.is(one.loss, other.loss)
  const beyond = await write('beyond.csv', 'a,b,label\n1,2,3\n')
  await t.throwsAsync(evaluateModel(path, { data: beyond, signal }), {
    instanceOf: InputError,
    message: /a sample has class 3, but the model has only the classes 0 to 2/
  })
  const { path: pictured } = await saved()
  const images = await write(
    't10k-images-idx3-ubyte',
    Buffer.from([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8, ...rows.flat().slice(0, 64)])
  )
  await write('t10k-labels-idx1-ubyte', Buffer.from([0, 0, 8, 1, 0, 0, 0, 1, 7]))
  t.true((await evaluateModel(pictured, { data: images, signal })).loss > 0)
})

test('a model of texts is worth as much on any text of its characters, wherever the one is that it learned from', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-text-'))
  const learned = join(folder, 'learned.txt')
  const other = join(folder, 'other.txt')
  await writeFile(learned, 'abcd'.repeat(40))
  const task = '{ kind: gpt, layers: 1, width: 4, heads: 1, context: 8 }'
  const { path, evaluation } = await saved((facts) => facts, { task, data: `{ path: ${learned} }`, numbers: 304 })
  t.is(evaluation.perplexity, Math.exp(evaluation.loss))
  await rm(learned)
  await writeFile(other, 'abcabcab'.repeat(2))
  const { loss, perplexity } = await evaluateModel(path, { data: other, signal })
  t.is(perplexity, Math.exp(loss))
  await writeFile(other, 'abcd\nabcz')
  await t.throwsAsync(evaluateModel(path, { data: other, signal }), {
    instanceOf: InputError,
    message: /other\.txt: line 1, character 5 is "\\n", expected one of the 4 known characters: "abcd"/
  })
})

test('a module that a model file names is not run; what is no model, or fits other data, is refused', async (t) => {
  const { path } = await saved((facts) => ({
    ...facts,
    learning: { ...facts.learning, task: { module: '/tmp/evil.mjs' } }
  }))
  await t.throwsAsync(evaluateModel(path, { signal }), {
    instanceOf: InputError,
    message: /evil\.mjs\. A module is code, and is not run/
  })
  const wide = await saved((facts) => ({ ...facts, learning: { ...facts.learning, data: { digits: 300, size: 10 } } }))
  await t.throwsAsync(evaluateModel(wide.path, { signal }), {
    instanceOf: InputError,
    message: /the task has .*\(1010\)/
  })
  const none = join(wide.folder, 'none')
  await writeFile(none, Buffer.concat(encodeSafetensors([{ name: 'x', shape: [1], values: Float32Array.of(1) }])))
  await t.throwsAsync(loadModel(none), {
    instanceOf: InputError,
    message: /none: found format "none", expected "murmuration-model\/1"/
  })
  const vast = await saved((facts) => ({
    ...facts,
    signature: { inputShape: [1e6, 1e6], targetShape: [], preprocessing: { kind: 'image' } }
  }))
  await t.throwsAsync(loadModel(vast.path), { instanceOf: InputError, message: /at most 2\^24 numbers per sample/ })
  await writeFile(none, 'text')
  await t.throwsAsync(loadModel(none), { instanceOf: InputError, message: /found 4 bytes/ })
  await t.throwsAsync(loadModel(join(wide.folder, 'absent')), { instanceOf: InputError, message: /ENOENT/ })
})

test('a task starts from a saved model, whatever the seed; another model, and one without finite numbers, are refused', async (t) => {
  const { path, parameters, schema } = await saved()
  const plan = await makePlan({ topology, train: join(path, '../train.yaml') })
  const task = await startTaskWorker(taskOf(plan), { signal })
  t.teardown(() => task.close())
  t.is(await startingFrom(undefined, task), task)
  const started = await startingFrom(path, task)
  t.deepEqual(await started.initialise(1).run(), parameters)
  t.deepEqual(await started.initialise(2).run(), parameters)
  const { path: other } = await saved(undefined, { data: '{ digits: 300, size: 4 }', numbers: 170 })
  const otherTensors = {
    instanceOf: InputError,
    message: /model\.safetensors: has .*\[16, 10\].*; the task has .*\[64, 10\]/
  }
  await t.throwsAsync(startingFrom(other, task), otherTensors)
  await writeFile(other, Buffer.concat(modelFile(schema, parameters.fill(Number.NaN), (await loadModel(path)).facts)))
  await t.throwsAsync(startingFrom(other, task), { instanceOf: InputError, message: /NaN or infinite/ })
})
