import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { moduleChecksums } from './module-checksums.js'

test('a module has another checksum when its code is another, wherever it lies, and not for its line ends', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'modules-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const checksum = async (name: string, code: string) => {
    const module = join(folder, name)
    await writeFile(module, code)
    return moduleChecksums({ task: { kind: 'softmax' }, algorithm: { module } })
  }
  const here = await checksum('a.js', 'export const rate = 1\nexport const seed = 2\n')
  t.deepEqual(Object.keys(here), ['algorithm'])
  t.deepEqual(here, await checksum('b.js', 'export const rate = 1\r\nexport const seed = 2\r\n'))
  t.notDeepEqual(here, await checksum('c.js', 'export const rate = 3\nexport const seed = 2\n'))
})

test('what is no module has none', async (t) => {
  t.deepEqual(await moduleChecksums({ task: { kind: 'softmax' }, algorithm: { name: 'dpsgd' } }), {})
})
