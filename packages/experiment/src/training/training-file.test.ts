import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { localDataOptionsOf, taskDescription } from './task-description.js'
import { readTrainingFile } from './read-training-file.js'

async function fileOf(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-training-')), 'training.yaml')
  await writeFile(path, text)
  return path
}

test('fractions and counts that no run could have are told with their place', async (t) => {
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message })
  await rejects('test: 0 %', /:1:7: test: .*more than 0 % and less than 100 %/)
  await rejects('test: 100 %', /:1:7: test: .*more than 0 % and less than 100 %/)
  await rejects('rounds: 1e12', /:1:9: rounds: .*at most 1000000000/)
  await rejects(
    'codec: flaot16',
    /:1:8: codec: found "flaot16", expected one of float32, .*auto; did you mean "float16"/
  )
  await rejects('codec: top-k:7', /:1:8: codec: .*above 0 and at most 1/)
  await rejects('data: { digits: 1e10 }', /data\.digits: .*at most 1000000/)
  await rejects(
    'data: { paht: ./x.csv }',
    /found the key "paht", expected one of path, sha256, size, target, ignore, scale; did you mean "path"/
  )
  await rejects('data: ./x.csv', /:1:7: data: .*a mapping such as \{ path: /)
})

test('waits of no time, and rates beyond the last round, are told with their place', async (t) => {
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message }, text)
  await rejects('timeout: 0 s', /:1:10: timeout: found 0, expected more than 0 ms$/)
  await rejects('timeout: 1000 h', /:1:10: timeout: found 3600000000, expected at most 596 h$/)
  await rejects('membership: { startWithin: 0 ms }', /:1:28: membership\.startWithin: .*more than 0 ms/)
  await rejects('membership: { forgetAfter: 0 min }', /:1:28: membership\.forgetAfter: .*more than 0 ms/)
  await rejects('rate: { warmup: 401 }', /:1:17: rate\.warmup: found 401, expected at most 400, the rounds of the run$/)
  await rejects(
    'rounds: 9\nrate: { decay: { at: [5, 10], factor: 0.1 } }',
    /:2:26: rate\.decay\.at\[1\]: found 10, expected at most 9/
  )
  await t.notThrowsAsync(readTrainingFile(await fileOf('rounds: 9\nrate: { warmup: 9 }')))
})

test('a rule for the end that no peer could apply is told with its place', async (t) => {
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message }, text)
  await rejects('stop: {}', /:1:7: stop: found no condition, expected one of loss, accuracy, patience, gap$/)
  await rejects('stop: 0.9', /:1:7: stop: found 0\.9, expected a mapping such as \{ accuracy: 0\.95 \}$/)
  await rejects('stop: { accuracy: 95 }', /:1:19: stop\.accuracy: found 95, expected at most 1$/)
  await rejects('stop: { accuracy: 0 }', /:1:19: stop\.accuracy: found 0, expected more than 0$/)
  for (const gap of ['0', '-1', '.inf', '.nan', '1 %'])
    await rejects(`stop: { gap: ${gap} }`, /:1:14: stop\.gap: found .*, expected (?:more than 0|a number)/)
  await rejects('stop: { patience: 19 }', /:1:19: stop\.patience: found 19, expected less than 19, the evaluations/)
  await rejects('stop: { acuracy: 0.9 }', /stop: found the key "acuracy".*did you mean "accuracy"/)
  await rejects(
    'loss: mean-squared-error\nstop: { accuracy: 0.9 }',
    /:2:19: stop\.accuracy: found 0\.9, expected none: with "loss: mean-squared-error" there is no accuracy; use loss$/
  )
  await t.notThrowsAsync(
    readTrainingFile(await fileOf('stop: { loss: 0.1, accuracy: 0.95, patience: 18, gap: 1.0e-3 }'))
  )
})

test('keys of other programs are answered with what to write instead', async (t) => {
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message }, text)
  await rejects(
    'epochs: 3',
    /:1:9: epochs: found 3, expected rounds: 400 in place of epochs; .* samples \/ \(peers × batch\)/
  )
  await rejects('learningRate: 0.1', /expected rate: \{ initial: 0\.1 \} in place of learningRate$/)
  await rejects('lr: 0.1', /in place of lr$/)
  await rejects('batch_size: 8', /expected batch: 32 in place of batch_size$/)
  await rejects('rate: 0.1', /:1:7: rate: found 0\.1, expected a mapping such as \{ initial: 0\.1 \}$/)
  await rejects('data: { file: x.csv }', /data\.file: found "x\.csv", expected path: .* in place of file/)
})

test('a wrong key of data is answered about the kind of data that was meant', async (t) => {
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message }, text)
  const ofFiles = 'expected one of path, sha256, size, target, ignore, scale'
  await rejects('data: { path: photos, size: 8, digits: 300 }', RegExp(`the key "digits", ${ofFiles}$`))
  await rejects('data: { target: label }', /:1:7: data\.path: missing/)
  await rejects('data: { digits: 200, siz: 8 }', /the key "siz", expected one of digits, size; did you mean "size"/)
  await rejects('data: { gaussians: 200, feature: 3 }', /expected one of gaussians, features; did you mean "features"/)
})

