/** A peer in a browser, bundled by esbuild with no plugin, and with nothing in place of Node's modules. */
import { gzipSync } from 'node:zlib'
import { type PeerName, peerName } from '@murmuration/core'
import type * as libp2p from '@murmuration/libp2p'
import { createIdentity, createPeer, encodeInvitation, invite } from '@murmuration/libp2p'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { root } from '../repository.js'
import { executablePath, skipped } from './browser.js'
import { openedTabs } from './tab.js'

/** What a page loads to be a peer: one script, which sets `murmuration`. */
const bundle = build({
  stdin: { contents: `export * from '@murmuration/libp2p'`, resolveDir: `${root}test` },
  bundle: true,
  platform: 'browser',
  format: 'iife',
  globalName: 'murmuration',
  minify: true,
  write: false,
  metafile: true,
  logLevel: 'silent'
})

test('esbuild bundles a peer for a browser, with nothing of Node and none of its libraries for sockets', async (t) => {
  const { outputFiles, metafile, warnings } = await bundle
  t.deepEqual(warnings, [])
  const files = Object.keys(metafile.inputs)
  t.true(
    files.some((file) => file.endsWith('libp2p/dist/open-peer.js')),
    'the test sees files'
  )
  const ofNode = [
    /^\(disabled\)|^node:/,
    /node_modules\/(@libp2p\/(tcp|mdns|upnp-nat)|multicast-dns|ws)\//,
    /libp2p\/dist\/(libraries\/(base|network|shared)|links\/channel\/(dial|listener)|base\/identity-file)\.js/
  ]
  t.deepEqual(
    files.filter((file) => ofNode.some((pattern) => pattern.test(file))),
    []
  )
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length
  t.log(`a peer in a browser: ${Math.round(size / 1000)} kB with gzip`)
  t.true(size < 320_000, `${size} bytes`)
})

/** What the script of the page sets. */
declare const murmuration: typeof libp2p

/** A page from a secure origin, or another, that has loaded the bundle, and what it complains of. */
async function openedPage(t: ExecutionContext, origin: string) {
  const { outputFiles } = await bundle
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const text = '<!doctype html><link rel="icon" href="data:,"><script src="/peer.js"></script>'
  await page.route('**', (route, request) =>
    request.url().endsWith('/peer.js')
      ? route.fulfill({ contentType: 'text/javascript', body: outputFiles[0].text })
      : route.fulfill({ contentType: 'text/html', body: text })
  )
  await page.goto(origin)
  return { page, complaints }
}

const inBrowser = executablePath === undefined ? test.skip : test
const [a, b] = ['a', 'b'].map(peerName)
const names = [a, b]

/** Options that both peers have. */
const shared = {
  seed: 1,
  listen: [],
  runSettings: { settings: { run: 'test' }, schema: [{ name: 'x', shape: [2] }], start: '00' }
}
const alone = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })

for (const [origin, isExtractable] of [
  ['https://run.test/', false],
  ['http://run.test/', true]
] as const) {
  const whose = isExtractable ? 'a key that it stores' : 'a key that the browser keeps'
  inBrowser(
    `a page checks Node’s signatures, and Node those of ${whose}; the id outlasts a reload${skipped}`,
    async (t) => {
      const { page, complaints } = await openedPage(t, origin)
      const identity = await createIdentity()
      const peer = await createPeer({
        ...shared,
        identity,
        self: a,
        topology: { peers: names, period: 1, mixing: alone }
      })
      t.teardown(() => peer.close())
      const signature = await peer.signer.sign('from Node')
      const there = await page.evaluate(
        async ({ names: [theirs, self], options, id, text }) => {
          const own = await murmuration.localIdentity('run', self)
          const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
          const topology = { peers: [theirs, self], period: 1, mixing }
          const tab = await murmuration.createPeer({ ...options, identity: own, self, topology })
          tab.meet([
            { name: theirs, id, addresses: [] },
            { name: self, id: own.id, addresses: [] }
          ])
          const checks = [
            tab.signer.verify(theirs, 'from Node', text),
            tab.signer.verify(theirs, 'from another', text),
            tab.signer.verify(self, 'from Node', text)
          ]
          const signed = await tab.signer.sign('from a page')
          await tab.close()
          const path = { latency: 1, jitter: 0, loss: 0, bandwidth: 1e9, window: 1e9, pipes: [] }
          const links = { path: () => path, access: () => ({ up: 1e9, down: 1e9 }) }
          const shaped = murmuration.createPeer({ ...options, identity: own, self, topology, links })
          const refusal = await shaped.catch((error: Error) => error.message)
          return { id: own.id, isExtractable: own.isExtractable, checks, signed, refusal }
        },
        { names, options: shared, id: identity.id, text: signature }
      )
      t.deepEqual([there.isExtractable, there.checks], [isExtractable, [true, false, false]])
      t.regex(String(there.refusal), /a page has no clock in common with other peers, so it cannot shape links/)
      peer.meet([identity.id, there.id].map((id, index) => ({ name: names[index], id, addresses: [] })))
      t.true(peer.signer.verify(b, 'from a page', there.signed))
      t.false(peer.signer.verify(b, 'from another', there.signed))

      await page.reload()
      const after = await page.evaluate(async (name) => {
        const twice = (folder: string) => Promise.all([1, 2].map(() => murmuration.localIdentity(folder, name)))
        return [...(await twice('run')), ...(await twice('other'))].map(({ id }) => id)
      }, b)
      t.deepEqual(after.slice(0, 2), [there.id, there.id])
      t.true(after[2] === after[3] && after[2] !== there.id, 'of two at once one is kept')
      t.deepEqual(complaints, [])
    }
  )
}

