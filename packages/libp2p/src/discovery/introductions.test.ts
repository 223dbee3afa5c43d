/** Introductions between seeds and peers, and attacks by them. */
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { createIdentity } from '../base/identity.js'
import { hostOf } from '../addresses/peer-list.js'
import { AddressBook } from './address-book.js'
import { ownAddresses } from '../links/own-addresses.js'
import { mayDial, reachOf, sourceOf, sourceOfHost } from '../addresses/reach.js'
import { maxAddresses, readAddresses, signAddresses, type SignedAddresses } from '../addresses/signed-addresses.js'

const recordOf = (id: string, sequence = 1n): SignedAddresses => ({
  id,
  sequence,
  addresses: [],
  bytes: new Uint8Array()
})

test('only addresses of the kinds that peers have are dialled, and none nearer to this machine than the configured ones', (t) => {
  const reaches = ['public', 'private', 'loopback'] as const
  const from = (address: string) => reaches.filter((within) => mayDial(multiaddr(address), within)).join(' ')
  const all = 'public private loopback'
  t.is(from('/ip4/93.184.216.34/tcp/4001'), all)
  t.is(from('/ip6/2606:2800:220:1::1/tcp/4001'), all)
  for (const host of ['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254']) {
    t.is(from(`/ip4/${host}/tcp/80`), 'private loopback', host)
  }
  for (const host of ['fd00::1', 'fe80::1']) t.is(from(`/ip6/${host}/tcp/80`), 'private loopback', host)
  t.is(from('/ip4/127.0.0.53/tcp/53'), 'loopback')
  const certificate = 'webrtc-direct/certhash/uEiCU_1lo9RfL8rmhqsTMH_GpTnNkjgQvADu4FvLq2AVLIA'
  const relayed = 'p2p/12D3KooWG4NkYqDhzx4E2RgwWcHqgpSR3WBgpv7ycLRCCbn2zbaq/p2p-circuit'
  for (const end of [
    'tcp/80/ws',
    `udp/80/${certificate}`,
    `udp/80/${certificate}/${relayed}`,
    `tcp/80/ws/${relayed}`
  ]) {
    t.is(from(`/ip4/93.184.216.34/${end}`), all, end)
    t.is(from(`/ip4/169.254.169.254/${end}`), 'private loopback', end)
    t.is(from(`/ip6/::1/${end}`), 'loopback', end)
    t.is(from(`/dns4/example.org/${end}`), '', end)
  }
  t.is(from('/ip6/::1/tcp/53'), 'loopback')
  for (const address of [
    '/ip4/0.0.0.0/tcp/1',
    '/ip4/224.0.0.1/tcp/1',
    '/ip4/255.255.255.255/tcp/1',
    '/ip6/::/tcp/1',
    '/ip6/::ffff:10.0.0.1/tcp/1',
    '/ip6/64:ff9b::a00:1/tcp/1',
    '/dns4/example.org/tcp/1',
    '/ip4/93.184.216.34/udp/1',
    '/ip4/93.184.216.34/tcp/80/wss',
    '/ip4/93.184.216.34/tcp/80/tls/ws',
    '/ip4/93.184.216.34/udp/80/webrtc-direct',
    `/ip4/93.184.216.34/tcp/80/${certificate}`,
    `/ip4/93.184.216.34/udp/80/${certificate}/ws`,
    `/ip4/93.184.216.34/udp/80/${certificate}/${relayed}/webrtc`,
    '/unix/%2Ftmp%2Fsocket'
  ])
    t.is(from(address), '', address)
  t.is(reachOf('not an address'), undefined)
  t.is(hostOf(multiaddr('/ip6/::ffff:93.184.216.34/tcp/1')), '93.184.216.34', 'as a socket for both sees it')
})

test('a signed record is read; one that is changed, too long, or signed for another peer is not', async (t) => {
  const own = await createIdentity()
  const other = await createIdentity()
  const bytes = await signAddresses(own, ['/ip4/93.184.216.34/tcp/4001', `/ip4/10.0.0.1/tcp/4001/p2p/${own.id}`])
  const read = await readAddresses(bytes)
  t.is(read?.id, own.id)
  t.deepEqual(read?.addresses.map(String), ['/ip4/93.184.216.34/tcp/4001', '/ip4/10.0.0.1/tcp/4001'])
  for (let index = 0; index < bytes.length; index += 7) {
    const changed = Uint8Array.from(bytes)
    changed[index] ^= 1
    const found = await readAddresses(changed)
    t.true(found === undefined || found.id === own.id, `byte ${index}`)
    t.true(found === undefined || String(found.addresses) === String(read?.addresses), `byte ${index}`)
  }
  t.is(await readAddresses(new Uint8Array(4096)), undefined)
  const { PeerRecord, RecordEnvelope } = await import('@libp2p/peer-record')
  const { peerIdFromString } = await import('@libp2p/peer-id')
  const forged = new PeerRecord({
    peerId: peerIdFromString(own.id),
    multiaddrs: [multiaddr('/ip4/93.184.216.34/tcp/1')]
  })
  t.is(await readAddresses((await RecordEnvelope.seal(forged, other.privateKey)).marshal()), undefined)
  const many = Array.from({ length: 40 }, (_, port) => `/ip4/93.184.216.34/tcp/${port + 1}`)
  t.is((await readAddresses(await signAddresses(own, many)))?.addresses.length, maxAddresses)
})

