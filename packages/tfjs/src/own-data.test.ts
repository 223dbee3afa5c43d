import { createHash } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, type Task } from '@murmuration/core'
import test from 'ava'
import { checkedSamples } from './own-data.js'
import { createTask, type TfjsTaskOptions } from './task.js'

const own = { inputs: new Float32Array(60), inputShape: [2], targets: new Float32Array(30) }

test('samples without a target shape have one number each', (t) => {
  t.deepEqual(checkedSamples({ ...own, classes: 1 }), { ...own, count: 30, targetShape: [], classes: 1 })
})

test('samples that do not fit are errors that say what is wrong', (t) => {
  const fails = (changed: object, message: RegExp) =>
    t.throws(() => checkedSamples({ ...own, ...changed }), { instanceOf: InputError, message })
  fails({ inputShape: [7] }, /60 input values, expected a multiple of the samples' shape \[7\]/)
  fails({ inputShape: [0] }, /60 input values/)
  fails({ targets: new Float32Array(29) }, /29 target values for 30 samples/)
  fails({ targetShape: [2] }, /30 target values for 30 samples of shape \[2\]/)
  fails({ targets: own.targets.map((_, index) => index % 4), classes: 3 }, /not class numbers from 0 to 2/)
  fails({ inputs: [1, 2] }, /loadSamples does not return .* as Float32Array/)
  t.throws(() => checkedSamples(undefined), { instanceOf: InputError, message: /loadSamples does not return/ })
})

const split: TfjsTaskOptions['localData'] = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a'], seed: 1 }

async function taskOf(loadSamples: string, localData = split): Promise<Task> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'model.mjs')
  const createModel =
    '({ layers, sequential }, { inputShape }) => sequential({ layers: [layers.dense({ inputShape, units: 2 })] })'
  await writeFile(path, `export const createModel = ${createModel}\n${loadSamples}`)
  return createTask({ localData, model: { kind: 'module', path }, backend: 'cpu' })
}

test.serial("a module's own data are what is learned from, also where its data are the drawn digits", async (t) => {
  const loadSamples = `export const loadSamples = () =>
    ({ inputs: new Float32Array(80), inputShape: [2], targets: new Float32Array(40), classes: 2 })`
  const named = { ...split, data: { kind: 'digits', samples: 20 } } as const
  for (const localData of [split, named]) {
    const { about, samples } = await taskOf(loadSamples, localData)
    t.is(about.data, "32 rows of 2 numbers of the task's own, 8 to test")
    t.is(samples, 32)
  }
})

test.serial('a module that loads samples and data that are given besides are refused together', async (t) => {
  const loadSamples =
    'export const loadSamples = () => ({ inputs: new Float32Array(4), inputShape: [2], targets: new Float32Array(2) })'
  const localData = { ...split, data: { kind: 'files', path: '/some/folder' } } as const
  const message = /loads its own samples \(loadSamples\), and data is given too; remove one of them/
  await t.throwsAsync(taskOf(loadSamples, localData), { instanceOf: InputError, message })
})

test.serial("with local data, a module's samples are all the peer's own", async (t) => {
  const common = '1,2,0\n3,4,1'
  const path = join(await mkdtemp(join(tmpdir(), 'murmuration-')), 'test.csv')
  await writeFile(path, common)
  const sha256 = { 'test.csv': createHash('sha256').update(common).digest('hex') }
  const loadSamples = `export const loadSamples = () =>
    ({ inputs: new Float32Array(80), inputShape: [2], targets: new Float32Array(40), classes: 2 })`
  const localData = {
    ...split,
    test: { path, sha256 },
    partition: { kind: 'local' },
    peers: ['a', 'b'],
    self: 'a'
  } as const
  const { about, samples } = await taskOf(loadSamples, localData)
  t.is(samples, 40)
  t.is(about.data, "40 rows of 2 numbers of the task's own, all this peer's own, 2 to test in common")
})

test.serial('a module that brings no data, where its data are none either, is refused', async (t) => {
  const rejects = (loadSamples: string, message: RegExp) =>
    t.throwsAsync(taskOf(loadSamples), { instanceOf: InputError, message })
  await rejects('', /localData\.data is missing/)
  await rejects('export const loadSamples = () => {}', /loadSamples does not return/)
  await rejects('export const loadSamples = () => { throw new Error("no luck") }', /loadSamples .* fails: no luck/)
})
