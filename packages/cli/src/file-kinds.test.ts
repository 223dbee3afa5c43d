import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { checkKind, type FileKind } from './file-kinds.js'

const header = '{"__metadata__":{"format":"murmuration-model/1"}}'
const model = Buffer.concat([Buffer.from(new BigUint64Array([BigInt(header.length)]).buffer), Buffer.from(header)])

const files: readonly (readonly [name: string, content: string | Buffer, found: string, expected: FileKind])[] = [
  ['train.yaml', 'timeout: 3 s\n', 'a training file', 'topology'],
  ['train.yaml', 'task: mlp\n', 'a training file', 'scenario'],
  ['ring.yaml', 'graph: ring\npeers: 3\n', 'a topology file', 'training'],
  ['ring.yaml', 'peers: 3\n', 'a topology file', 'training'],
  ['scenario.yaml', 'title: x\nmethods: [dpsgd]\n', 'a scenario', 'training'],
  ['model.safetensors', model, 'a model', 'topology'],
  ['model.yaml', model, 'a model', 'training']
]

for (const [name, content, found, expected] of files)
  test(`${name} with ${typeof content === 'string' ? content.split(':')[0] : 'tensors'} is ${found}, no ${expected}, and the error says how to use it`, async (t) => {
    const path = join(await mkdtemp(join(tmpdir(), 'murmur-kind-')), name)
    await writeFile(path, content)
    const { message } = t.throws(() => checkKind(path, expected), { instanceOf: InputError })
    t.true(message.startsWith(`${path}: found ${found}, expected a ${expected}`), message)
    t.regex(message, /; use it as in "murmur /)
  })

test('a file of the expected kind, a folder, and a file of no kind in particular pass', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-kind-'))
  const path = join(folder, 'file.yaml')
  for (const content of ['task: mlp\n', '# nothing\n', '']) {
    await writeFile(path, content)
    t.notThrows(() => checkKind(path, 'training'))
  }
  t.notThrows(() => checkKind(folder, 'training'))
})
