import { chmod, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OutputError } from '@murmuration/core'
import test from 'ava'
import { replaceFile, replacePrivateFile } from './replace.js'

const newFolder = () => mkdtemp(join(tmpdir(), 'murmur-replace-'))

test('a file is replaced as a whole; its mode stays, and a link to it', async (t) => {
  const folder = await newFolder()
  const file = join(folder, 'file')
  const link = join(folder, 'link')
  await writeFile(file, 'a much longer text from before')
  await chmod(file, 0o666)
  await symlink('file', link)
  await replaceFile(link, ['new ', Buffer.from('text')])
  t.is(await readFile(file, 'utf8'), 'new text')
  t.is((await stat(file)).mode & 0o777, 0o666)
  t.deepEqual((await readdir(folder)).sort(), ['file', 'link'])
})

test('what fails half-way leaves the older file, and nothing beside it', async (t) => {
  const folder = await newFolder()
  const file = join(folder, 'file')
  await writeFile(file, 'from before')
  const chunks = function* () {
    yield 'half'
    throw new Error('no more')
  }
  const error = await t.throwsAsync(replaceFile(file, chunks()), { instanceOf: OutputError })
  t.is(error.message, `${file}: cannot be written: no more`)
  t.is(await readFile(file, 'utf8'), 'from before')
  t.deepEqual(await readdir(folder), ['file'])
})

const onPosix = process.platform === 'win32' ? test.skip : test

onPosix('a private file is for its owner only, unless it replaces one that is not', async (t) => {
  const file = join(await newFolder(), 'model.safetensors')
  const modeOf = async () => (await stat(file)).mode & 0o777
  await replacePrivateFile(file, ['new'])
  t.is(await modeOf(), 0o600)
  await chmod(file, 0o640)
  await replacePrivateFile(file, ['newer'])
  t.is(await modeOf(), 0o640)
})
