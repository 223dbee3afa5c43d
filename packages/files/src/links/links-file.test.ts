import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { readLinksFile } from './links-file.js'
import { parseTopologyFile, resolveTopology } from '../topology/topology-file.js'

const [a, b, server] = ['a', 'b', 'server'].map(peerName)

test('a links file says what the links of a topology file say', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-links-')), 'links.yaml')
  await writeFile(path, 'default: { latency: 3 ms }\n')
  const { links } = parseTopologyFile('graph: ring\npeers: [a, b]\nlinks: { default: { latency: 3 ms } }', 't.yaml')
  t.deepEqual((await readLinksFile(path, [a, b])).path(a, b), links.path(a, b))
  await t.throwsAsync(readLinksFile(`${path}.not`, [a, b]), { instanceOf: InputError, message: /cannot read the file/ })
})

test('links speak of names beside the peers only where those are known', (t) => {
  const links = { peers: { server: { latency: 4 } } }
  const description = { graph: { kind: 'ring' as const }, peers: [a, b], links }
  const result = resolveTopology(description, [server])
  t.true(result.ok)
  if (result.ok) t.is(result.value.links.path(a, server).latency, 4)
  t.false(resolveTopology(description).ok)
})
