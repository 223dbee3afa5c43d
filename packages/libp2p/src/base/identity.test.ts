import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { InputError, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { createIdentity, decodeIdentity, encodeIdentity, parsePeerId } from './identity.js'
import { localIdentity, readIdentity, writeIdentity } from './identity-file.js'

async function directory(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'murmuration-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

test('a key survives writing and reading, in a file that only its owner can read', async (t) => {
  const path = join(await directory(t), 'deep', 'a.key')
  const identity = await createIdentity()
  await writeIdentity(path, identity)
  t.is((await readIdentity(path)).id, identity.id)
  t.true((await readIdentity(path)).privateKey.equals(identity.privateKey))
  t.is((await stat(path)).mode & 0o777, 0o600)
})

test('a key file is never overwritten, and no draft is left behind', async (t) => {
  const path = join(await directory(t), 'a.key')
  const first = await createIdentity()
  await writeIdentity(path, first)
  const again = writeIdentity(path, await createIdentity())
  await t.throwsAsync(again, { instanceOf: InputError, message: /exists and is not overwritten/ })
  t.is((await readIdentity(path)).id, first.id)
  t.deepEqual(await readdir(join(path, '..')), ['a.key'])
})

test('concurrent requests for the identity of a peer all get the same', async (t) => {
  const path = join(await directory(t), 'keys')
  const identities = await Promise.all(Array.from({ length: 12 }, () => localIdentity(path, peerName('a'))))
  t.is(new Set(identities.map(({ id }) => id)).size, 1)
  t.is((await localIdentity(path, peerName('a'))).id, identities[0].id)
  t.not((await localIdentity(path, peerName('b'))).id, identities[0].id)
  t.deepEqual((await readdir(path)).sort(), ['a.key', 'b.key'])
})

test('a key that other users can read is refused, with a fix', async (t) => {
  const path = join(await directory(t), 'a.key')
  await writeIdentity(path, await createIdentity())
  await chmod(path, 0o644)
  await t.throwsAsync(readIdentity(path), { instanceOf: InputError, message: /mode 0644\); run: chmod 600 .*a.key/ })
})

test.serial(
  'a credential of the service manager may be read by its group, by an access control list; other keys may not',
  async (t) => {
    const folder = await directory(t)
    const path = join(folder, 'a.key')
    await writeIdentity(path, await createIdentity())
    await chmod(path, 0o440)
    await t.throwsAsync(readIdentity(path), { instanceOf: InputError, message: /mode 0440/ })
    process.env.CREDENTIALS_DIRECTORY = folder
    t.teardown(() => delete process.env.CREDENTIALS_DIRECTORY)
    t.truthy(await readIdentity(path))
    await chmod(path, 0o444)
    await t.throwsAsync(readIdentity(path), { instanceOf: InputError, message: /mode 0444/ })
  }
)

test('files that are not keys are refused with their path', async (t) => {
  const path = join(await directory(t), 'a.key')
  await t.throwsAsync(readIdentity(path), { instanceOf: InputError, message: /the key file .*a\.key does not exist/ })
  for (const text of ['', 'not base64!', 'AAAA', 'CAES\nCAES', 'x'.repeat(5000)]) {
    await writeFile(path, text, { mode: 0o600 })
    await t.throwsAsync(readIdentity(path), { instanceOf: InputError, message: /a\.key/ })
  }
})

test('no way to print an identity shows its key', async (t) => {
  const identity = await createIdentity()
  const secret = encodeIdentity(identity).split('\n')[1]
  const raw = Buffer.from(secret, 'base64').subarray(4, 36)
  for (const text of [
    JSON.stringify(identity),
    inspect(identity, { depth: 9, showHidden: true }),
    JSON.stringify({ ...identity })
  ]) {
    t.true(text.includes(identity.id))
    t.false(text.includes(secret) || text.includes(raw.toString('hex')) || text.includes(raw.join(',')))
  }
  t.is(decodeIdentity(encodeIdentity(identity), 'here').id, identity.id)
})

test('the key file says what it is', async (t) => {
  const path = join(await directory(t), 'a.key')
  const identity = await createIdentity()
  await writeIdentity(path, identity)
  t.regex(await readFile(path, 'utf8'), new RegExp(`^# The private key of ${identity.id}\\.`))
})

test('peer ids are checked', async (t) => {
  const { id } = await createIdentity()
  t.is(parsePeerId(id), id)
  for (const text of ['', 'hello', id.slice(1)]) {
    t.throws(() => parsePeerId(text), { instanceOf: InputError, message: /is not a peer id/ })
  }
})
