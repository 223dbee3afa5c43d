import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import type { ModelFacts } from '../../models/model-file.js'
import { checkSave, saveModel } from './save.js'

test('asking whether a model can be written leaves the folder, and a model that is there, as they are', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-save-'))
  await checkSave(join(folder, 'new'))
  t.deepEqual(await readdir(folder), [])
  await writeFile(join(folder, 'old'), 'model')
  await checkSave(join(folder, 'old'))
  t.is(await readFile(join(folder, 'old'), 'utf8'), 'model')
})

test('a folder, and what lies in none, are refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-save-'))
  await t.throwsAsync(checkSave(folder), { instanceOf: InputError, message: /expected a file/ })
  await t.throwsAsync(checkSave(join(folder, 'none/model')), { instanceOf: InputError, message: /ENOENT/ })
})

test('a model that is new is for its owner only', async (t) => {
  const save = join(await mkdtemp(join(tmpdir(), 'murmur-save-')), 'model')
  const facts = {} as ModelFacts
  t.is(await saveModel({ save, emit: () => {} }, [{ name: 'w', shape: [1] }], Float32Array.of(1), facts), undefined)
  t.true(process.platform === 'win32' || ((await stat(save)).mode & 0o777) === 0o600)
})
