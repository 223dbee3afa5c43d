/** Peers of Node that listen for tabs. */
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import { multiaddr } from '@multiformats/multiaddr'
import { peerName } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import test from 'ava'
import { eventOf, eventually, graph, peerListOf, testNode } from '../cluster.test.support.js'
import { createIdentity } from '../base/identity.js'
import { withTabs } from '../addresses/for-tabs.js'
import { askForAddresses } from '../discovery/introductions.js'
import { signAddresses } from '../addresses/signed-addresses.js'
import { certificateOf } from './certificate.js'
import { dialler } from './dialler.test.support.js'

const edge = graph(['a', 'b'])
const listen = ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/udp/0/webrtc-direct', '/ip4/127.0.0.1/tcp/0/ws']
const nameOf = (address: string) => (address.includes('webrtc') ? 'webrtc' : address.includes('/ws') ? 'ws' : 'tcp')

test('a key has one certificate, which is valid, has no end, and differs from those of other keys', async (t) => {
  const [one, other] = await Promise.all([createIdentity(), createIdentity()])
  const certificate = new X509Certificate(certificateOf(one).pem)
  t.true(certificate.verify(certificate.publicKey))
  t.is(certificate.validTo, 'Dec 31 23:59:59 9999 GMT')
  const hash = Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex')
  t.is(certificateOf(one).certhash, `u${Buffer.concat([Buffer.from('1220', 'hex'), hash]).toString('base64url')}`)
  t.deepEqual(certificateOf(one), certificateOf(one))
  t.not(certificateOf(one).certhash, certificateOf(other).certhash)
})

test('each address for TCP gets one for WebRTC and one for WebSockets, unless they are given', (t) => {
  t.deepEqual(withTabs(['/ip4/0.0.0.0/tcp/4001', '/ip6/::/tcp/0', '/ip4/127.0.0.1/tcp/65000']), [
    '/ip4/0.0.0.0/tcp/4001',
    '/ip6/::/tcp/0',
    '/ip4/127.0.0.1/tcp/65000',
    '/ip4/0.0.0.0/udp/4001/webrtc-direct',
    '/ip6/::/udp/0/webrtc-direct',
    '/ip4/127.0.0.1/udp/65000/webrtc-direct',
    '/ip4/0.0.0.0/tcp/5001/ws',
    '/ip6/::/tcp/0/ws',
    '/ip4/127.0.0.1/tcp/0/ws'
  ])
  const given = ['/ip4/0.0.0.0/tcp/4001', '/ip4/0.0.0.0/tcp/80/ws', '/ip4/0.0.0.0/udp/7/webrtc-direct']
  t.deepEqual(withTabs(given), given)
})

test('a peer that starts again has the same certificate in its addresses', async (t) => {
  const identity = await createIdentity()
  const hashes = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const { peer } = await testNode(t, edge, name, { identity, listen: [listen[1]] })
      return /certhash\/([^/]+)/.exec(peer.addresses[0])?.[1]
    })
  )
  t.deepEqual(hashes, [certificateOf(identity).certhash, certificateOf(identity).certhash])
})

test('all addresses are passed on by the other peers, although the peer list has one of TCP', async (t) => {
  const triangle = graph(['a', 'b'], ['a', 'c'])
  const [a, b] = await Promise.all(['a', 'b'].map((name) => testNode(t, triangle, name, { listen })))
  const guest = await createIdentity()
  const list = peerListOf([a, b]).map((entry) => ({ ...entry, addresses: entry.addresses.slice(0, 1) }))
  t.true(list.every(({ addresses }) => addresses.every((text) => nameOf(text) === 'tcp')))
  const full = [...list, { name: peerName('c'), id: guest.id, addresses: [] }]
  for (const { peer } of [a, b]) peer.meet(full)
  const node = await dialler(t, guest)
  const connection = await node.dial(multiaddr(a.peer.addresses[1]))
  const run = hashText(
    full
      .map(({ id }) => id)
      .sort()
      .join(' ')
  )
  const question = { run, record: await signAddresses(guest, []), wanted: [b.peer.id] }
  const ask = () => askForAddresses(connection, question, timeLimit(10_000))
  let found: readonly string[] = []
  while (found.length < 3) found = (await ask()).records.flatMap(({ addresses }) => addresses.map(String).map(nameOf))
  t.deepEqual([...found].sort(), ['tcp', 'webrtc', 'ws'])
})

test('an unknown peer over WebRTC is refused as over TCP', async (t) => {
  const a = await testNode(t, edge, 'a', { listen })
  const listed = await createIdentity()
  a.peer.meet([
    { name: peerName('a'), id: a.peer.id, addresses: [] },
    { name: peerName('b'), id: listed.id, addresses: [] }
  ])
  const address = multiaddr(a.peer.addresses[1])
  const unknown = await createIdentity()
  const node = await dialler(t, unknown)
  const connection = await node.dial(address).catch(() => undefined)
  await eventually('the end of the connection', () => connection === undefined || connection.status !== 'open')
  t.like(await eventOf(a, 'unknown-peer-refused'), { id: unknown.id, reason: 'it is not in the peer list' })
  t.is((await (await dialler(t, listed)).dial(address)).status, 'open')
})

/** Makes Node not find node-datachannel, as `npm install --omit=optional` does. */
const hooks = `export const resolve = (name, context, next) => {
  if (name.startsWith('node-datachannel')) throw new Error('Cannot find package')
  return next(name, context)
}`
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
const withoutPackage = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))})`)

test('without node-datachannel a peer says what is missing where it is to listen for WebRTC, and else runs', async (t) => {
  const code = `
    import { createIdentity, createPeer } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)}
    const identity = await createIdentity()
    const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
    const runSettings = { settings: {}, schema: [{ name: 'x', shape: [1] }], start: '' }
    const topology = { peers: ['a'], period: 1, mixing }
    for (const end of ['tcp/0', 'tcp/0/ws', 'udp/0/webrtc-direct']) {
      const listen = ['/ip4/127.0.0.1/' + end]
      const peer = await createPeer({ self: 'a', identity, topology, seed: 1, listen, runSettings }).catch((error) => error)
      console.log(peer instanceof Error ? peer.name + ': ' + peer.message : 'listens')
      await peer.close?.()
    }`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--import', withoutPackage, '--input-type=module', '-e', code])
  const [tcp, ws, webrtc] = stdout.split('\n')
  t.deepEqual([tcp, ws], ['listens', 'listens'])
  t.regex(webrtc, /^InputError: cannot listen for browsers over WebRTC: .*run "npm install node-datachannel@[\d.]+"/)
})
