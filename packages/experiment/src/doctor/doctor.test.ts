/** Staged failures: the doctor names each, and how to fix it. */
import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { peerName } from '@murmuration/core'
import { createIdentity, createPeer, faultCount, type Identity, openSeed, type Peer } from '@murmuration/libp2p'
import test, { type ExecutionContext } from 'ava'
import { clockFinding } from './clock.js'
import type { DoctorFinding } from './finding.js'
import { backendFindings, diskFinding, eventLoopFinding, nodeFinding } from './machine.js'
import {
  addressFinding,
  fixOf,
  peerFinding,
  portFinding,
  reachFinding,
  relayFinding,
  roundTripFinding,
  seedFinding
} from './network.js'

const [a, b] = ['a', 'b'].map(peerName)

const isWrong = (t: ExecutionContext, { level, found, fix = '' }: DoctorFinding, cause: RegExp, remedy: RegExp) => {
  t.is(level, 'wrong')
  t.regex(found, cause)
  t.regex(fix, remedy)
}

test('old Node', (t) => {
  for (const version of ['18.20.1', '20.18.0', '21.7.0', '22.11.0', '23.5.0'])
    isWrong(t, nodeFinding(version), /is too old, or a version that is not supported/, /20\.19 or a later 20/)
  for (const version of ['20.19.0', '22.12.0', '24.0.0', '25.1.0']) t.is(nodeFinding(version).level, 'ok', version)
  t.is(nodeFinding(process.versions.node).level, 'ok')
})

test('disk full, and a folder in which nothing can be written', async (t) => {
  isWrong(t, await diskFinding(tmpdir(), async () => 12e6), /has 12 MB free/, /free some space/)
  isWrong(t, await diskFinding('/nowhere/at/all'), /cannot write to \/nowhere/, /permission to write/)
  t.is((await diskFinding(tmpdir(), async () => 2e9)).level, 'ok')
})

test.serial('a blocked event loop', async (t) => {
  const finding = eventLoopFinding(200)
  setTimeout(() => {
    const start = performance.now()
    while (performance.now() - start < 1300);
  }, 50)
  isWrong(t, await finding, /blocked for at most [1-9]\d\d\d ms/, /something blocks the process/)
})

test('a GPU whose library is missing', async (t) => {
  const reason = 'tfjs-node-gpu is not installed, tfjs-node is not installed; so WebAssembly computes'
  const [, gpu] = await backendFindings(async () => ({ name: 'wasm', reason, gigaflops: 10 }), true)
  isWrong(t, gpu, /GPU that cannot be used: tfjs-node-gpu is not installed/, /npm install @tensorflow\/tfjs-node-gpu/)
  const broken = 'tfjs-node-gpu: libcudart.so.11.0: cannot open shared object file, tfjs-node is not installed; so …'
  const [, other] = await backendFindings(async () => ({ name: 'wasm', reason: broken, gigaflops: 10 }), true)
  isWrong(t, other, /libcudart\.so\.11\.0: cannot open/, /CUDA and cuDNN/)
})

