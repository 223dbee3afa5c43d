/** `murmur measure` as a command. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LinksDescription, readLinksFiles } from '@murmuration/files'
import { peerName } from '@murmuration/core'
import test from 'ava'
import { freePorts, murmur, murmurInTurn, temporaryFolder } from './command.js'

test('two peers measure their links and write what advise takes; a peer that is alone says so', async (t) => {
  const folder = await temporaryFolder()
  const topology = join(folder, 'topology.yaml')
  const ports = await freePorts(2)
  const peers = ['a', 'b'].map((name, place) => `{ name: ${name}, addresses: [/ip4/127.0.0.1/tcp/${ports[place]}] }`)
  await writeFile(topology, `graph: ring\npeers: [${peers.join(', ')}]\n`)
  const saved = join(folder, 'a.yaml')
  const [a, b] = await Promise.all([
    murmur(['measure', topology, '--as', 'a', '--save', saved], folder).result,
    murmur(['measure', topology, '--as', 'b'], folder).result
  ])
  t.deepEqual([a.code, b.code], [0, 0], a.stderr + b.stderr)
  t.regex(a.stderr, /^a to b: [\d.]+ [MG]bit\/s, round trip [\d.]+ ms$/m)
  t.regex(b.stdout, /^# Links from b, measured by "murmur measure"\n/)
  t.regex(await readFile(saved, 'utf8'), /^ {2}- \{ between: \[ a, b \], latency: /m)
  await writeFile(join(folder, 'b.yaml'), b.stdout)
  const paths = [saved, join(folder, 'b.yaml')]
  const links: LinksDescription = await readLinksFiles(paths, ['a', 'b'].map(peerName))
  t.is(links.pairs?.length, 1)
  for (const { up = 0, down = 0 } of Object.values(links.peers ?? {})) t.true(up > 0 && down > 0)

  const [alone, unknown] = await murmurInTurn(
    [
      ['measure', topology, '--as', 'a', '--wait', '300 ms'],
      ['measure', topology, '--as', 'c']
    ],
    folder,
    folder
  )
  t.is(alone.code, 3)
  t.regex(alone.stderr, /b/)
  t.is(alone.stdout, '')
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /--as c: .*topology\.yaml has no such peer; it has a, b/)
})