test('the URL of --data has the checksums of the file, a path has none', async (t) => {
  const sha256 = { 'x.csv': 'ab' }
  const path = await fileOf('data: { path: other, sha256: { x.csv: ab } }')
  const url = 'https://example.org/x.csv'
  t.deepEqual((await readTrainingFile(path, { data: url })).data, { path: url, sha256 })
  t.deepEqual((await readTrainingFile(path, { data: '/x.csv' })).data, { path: '/x.csv' })
})

test('--data takes the name of a known data set, and a path that looks like one as a path', async (t) => {
  t.is((await readTrainingFile(undefined, { data: 'fashion-mnist' })).data, 'fashion-mnist')
  t.deepEqual((await readTrainingFile(undefined, { data: './mnist' })).data, { path: resolve('mnist') })
})

test('--data keeps the columns that the file reads of tables, and is not empty', async (t) => {
  const path = await fileOf('data: { path: other, target: first, ignore: [id] }')
  const { data } = await readTrainingFile(path, { data: '/x.csv' })
  t.deepEqual(data, { path: '/x.csv', target: 'first', ignore: ['id'] })
  await t.throwsAsync(readTrainingFile(undefined, { data: '' }), {
    instanceOf: InputError,
    message: /--data: found an empty text, expected a name, or a folder, file or URL with data/
  })
})

test('a test set is read as the data are, unless the file names its columns', async (t) => {
  const testOf = async (test: string) => {
    const text = `data: { path: /x.csv, target: first, ignore: [id] }\ntest: { path: /y.csv, sha256: {}${test} }`
    const training = await readTrainingFile(await fileOf(text))
    return localDataOptionsOf(training, { peers: ['a'], seed: 1 }).test
  }
  t.like(await testOf(''), { target: 'first', ignore: ['id'] })
  t.like(await testOf(', target: label'), { target: 'label', ignore: ['id'] })
})

test('an alpha that is no number above 0 is refused', async (t) => {
  for (const partition of ['dirichlet:0', 'dirichlet:Infinity', 'dirichlet:x', 'dirichlet']) {
    await t.throwsAsync(readTrainingFile(undefined, { partition }), { instanceOf: InputError, message: /--partition/ })
  }
})

test('an algorithm is a name, or a mapping with its options; what is wrong has its place', async (t) => {
  const read = async (text: string) => (await readTrainingFile(await fileOf(text))).algorithm
  t.deepEqual(await read('algorithm: noloco'), { name: 'noloco', period: 50, momentum: 0.5, outerRate: 0.7 })
  t.like(await read('algorithm: { name: noloco, period: 3 }'), { name: 'noloco', period: 3 })
  const { algorithm } = await readTrainingFile(undefined, { algorithm: 'sgp' })
  t.deepEqual(algorithm, { name: 'sgp' })
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message })
  await rejects('algorithm: spg', /:1:12: algorithm: found "spg", expected one of dpsgd, .*did you mean "sgp"/)
  await rejects('algorithm: { name: dpsdg }', /:1:20: algorithm\.name: found "dpsdg", .*did you mean "dpsgd"/)
  await rejects('algorithm: { name: sgp, period: 3 }', /:1:25: algorithm: found the key "period", expected name/)
  await rejects('algorithm: { order: adapt-then-combine }', /algorithm\.module: missing, expected name: dpsgd/)
  await t.throwsAsync(readTrainingFile(undefined, { algorithm: 'dpsdg' }), { message: /did you mean "dpsgd"/ })
})

test('keys of older files are no part of a training that was read', async (t) => {
  const training = await readTrainingFile(undefined)
  type Older = Extract<keyof typeof training, 'model'>
  const none: Older extends never ? true : false = true
  t.true(none && !('model' in training))
})

test('what older files have under "algorithm" says where it went', async (t) => {
  for (const [key, value, place] of [
    ['batch', '64', /algorithm\.batch: found 64, expected batch: 32 at the top level/],
    ['momentum', '0.5', /algorithm\.momentum: found 0\.5, expected optimiser: \{ name: sgd, momentum: 0\.9 \}/],
    ['weightDecay', '0', /algorithm\.weightDecay: found 0, expected weightDecay: 0\.0001 at the top level/]
  ] as const) {
    for (const name of ['name: dpsgd, ', '']) {
      const text = `algorithm: { ${name}${key}: ${value} }`
      await t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message: place })
    }
  }
})

test('the backend of a file is that of its models, and an error for tasks that do not compute with TensorFlow.js', async (t) => {
  const sharing = { peers: ['a', 'b'], seed: 1 }
  for (const task of ['mlp', '{ module: ./mine.js }']) {
    const training = await readTrainingFile(await fileOf(`task: ${task}\nbackend: webgpu`))
    t.like(taskDescription(training, sharing).options, { backend: 'webgpu' })
  }
  const rejects = async (text: string, message: RegExp) =>
    t.throwsAsync(readTrainingFile(await fileOf(text)), { instanceOf: InputError, message })
  await rejects(
    'task: softmax\nbackend: webgpu',
    /:2:1: found backend, expected none: the task "softmax" does not compute with TensorFlow\.js/
  )
  await rejects('backend: webpgu', /:1:10: backend: found "webpgu", expected one of auto, gpu, node, webgpu, wasm, cpu/)
})
