/**
 * libp2p accepts 5 connections per second from one address, and two peers that dial each other have two connections.
 */
import { timeLimit } from '@murmuration/contract'
import { deferred, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { testNode, connectAll, graph } from '../cluster.test.support.js'
import { bareNode, MiB, portOf } from './bare.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo } from './exchange.test.support.js'
import { proxyTo } from '../tcp-proxy.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)

test('libp2p 3.3: of twelve simultaneous calls from one address, some are refused', async (t) => {
  const hub = await bareNode(t)
  const callers = await Promise.all(upTo(12).map(() => bareNode(t)))
  // On a busy machine the twelve may be spread over several seconds, and be accepted.
  let refused = 0
  for (let attempt = 0; attempt < 20 && refused === 0; attempt++) {
    const results = await Promise.allSettled(callers.map((caller) => caller.dial(hub.getMultiaddrs())))
    refused = results.filter(({ status }) => status === 'rejected').length
    await Promise.all(callers.map((caller) => caller.hangUp(hub.peerId)))
  }
  t.true(refused > 0)
})

test('twelve simultaneous calls from one address all succeed at the first attempt', async (t) => {
  const names = upTo(12).map((index) => `leaf${String(index).padStart(2, '0')}`)
  const star = graph(...names.map((name) => ['hub', name] as const))
  const hub = await testNode(t, star, 'hub')
  // They cannot be dialled, so they must dial. The hub knows the peer list before they do.
  const leaves = await Promise.all(names.map((name) => testNode(t, star, name, { listen: [] })))
  await connectAll([hub, ...leaves])
  t.true(hub.peer.neighbours().every(({ state }) => state === 'ready'))
  t.deepEqual(
    leaves.flatMap((each) => troubleOf(each)),
    []
  )
})

/**
 * Two peers, each behind a proxy, that have dialled each other at the same moment, with vectors of `bytes` bytes. A
 * peer that was dialled no longer dials, so no call passes its proxy before both were made.
 */
async function mutual(t: ExecutionContext, bytes: number) {
  const edge = graph(['a', 'b'])
  const [left, right] = await Promise.all(['a', 'b'].map((name) => testNode(t, edge, name, large(bytes))))
  const calls = [deferred<void>(), deferred<void>()]
  const opened = Promise.all(calls.map(({ promise }) => promise))
  const behind = async ({ name, peer }: typeof left, { resolve }: (typeof calls)[number]) => {
    const proxy = await proxyTo(t, portOf(peer.addresses), { opened, onCall: () => resolve() })
    return { proxy, entry: { name, id: peer.id, addresses: [`/ip4/127.0.0.1/tcp/${proxy.port}`] } }
  }
  const both = [await behind(left, calls[0]), await behind(right, calls[1])]
  const peerList = both.map(({ entry }) => entry)
  await Promise.all([left, right].map(({ peer }) => peer.connect(peerList, timeLimit(10_000))))
  const proxies = both.map(({ proxy }) => proxy)
  t.deepEqual(
    proxies.map((proxy) => proxy.accepted()),
    [1, 1]
  )
  return { left, right, proxies }
}

for (const cut of [undefined, 0, 1]) {
  const also = cut === undefined ? '' : `, also when the ${cut === 0 ? 'one' : 'other'} of them is cut`
  test(`two connections between the same two peers do no harm${also}`, async (t) => {
    const bytes = MiB
    const count = 12
    const { left, right, proxies } = await mutual(t, bytes)
    const exchange = async (first: number) => {
      const [, , there, here] = await Promise.all([
        sendAll(left, b, bytes, count, first),
        sendAll(right, a, bytes, count, first),
        receiveAll(right, count),
        receiveAll(left, count)
      ])
      t.deepEqual(
        [here, there],
        [upTo(count), upTo(count)].map((rounds) => rounds.map((round) => round + first))
      )
    }
    await exchange(0)
    t.deepEqual(
      [left, right].flatMap((each) => troubleOf(each)),
      []
    )
    if (cut !== undefined) proxies[cut].cut(0)
    await exchange(count)
    for (const { peer } of [left, right]) t.is(peer.traffic().received.frames, 2 * count)
  })
}