test('a clock that is off by an hour; without a server nothing is said', async (t) => {
  const server = createSocket('udp4')
  t.teardown(() => server.close())
  let offset = 3600
  server.on('message', (_, { port }) => {
    const answer = Buffer.alloc(48)
    answer.writeUInt32BE(Math.floor(Date.now() / 1000) + 2_208_988_800 + offset, 40)
    server.send(answer, port, '127.0.0.1')
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  const place = { host: '127.0.0.1', port: server.address().port }
  isWrong(t, await clockFinding(place), /the clock is (3599|3600)\.\d s slow/, /set-ntp true/)
  offset = 0
  t.is((await clockFinding(place)).level, 'ok')
  t.is((await clockFinding({ host: '127.0.0.1', port: 9 }, 200)).level, 'unknown')
})

test('a port that is taken, and addresses that this machine does not have', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`
  isWrong(t, await portFinding(address), /EADDRINUSE/, /a program already listens there/)
  isWrong(t, await portFinding('/ip4/192.0.2.7/tcp/4001'), /EADDRNOTAVAIL/, /an address of this machine/)
  await new Promise((resolve) => server.close(resolve))
  t.is((await portFinding(address)).level, 'ok')
  t.like(addressFinding(['/ip4/192.0.2.7/tcp/4001'], ['10.0.0.2']), { level: 'note' })
  t.like(addressFinding(['/ip4/10.0.0.2/tcp/4001'], ['10.0.0.2']), { level: 'ok' })
})

/** Peer b, which admits the peer with the identity `known` as a. */
async function listening(t: ExecutionContext, known: Identity): Promise<Peer> {
  const mixing = () => ({
    selfWeight: 0.5,
    receiveFrom: [{ name: a, weight: 0.5 }],
    sendTo: [{ name: a, weight: 0.5 }]
  })
  const peer = await createPeer({
    self: b,
    identity: await createIdentity(),
    topology: { peers: [a, b], period: 1, mixing },
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: {}, schema: [{ name: 'x', shape: [1] }], start: '' }
  })
  t.teardown(() => peer.close())
  const own = { name: b, id: peer.id, addresses: [...peer.addresses] }
  peer.meet([own, { name: a, id: known.id, addresses: ['/ip4/127.0.0.1/tcp/1'] }])
  return peer
}

test('another peer: there; closed port; wrong key; not let in', async (t) => {
  const [own, unknown] = await Promise.all([createIdentity(), createIdentity()])
  const peer = await listening(t, own)
  const { id, addresses: given } = peer
  const addresses = given.map((address) => address.replace(/\/p2p\/.*/, ''))
  const there = await peerFinding(b, { id, addresses }, own)
  t.is(there.level, 'ok', there.found)
  t.regex(there.found, /round trip [\d.]+ ms/)
  isWrong(
    t,
    await peerFinding(b, { id: unknown.id, addresses }, own),
    /another peer answers at this address/,
    /murmur identity b/
  )
  isWrong(
    t,
    await peerFinding(b, { id, addresses }, unknown),
    /may not have this peer's id/,
    /into the topology file of b/
  )
  isWrong(
    t,
    await peerFinding(b, { id, addresses: ['/ip4/127.0.0.1/tcp/1'] }, own),
    /nothing listens at this address/,
    /start b/
  )
  t.is(faultCount(peer.neighbours()[0].faults), 0, 'to be called so is no fault')
})

test('no route, an unknown name, a firewall; a slow link', (t) => {
  t.regex(fixOf(['no-route'], b), /this machine’s routes/)
  t.regex(fixOf(['unknown-host'], b), /use an IP address/)
  t.regex(fixOf(['timeout'], b), /firewall of b’s machine/)
  t.like(roundTripFinding('peer b', '/ip4/192.0.2.7/tcp/4001', 400), { level: 'note' })
  t.like(roundTripFinding('peer b', '/ip4/192.0.2.7/tcp/4001', 40), { level: 'ok' })
})

test('a seed: there; without an id; closed port; another id; a peer that does not know who asks', async (t) => {
  const [own, other] = await Promise.all([createIdentity(), createIdentity()])
  const seed = await openSeed({ identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => seed.close())
  const [address] = seed.addresses
  const place = address.replace(/\/p2p\/.*/, '')
  t.like(await seedFinding(address, own), { level: 'ok', check: `seed ${address}` })
  t.is(seed.known, 0, 'to be called so tells it nothing')
  t.like(await seedFinding(place, own), { level: 'note' })
  isWrong(
    t,
    await seedFinding('/ip4/127.0.0.1/tcp/1', own),
    /nothing listens at this address/,
    /start "murmur seed" there/
  )
  isWrong(t, await seedFinding(`${place}/p2p/${other.id}`, own), /another peer answers/, /the id at its end/)
  const peer = await listening(t, other)
  isWrong(t, await seedFinding(peer.addresses[0], own), /before the handshake/, /--as NAME/)
  t.is((await seedFinding(peer.addresses[0], other)).level, 'ok', 'a peer of the run introduces too')
  await t.throwsAsync(seedFinding('example.org:4001', own), {
    message: /"example.org:4001" of a seed is not a multiaddr/
  })
})

test('whether a seed can call this peer; a relay: there; full; none; down', async (t) => {
  const own = await createIdentity()
  const open = async (relay?: { readonly reservations: number }) => {
    const given = { identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] }
    const seed = await openSeed(relay === undefined ? given : { ...given, relay })
    t.teardown(() => seed.close())
    return seed
  }
  const [plain, relay] = await Promise.all([open(), open({ reservations: 1 })])
  const [address] = plain.addresses
  t.like(await reachFinding(address, ['/ip4/127.0.0.1/tcp/0'], own), { check: 'reach', level: 'ok' })
  // The seed sees a call from 127.0.0.1, as it would see one from a router.
  const behind = await reachFinding(address, ['/ip4/127.0.0.2/tcp/0'], own)
  t.is(behind.level, 'note')
  t.regex(behind.found, /the seed cannot connect to this peer at 127\.0\.0\.1, port \d+/)
  t.regex(behind.fix ?? '', /forward TCP port \d+ .*--via/)

  t.like(await relayFinding(relay.addresses[0], own), { level: 'ok' })
  const other = await createPeerAt(t, relay.addresses[0])
  isWrong(t, await relayFinding(relay.addresses[0], own), /the relay is full/, /another relay/)
  await other.close()
  isWrong(t, await relayFinding(address, own), /not a relay/, /murmur seed --relay/)
  isWrong(t, await relayFinding('/ip4/127.0.0.1/tcp/1', own), /nothing listens at this address/, /murmur seed --relay/)
})

/** A peer with a reservation at a relay. */
async function createPeerAt(t: ExecutionContext, relay: string): Promise<Peer> {
  let isThere = () => {}
  const there = new Promise<void>((resolve) => (isThere = resolve))
  const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
  const peer = await createPeer({
    self: a,
    identity: await createIdentity(),
    topology: { peers: [a], period: 1, mixing },
    seed: 1,
    listen: [],
    runSettings: { settings: {}, schema: [{ name: 'x', shape: [1] }], start: '' },
    relay: { via: [relay] },
    onEvent: (event) => {
      if (event.kind === 'relay' && event.isReached) isThere()
    }
  })
  t.teardown(() => peer.close())
  await there
  return peer
}
