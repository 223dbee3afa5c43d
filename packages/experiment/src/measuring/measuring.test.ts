import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Links, type PeerName, peerName } from '@murmuration/core'
import { type LinksDescription, linksText, mergeLinks, readLinksFile } from '@murmuration/files'
import { createIdentity } from '@murmuration/libp2p'
import { simulate } from '@murmuration/simulator'
import { vectorWire } from '@murmuration/wire'
import test from 'ava'
import { linksFrom, measureLinks } from './measure-links.js'
import { linkTimeout, type MeasuredLink, probeLinks } from './probe-links.js'

const peers = ['a', 'b', 'c'].map(peerName)
const [a, b, c] = peers
const { signal } = new AbortController()

/** The links that a file with this text describes. */
async function linksOf(text: string, names: readonly PeerName[] = peers): Promise<Links> {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-links-')), 'links.yaml')
  await writeFile(path, text)
  return readLinksFile(path, names)
}

/** What each peer measures in virtual time; `silent` peers only receive. */
async function measuredOver(links: Links, silent: readonly PeerName[] = []) {
  const found = new Map<PeerName, readonly MeasuredLink[]>()
  const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
  const topology = { peers, period: 1, mixing }
  const world = { topology, seed: 1, wire: vectorWire, links, cost: () => 0 }
  const { elapsed } = await simulate(world, async (fabric) => {
    if (silent.includes(fabric.self)) return
    found.set(fabric.self, await probeLinks(fabric, peers))
  })
  return { found, elapsed }
}

const near = (t: { true(is: boolean, text?: string): unknown }, found: number, expected: number, within: number) =>
  t.true(Math.abs(found / expected - 1) <= within, `${found}, expected ${expected}`)

test('what peers measure, put together and read again, are the links', async (t) => {
  const links = await linksOf(`
default: { latency: 20 ms, bandwidth: 100 Mbit/s }
peers: { a: { up: 4 Mbit/s, down: 30 Mbit/s }, b: { up: 60 Mbit/s } }
pairs: [{ between: [b, c], latency: 70 ms, bandwidth: 8 Mbit/s }]`)
  const { found, elapsed } = await measuredOver(links)
  t.true(elapsed < linkTimeout, `${elapsed} ms: somebody waits for one that has measured all`)
  const all = [...found]
    .map(([self, measured]) => linksFrom(self, measured))
    .reduce<LinksDescription>((merged, each) => mergeLinks(merged, each), {})
  const again = await linksOf(linksText(all, 'measured'))
  const rate = (of: Links, from: PeerName, to: PeerName) =>
    Math.min(of.access(from).up, of.access(to).down, of.path(from, to).bandwidth)
  for (const from of peers)
    for (const to of peers.filter((name) => name !== from)) {
      near(t, rate(again, from, to), rate(links, from, to), 0.01)
      near(t, again.path(from, to).latency, links.path(from, to).latency, 0.01)
    }
  // The line of a limits all its links, so its rates are found.
  near(t, again.access(a).up, 4e6, 0.01)
  near(t, again.access(a).down, 30e6, 0.01)
})

test('a slow link is measured by few bytes, and one that does not answer is left out in time', async (t) => {
  const { found, elapsed } = await measuredOver(await linksOf('default: { latency: 5 ms, bandwidth: 64 kbit/s }'), [b])
  const reached = [...found].map(([self, links]) => [self, ...links.map(({ to }) => to)])
  t.deepEqual(reached.toSorted(), [
    [a, c],
    [c, a]
  ])
  for (const [link] of found.values()) near(t, link.rate, 64e3, 0.02)
  // Two links without an answer take a timeout each, and the turn of the silent peer takes two.
  t.true(elapsed < 5 * linkTimeout, `${elapsed}`)
})

test('real peers measure no more than their lines carry, and say what they have found', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const identities = [await createIdentity(), await createIdentity()]
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-measure-')), 'topology.yaml')
  const [first, second] = identities.map(({ id }) => id)
  const entry = (name: string, id: string, at: number) =>
    `{ name: ${name}, id: ${id}, addresses: [/ip4/127.0.0.1/tcp/${at}] }`
  await writeFile(path, `graph: ring\npeers: [${entry('a', first, port)}, ${entry('b', second, 1)}]\n`)
  const links = await linksOf('default: { latency: 10 ms, bandwidth: 20 Mbit/s }', [a, b])
  const told: string[] = []
  const [ofA, ofB] = await Promise.all(
    [a, b].map((self, place) =>
      measureLinks(path, {
        as: self,
        identity: identities[place],
        links,
        wait: 60_000,
        signal,
        emit: () => {},
        listen: [`/ip4/127.0.0.1/tcp/${self === a ? port : 0}`],
        onLink: ({ to, rate }) => told.push(`${self} ${to} ${rate !== undefined}`)
      })
    )
  )
  t.deepEqual(told, ['a b true', 'b a true'])
  const { peers: lines = {}, pairs = [] } = mergeLinks(ofA, ofB)
  t.deepEqual(Object.keys(lines).toSorted(), ['a', 'b'])
  t.is(pairs.length, 1)
  const { latency = 0 } = pairs[0]
  t.true(latency >= 10, `${latency} ms`)
  // A vector takes 250 ms or more, and with its answer no less than the line needs. On a busy machine the round trip
  // that is subtracted may be too long.
  const excess = (rate: number) => 250 * (rate / 20e6 - 1)
  for (const { up = 0, down = 0 } of Object.values(lines))
    t.true(Math.min(up, down) > 0 && excess(Math.max(up, down)) <= 2 * (latency - 10), JSON.stringify(lines))
})
