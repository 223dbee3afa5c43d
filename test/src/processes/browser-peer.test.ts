/** A peer in a browser, bundled by esbuild with no plugin, and with nothing in place of Node's modules. */
import { gzipSync } from 'node:zlib'
import { peerName } from '@murmuration/core'
import type * as libp2p from '@murmuration/libp2p'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { root } from '../repository.js'
import { executablePath, skipped } from './browser.js'

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
          return { id: own.id, isExtractable: own.isExtractable, checks, signed }
        },
        { names, options: shared, id: identity.id, text: signature }
      )
      t.deepEqual([there.isExtractable, there.checks], [isExtractable, [true, false, false]])
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
