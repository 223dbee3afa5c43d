/**
 * Keyed rows that move: whatever the delays, each key is sequentially consistent, and no write is lost or applied
 * twice.
 */
import { KeyPeer, KeyServer, type SendTo } from '@murmuration/algorithms'
import { type PeerName, peerName } from '@murmuration/core'
import { simulate } from '@murmuration/simulator'
import test from 'ava'
import { inconsistency } from './keys/consistency.js'
import { history, intended, onLibp2p, setting, stale } from './keys/histories.js'
import { planted, plantedIntended, plantedStale } from './keys/planted.js'

const seeds = Array.from({ length: 60 }, (_, index) => index + 1)

test('operations that are waited for are sequentially consistent, key by key (Renz-Wieland et al., VLDB 2020, section 3)', async (t) => {
  let moved = 0
  let queued = 0
  for (const seed of seeds) {
    const result = await history(seed)
    t.is(result.problem, undefined, `to replay: node test/dist/keys/explore.js ${seed} 1`)
    moved += result.moved
    queued += result.queued
  }
  t.true(moved > 500 && queued > 100, `${moved} moves, ${queued} queued`)
})

test('histories on real peers are consistent, too', async (t) => {
  let moved = 0
  for (const seed of [1, 2, 3]) {
    const result = await history(seed, undefined, onLibp2p)
    t.is(result.problem, undefined, `to play it again: node test/dist/keys/explore.js ${seed} 1 libp2p`)
    moved += result.moved
  }
  t.true(moved > 20, `${moved} moves`)
})

for (const [name, served] of Object.entries(planted)) {
  test(`the checker finds a planted error: ${name}`, async (t) => {
    let found: string | undefined
    for (let seed = 1; seed <= 200 && found === undefined; seed++) found = (await history(seed, served)).problem
    t.truthy(found)
    t.log(found)
  })
}

test('a read at clock c sees all adds of clocks up to c − s − 1, and all that its worker knows (Ho et al., NIPS 2013, section 3)', async (t) => {
  let operations = 0
  for (const seed of seeds) {
    const result = await history(seed, stale(seed))
    t.is(result.problem, undefined, `to replay: node test/dist/keys/explore.js ${seed} 1 stale`)
    operations += result.operations
  }
  t.true(operations > 1500, `${operations} operations`)
  t.is((await history(2, stale(2), onLibp2p)).problem, undefined, 'on libp2p')
})

test('with rows that are copied as workers intend, each add happens once, and workers see what they know (Terry et al., PDIS 1994)', async (t) => {
  let moved = 0
  let copied = 0
  // With seed 102, a copy came to a peer that had given up, before intents were answered.
  for (const seed of [...seeds, 102]) {
    const result = await history(seed, intended(seed))
    t.is(result.problem, undefined, `to replay: node test/dist/keys/explore.js ${seed} 1 intended`)
    moved += result.moved
    copied += result.copied
  }
  t.true(moved > 100 && copied > 250, `${moved} moved, ${copied} copied`)
  for (const seed of [1, 2])
    t.is((await history(seed, intended(seed), onLibp2p)).problem, undefined, `${seed} on libp2p`)
})

for (const [name, of] of Object.entries({ ...plantedStale, ...plantedIntended })) {
  test(`the checker finds a planted error: ${name}`, async (t) => {
    let found: string | undefined
    for (let seed = 1; seed <= 200 && found === undefined; seed++) found = (await history(seed, of(seed))).problem
    t.truthy(found)
    t.log(found)
  })
}

test('the same seed plays the same history', async (t) => {
  t.deepEqual(await history(7), await history(7))
})

test('a read that misses an own write, reads that go back, and writes seen in two orders have no order', (t) => {
  const seen = (...adds: number[]) => new Set(adds)
  const own = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'a', order: 1, seen: seen() }
  ]
  t.regex(inconsistency(own) ?? '', /no order is possible of a\.0: add 0, a\.1: read/)
  const back = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'b', order: 0, seen: seen(0) },
    { key: 0, worker: 'b', order: 1, seen: seen() }
  ]
  t.truthy(inconsistency(back))
  const crossed = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'b', order: 0, add: 1 },
    { key: 0, worker: 'c', order: 0, seen: seen(0) },
    { key: 0, worker: 'd', order: 0, seen: seen(1) }
  ]
  t.truthy(inconsistency(crossed))
  t.is(
    inconsistency([...own.slice(0, 1), { key: 1, worker: 'a', order: 1, seen: seen() }]),
    undefined,
    'keys are apart'
  )
  t.is(inconsistency([...crossed.slice(0, 3), { key: 0, worker: 'd', order: 0, seen: seen(0, 1) }]), undefined)
})

/** Peers with one number, which the first of them holds. */
const ofOneKey = (peers: readonly PeerName[], workers: readonly PeerName[]) => ({
  peers,
  workers,
  timeout: 1000,
  width: 1,
  count: 1,
  length: 2,
  server: (setting: { readonly self: number; readonly peers: number }, send: SendTo) =>
    new KeyServer({ ...setting, count: 1, width: 1, holders: 1 }, send, new Float32Array(1))
})

test('what a peer sends ahead of its phase is kept up to a bound, and the rest is refused', async (t) => {
  const peers = ['behind', 'ahead'].map(peerName)
  const sent = 100
  const options = ofOneKey(peers, peers)
  let sum: Float32Array | undefined
  // A push of 1 to key 0, of the phase after the first.
  const push = () => ({
    kind: 1,
    round: 1,
    numbers: [1, 0],
    vector: Float32Array.of(0, 1),
    packed: true as const
  })
  const { rejected } = await simulate(setting(peers, 1, { latency: 1, jitter: 0 }), async (fabric) => {
    if (fabric.self === peers[1]) {
      for (let count = 0; count < sent; count++) fabric.send(peers[0], push())
      return fabric.sleep(5000)
    }
    const peer = new KeyPeer(fabric, options)
    await peer.until(
      fabric,
      () => fabric.now() > 500,
      () => {}
    )
    peer.beginPhase()
    sum = peer.server.held().rows
  })
  // Sixteen times the parameters' two numbers and one more; a push has two, and counts as three.
  t.deepEqual(sum, Float32Array.of(16))
  t.deepEqual([...rejected], [[peers[1], sent - 16]])
})

test('a server that asks whether anybody is there is not at fault, and says nothing that would be waited for', async (t) => {
  const peers = ['server', 'worker'].map(peerName)
  const options = ofOneKey(peers, peers.slice(1))
  const silences: number[] = []
  const { rejected } = await simulate(setting(peers, 1, { latency: 1, jitter: 0 }), async (fabric) => {
    const peer = new KeyPeer(fabric, options)
    if (fabric.self === peers[0]) return peer.endPhase(fabric).catch(() => {})
    await peer.until(
      fabric,
      () => silences.length === 3,
      (silence) => void silences.push(silence)
    )
    await peer.endPhase(fabric)
  })
  t.deepEqual([...rejected], [])
  t.deepEqual(silences, [1, 2, 3])
})
