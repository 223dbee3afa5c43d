/** Node's implementation of the platform; test/src/processes/platform.test.ts runs the same cases in a browser. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import * as browser from './browser.js'
import { contract } from './contract.test.support.js'
import * as platform from './node.js'

const program = new URL('./thread.test.support.js', import.meta.url)
const missing = new URL('./none.js', import.meta.url)

let root = ''
test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'murmuration-platform-'))
})
test.after.always(() => rm(root, { recursive: true }))

for (const [index, [title, act]] of Object.entries(contract).entries()) {
  test(`in Node, ${title}`, async (t) => {
    await act({ platform, folder: join(root, String(index)), program, missing })
    t.pass()
  })
}

test('both implementations export the same names', (t) => {
  const names: typeof platform = browser
  t.deepEqual(Object.keys(names).sort(), Object.keys(platform).sort())
  t.deepEqual([platform.isBrowser, browser.isBrowser], [false, true])
})

test('files and folders are for their owner only, and drafts are removed', async (t) => {
  const path = join(root, 'private')
  const files = await platform.openFolder(path)
  await files.write('key', Uint8Array.of(1), 'new')
  await files.write('key', Uint8Array.of(2), 'new')
  await files.append('log', Uint8Array.of(3))
  t.deepEqual((await readdir(path)).sort(), ['key', 'log'])
  if (process.platform === 'win32') return
  const modes = await Promise.all([path, join(path, 'key'), join(path, 'log')].map((each) => stat(each)))
  t.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o700, 0o600, 0o600]
  )
})