test('an address book is bounded in total and per source, keeps the newest records, and forgets old ones', (t) => {
  let now = 0
  const clock = { now: () => now, at: () => () => {} }
  const book = new AddressBook(clock, { records: 8, perSource: 3, keepFor: 1000 })
  book.keep('run', recordOf('honest', 5n), '192.0.2.1')
  for (let k = 0; k < 100; k++) book.keep('run', recordOf(`sybil ${k}`), '192.0.2.66')
  t.is(book.find('run', 'honest')?.sequence, 5n)
  t.true(book.size <= 8)
  book.keep('run', recordOf('honest', 4n), '192.0.2.66')
  t.is(book.find('run', 'honest')?.sequence, 5n, 'an older record does not replace it')
  t.is(book.find('another run', 'honest'), undefined)
  now = 900
  book.keep('run', recordOf('honest', 6n), '192.0.2.1')
  now = 1500
  t.is(book.find('run', 'honest')?.sequence, 6n)
  t.is(book.find('run', 'sybil 99'), undefined)
  now = 2000
  t.is(book.find('run', 'honest'), undefined)
})

test('a source has as many records as its bound says, and a record that has expired keeps no older one out', (t) => {
  let now = 0
  const book = new AddressBook({ now: () => now, at: () => () => {} }, { records: 100, perSource: 8, keepFor: 1000 })
  const keep = (ids: readonly string[], source: string) => ids.forEach((id) => book.keep('run', recordOf(id), source))
  const found = (ids: readonly string[]) => ids.filter((id) => book.find('run', id) !== undefined).length
  const [others, own] = ['other', 'own'].map((word) => Array.from({ length: 8 }, (_, k) => `${word} ${k}`))
  keep(others, '192.0.2.1')
  keep(own, '192.0.2.2')
  t.deepEqual([found(others), found(own)], [8, 8])
  keep(['own 8'], '192.0.2.2')
  t.is(found([...own, 'own 8']), 8, 'the newest replaces the oldest')
  book.keep('run', recordOf('whose clock goes back', 5n), '192.0.2.3')
  now = 1000
  book.keep('run', recordOf('whose clock goes back', 4n), '192.0.2.3')
  t.is(book.find('run', 'whose clock goes back')?.sequence, 4n)
})

test('all addresses of a /64 are one source, because one machine can have them all', (t) => {
  const of = (host: string) => sourceOf(multiaddr(`/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/tcp/4001`))
  t.is(of('2001:db9:1:1::1'), of('2001:db9:1:1:ffff::2'))
  t.not(of('2001:db9:1:1::1'), of('2001:db9:1:2::1'))
  t.is(of('::ffff:192.0.2.1'), '192.0.2.1')
  t.not(of('192.0.2.1'), of('192.0.2.2'))
  t.is(sourceOf(multiaddr('/dns4/example.org/tcp/4001')), '')
  for (const host of ['::ffff:192.0.2.1', '192.0.2.1']) t.is(sourceOfHost(host), '192.0.2.1', host)
  t.is(sourceOfHost('fe80::1%eth0'), sourceOfHost('fe80::2'))
  t.is(sourceOfHost(''), '')
})

test('a peer announces its listed addresses first, then those that seeds see, then local ones', (t) => {
  const listening = ['/ip4/127.0.0.1/tcp/4001', '/ip4/10.0.0.5/tcp/4001'].map((text) => multiaddr(text))
  t.deepEqual(ownAddresses(['/dns4/example.org/tcp/4001'], listening, ['93.184.216.34', '::1', 'nonsense']), [
    '/dns4/example.org/tcp/4001',
    '/ip4/93.184.216.34/tcp/4001',
    '/ip4/10.0.0.5/tcp/4001',
    '/ip4/127.0.0.1/tcp/4001'
  ])
  const certificate = 'webrtc-direct/certhash/uEiCU_1lo9RfL8rmhqsTMH_GpTnNkjgQvADu4FvLq2AVLIA'
  const forTabs = [`/ip4/10.0.0.5/udp/4001/${certificate}`, '/ip4/10.0.0.5/tcp/5001/ws']
  t.deepEqual(
    ownAddresses(
      [],
      forTabs.map((text) => multiaddr(text)),
      ['93.184.216.34']
    ),
    [`/ip4/93.184.216.34/udp/4001/${certificate}`, '/ip4/93.184.216.34/tcp/5001/ws', ...forTabs]
  )
})
