import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { certificate } from './certificate.test.support.js'

for (const [whose, more] of [
  ['though the system trusts it', {}],
  ['though all certificates are to be trusted', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]
] as const)
  test(`a server with a certificate instead of the key is refused, ${whose}`, async (t) => {
    const program = new URL('./certificate.test.support.js', import.meta.url).pathname
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const file = join(folder, 'certificate.pem')
    await writeFile(file, certificate)
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file, ...more }
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: timeLimit(20_000) })
    t.is(stdout, 'trusted: 5 bytes; by key: refused, 0 bytes\n')
  })
