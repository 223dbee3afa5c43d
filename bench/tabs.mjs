/**
 * How fast a peer in a browser and one in Node exchange vectors over WebRTC and WebSockets, next to a bare data channel
 * between the same two: MB/s, the median of several, and the milliseconds of processor time per MB in Node.
 *
 *     node bench/tabs.mjs [--sizes 1,10,100] [--repeats 5]
 */
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { RTCPeerConnection } from 'node-datachannel/polyfill'
import { chromium } from 'playwright-core'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import * as here from './tab-ends.mjs'

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '1,10,100' }, repeats: { type: 'string', default: '5' } }
})
const sizes = values.sizes.split(',').map(Number)
const root = fileURLToPath(new URL('..', import.meta.url))

const page = `
  import { createIdentity, createPeer } from '@murmuration/libp2p'
  import { createTopology } from '@murmuration/topology'
  import { bare, gathered, peerOf, send, sendBare, wire } from './bench/tab-ends.mjs'
  const identity = createIdentity()
  let peer
  globalThis.act = {
    id: async () => (await identity).id,
    connect: async (megabytes, id, addresses) => {
      await peer?.close()
      peer = await peerOf('p', [], megabytes, { createPeer, createTopology, identity: await identity })
      await peer.connect([{ name: 'n', id, addresses }, { name: 'p', id: (await identity).id, addresses: [] }], 60_000)
    },
    send: (megabytes, count) => send(peer, 'n', megabytes, count),
    offer: async () => {
      bare.pc = new RTCPeerConnection()
      wire(bare.pc.createDataChannel('x'))
      await bare.pc.setLocalDescription(await bare.pc.createOffer())
      await gathered(bare.pc)
      return bare.pc.localDescription.sdp
    },
    answered: async (sdp) => { await bare.pc.setRemoteDescription({ type: 'answer', sdp }); await bare.open },
    sendBare
  }
`
const bundle = await build({
  stdin: { contents: page, resolveDir: root },
  bundle: true,
  format: 'esm',
  platform: 'browser',
  write: false
})
const [{ text }] = bundle.outputFiles
const server = createServer(({ url }, response) => {
  const isScript = url === '/page.js'
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  response.setHeader('cross-origin-embedder-policy', 'require-corp')
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(isScript ? text : '<!doctype html><script type=module src=page.js></script>')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-features=WebRtcHideLocalIpsWithMdns']
})
const tab = await browser.newPage()
await tab.goto(`http://127.0.0.1:${server.address().port}/`)
const act = (name, ...args) => tab.evaluate(([each, rest]) => globalThis.act[each](...rest), [name, args])

const pc = new RTCPeerConnection()
pc.ondatachannel = ({ channel }) => here.wire(channel)
await pc.setRemoteDescription({ type: 'offer', sdp: await act('offer') })
await pc.setLocalDescription(await pc.createAnswer())
await here.gathered(pc)
await act('answered', pc.localDescription.sdp)

const identity = await createIdentity()
const results = new Map()
function note(what, megabytes, direction, bytes, took, processor, longest) {
  const key = `${what}, ${megabytes} MB, ${direction}`
  const each = { speed: bytes / 1000 / took, processor: processor / (bytes / 1e6), longest }
  results.set(key, [...(results.get(key) ?? []), each])
}

async function timed(what, megabytes, direction, bytes, run) {
  const before = process.cpuUsage()
  const result = await run()
  const { took = result, longest } = result
  const { user, system } = process.cpuUsage(before)
  note(what, megabytes, direction, bytes, took, (user + system) / 1000, longest)
}

for (let repeat = 0; repeat < Number(values.repeats); repeat++) {
  for (const megabytes of sizes) {
    const count = megabytes >= 100 ? 1 : megabytes >= 10 ? 4 : 16
    const bytes = count * megabytes * 1e6
    for (const chunk of [16 << 10, 64 << 10, 256 << 10]) {
      const what = `bare ${chunk >> 10} KiB`
      await timed(what, megabytes, 'up', bytes, () => act('sendBare', bytes, chunk))
      await timed(what, megabytes, 'down', bytes, () => here.sendBare(bytes, chunk))
    }
    for (const [what, listen] of [
      ['WebRTC', '/ip4/127.0.0.1/udp/0/webrtc-direct'],
      ['WebSockets', '/ip4/127.0.0.1/tcp/0/ws']
    ]) {
      const peer = await here.peerOf('n', [listen], megabytes, { createPeer, createTopology, identity })
      const list = [
        { name: 'n', id: peer.id, addresses: [] },
        { name: 'p', id: await act('id'), addresses: [] }
      ]
      await Promise.all([peer.connect(list, 60_000), act('connect', megabytes, peer.id, peer.addresses)])
      await timed(what, megabytes, 'up', bytes, () => act('send', megabytes, count))
      await timed(what, megabytes, 'down', bytes, () => here.send(peer, 'p', megabytes, count))
      await peer.close()
    }
  }
}
const median = (all) => [...all].sort((left, right) => left - right)[all.length >> 1]
for (const [key, all] of results) {
  const of = (field) => median(all.map((each) => each[field] ?? 0))
  const ping = all[0].longest === undefined ? '' : `, longest ping ${of('longest').toFixed(0)} ms`
  console.log(`${key}: ${of('speed').toFixed(1)} MB/s, ${of('processor').toFixed(1)} ms/MB${ping}`)
}
await browser.close()
process.exit()
