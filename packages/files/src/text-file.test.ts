import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { readText } from './text-file.js'

test('a file that is not UTF-8 is refused with line and character, and a byte order mark is no part of it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-text-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'ring.yaml')
  await writeFile(path, Buffer.from('peers:\n  - Märta\n  - Mörta', 'latin1'))
  await t.throwsAsync(readText(path), { instanceOf: InputError, message: /line 2, character 6 is not UTF-8/ })
  await writeFile(path, '\uFEFFpeers: [Märta]')
  t.is(await readText(path), 'peers: [Märta]')
})
