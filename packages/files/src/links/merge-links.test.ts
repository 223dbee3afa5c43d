import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { fillLinks } from './fill-links.js'
import { linksText, linksValue } from './links-text.js'
import { linksBefore, readLinksFiles } from './merge-links.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-links-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

const ofA = `peers: { a: { up: 5 Mbit/s }, b: { down: 5 Mbit/s } }
pairs: [{ between: [a, b], latency: 12 ms, bandwidth: 5 Mbit/s }]\n`
const ofB = `peers: { b: { up: 40 Mbit/s }, a: { down: 40 Mbit/s } }
pairs: [{ between: [b, a], latency: 11 ms, bandwidth: 40 Mbit/s }]\n`

test('of what two peers have measured of one line the faster and the shorter counts', async (t) => {
  const folder = await folderWith({ 'a.yaml': ofA, 'b.yaml': ofB, 'notes.txt': 'nothing' })
  const merged = {
    peers: { a: { up: 5e6, down: 40e6 }, b: { up: 40e6, down: 5e6 } },
    pairs: [{ between: ['b', 'a'], latency: 11, bandwidth: 40e6 }]
  }
  t.like(await readLinksFiles([folder], peers), { peers: merged.peers })
  t.is((await readLinksFiles([folder], peers)).pairs?.length, 1)
  t.like((await readLinksFiles([folder], peers)).pairs?.[0], { latency: 11, bandwidth: 40e6 })
  const [first, second] = ['a.yaml', 'b.yaml'].map((name) => join(folder, name))
  t.deepEqual(
    (await readLinksFiles([second, first], peers)).peers,
    (await readLinksFiles([first, second], peers)).peers
  )
})

test('what is written is read as it was', async (t) => {
  const folder = await folderWith({})
  const links = {
    default: { jitter: 0.25, loss: 0.07, window: 65_536 },
    peers: { a: { up: 4_123_000, down: 1.5e9 } },
    pairs: [{ between: ['a', 'b'] as [string, string], latency: 0.057, bandwidth: 812 }]
  }
  const path = join(folder, 'links.yaml')
  await writeFile(path, linksText(links, 'ours'))
  t.deepEqual(await readLinksFiles([path], peers), links)
  t.deepEqual(linksValue({ pairs: links.pairs }), {
    pairs: [{ between: ['a', 'b'], latency: '0.057 ms', bandwidth: '812 bit/s' }]
  })
})

test('what was measured goes before what the topology says, which counts for the rest', (t) => {
  const rest = {
    peers: { a: { up: 1, latency: 3 }, d: { up: 7 } },
    pairs: [
      { between: ['b', 'a'] as [string, string], loss: 0.5 },
      { between: ['c', 'd'] as [string, string], loss: 0.1 }
    ],
    pipes: [{ name: 'home', bandwidth: 9, peers: ['a', 'b'] }]
  }
  const measured = { peers: { a: { up: 2 } }, pairs: [{ between: ['a', 'b'] as [string, string], latency: 5 }] }
  t.deepEqual(linksBefore(measured, rest), {
    peers: { a: { up: 2, latency: 3 }, d: { up: 7 } },
    pairs: [measured.pairs[0], rest.pairs[1]],
    pipes: rest.pipes
  })
  t.deepEqual(linksBefore({}, rest), rest)
})

test('gaps are as slow as the slowest that is known, and are told of', (t) => {
  const pairs = [
    { between: ['a', 'b'] as [string, string], latency: 4 },
    { between: ['a', 'c'] as [string, string], latency: 30 }
  ]
  const links = { peers: { a: { up: 5e6, down: 8e6 }, b: { up: 2e6, down: 9e6 }, c: { down: 7e6 } }, pairs }
  const { links: filled, assumed } = fillLinks(links, peers)
  t.deepEqual(filled, { ...links, default: { latency: 30, up: 2e6, down: 7e6 } })
  t.deepEqual(assumed, [
    'no measurement between a–d, b–c, b–d, c–d (4 of 6 pairs): assumed to have the longest measured latency, 30 ms',
    'no measurement of the uplink of c, d: assumed to have the slowest measured rate, 2 Mbit/s',
    'no measurement of the downlink of d: assumed to have the slowest measured rate, 7 Mbit/s'
  ])
  const said = fillLinks({ ...links, default: { latency: 1, bandwidth: 1e6 } }, peers)
  t.deepEqual(said.links.default, { latency: 1, bandwidth: 1e6 })
  t.is(said.assumed.filter((text) => text.endsWith('the value for all peers applies')).length, 3)
  t.deepEqual(fillLinks({ default: { latency: 1 } }, peers), { links: { default: { latency: 1 } }, assumed: [] })
})

test('wrong files are refused with what to do', async (t) => {
  const folder = await folderWith({
    'unknown.yaml': 'pairs: [{ between: [a, e], latency: 1 ms }]\n',
    'one.yaml': 'default: { latency: 1 ms }\n',
    'other.yaml': 'default: { latency: 2 ms }\n'
  })
  await mkdir(join(folder, 'empty'))
  const path = (name: string) => join(folder, name)
  const refused = (paths: readonly string[], message: RegExp) =>
    t.throwsAsync(readLinksFiles(paths, peers), { instanceOf: InputError, message })
  await refused([path('unknown.yaml')], /unknown\.yaml:1:24: pairs\[0\]\.between\[1\]: .*"e"/)
  await refused([path('one.yaml'), path('other.yaml')], /other\.yaml:1:1: found "default", which .*one\.yaml also has/)
  await refused([path('empty')], /found no \*\.yaml files in the folder, expected files from "murmur measure"/)
  await refused([path('gone')], /cannot read a file or folder/)
})
