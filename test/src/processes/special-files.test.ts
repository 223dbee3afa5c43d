/** A named pipe, whose writer may never come, where a file is expected: a program makes it, as Node cannot. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { InputError } from '@murmuration/core'
import { inputsIn, readRatings, readWords } from '@murmuration/data'
import { loadModel } from '@murmuration/experiment/models'
import { readText } from '@murmuration/files'
import { readIdentity } from '@murmuration/libp2p'
import test from 'ava'
import { temporaryFolder } from './command.js'

const readers: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a key': readIdentity,
  'a topology, links, a scenario or a training file': readText,
  'ratings': readRatings,
  'words': (path) => readWords(path, 1),
  'inputs of a model': (path) => inputsIn(path, {} as Parameters<typeof inputsIn>[1]),
  'a model': loadModel
}

for (const [what, read] of Object.entries(readers))
  test(`a named pipe in place of ${what} is refused, and not waited for`, async (t) => {
    const path = join(await temporaryFolder(), 'pipe')
    await promisify(execFile)('mkfifo', [path])
    await t.throwsAsync(read(path), { instanceOf: InputError, message: /a named pipe.*expected a/ })
  })