/** The script of a page that enters a run by an invitation, with a key that the browser keeps, and sends a vector. */
const entering = `
  import { createPeer, decodeInvitation, enterRun, localIdentity } from '@murmuration/libp2p'
  globalThis.enter = async (text, options, id) => {
    const invitation = decodeInvitation(text)
    const { run: runKey, name: self, seeds, fingerprint } = invitation
    const identity = await localIdentity('run', self)
    const isRight = async (files) => files === 'the files'
    const { signal } = new AbortController()
    const { own } = await enterRun({ invitation, identity, seeds, timeout: 10_000, signal, isRight })
    const neighbours = [{ name: 'a', weight: 0.5 }]
    const mixing = () => ({ selfWeight: 0.5, receiveFrom: neighbours, sendTo: neighbours })
    const topology = { peers: ['a', 'b'], period: 1, mixing }
    const admission = { runKey, places: [self], fingerprint, files: 'the files', own }
    const peer = await createPeer({ ...options, identity, self, topology, admission })
    await peer.connect([{ name: 'a', id, addresses: seeds }, { name: self, id: identity.id, addresses: [] }], 20_000)
    peer.fabric.send('a', { kind: 1, round: 0, vector: Float32Array.of(4, 6) })
    const envelope = await peer.fabric.receive()
    await peer.close()
    return [identity.isExtractable, ...envelope.message.vector]
  }
`

inBrowser(`a key that nobody can read enters a run, proves its id, and exchanges vectors${skipped}`, async (t) => {
  const [{ page, errors }] = await openedTabs(t, entering)
  const [identity, runKey] = [await createIdentity(), await createIdentity()]
  const fingerprint = '0'.repeat(64)
  const admission = { runKey: runKey.id, places: [b], fingerprint, files: 'the files' }
  const mixing = (self: PeerName) => {
    const neighbours = [{ name: self === a ? b : a, weight: 0.5 }]
    return { selfWeight: 0.5, receiveFrom: neighbours, sendTo: neighbours }
  }
  const topology = { peers: names, period: 1, mixing }
  const listen = ['/ip4/127.0.0.1/tcp/0/ws']
  const peer = await createPeer({ ...shared, listen, identity, self: a, topology, admission })
  t.teardown(() => peer.close())
  peer.meet([{ name: a, id: identity.id, addresses: [] }])
  const now = Date.now()
  const terms = { issued: now - 1000, expires: now + 600_000, fingerprint, members: [], seeds: peer.addresses }
  const invitation = encodeInvitation(await invite(runKey, { name: b, ...terms }))
  const there = page.evaluate(
    ([text, options, id]) => (globalThis as unknown as EnteringPage).enter(text, options, id),
    [invitation, shared, identity.id] as const
  )
  const received = await Promise.race([peer.fabric.receive(), there.then(() => undefined)])
  t.deepEqual([...(received?.message.vector ?? [])], [4, 6])
  peer.fabric.send(b, { kind: 1, round: 0, vector: Float32Array.of(1, 2) })
  t.deepEqual(await there, [false, 1, 2])
  t.deepEqual(errors, [])
})

interface EnteringPage {
  enter(invitation: string, options: typeof shared, id: string): Promise<readonly unknown[]>
}
