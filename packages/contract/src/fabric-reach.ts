import { type PeerName, peerName } from '@murmuration/core'
import type { TestFn } from 'ava'
import { message, next, sendWithRetry, vectorLength } from './exchanging.js'
import type { FabricWorld } from './fabric-world.js'
import { complete, ring } from './graphs.js'

/** Which peers a fabric sends to, and how much: part of what every fabric promises. */
export function testReach(test: TestFn, world: FabricWorld): void {
  const titled = (title: string) => `${world.name}: ${title}`

  test(
    titled('a peer in the peer list can be reached, also by one that is not its neighbour, and it can reply'),
    async (t) => {
      const received: string[] = []
      const first = peerName('a')
      const far = peerName('c')
      await world.run(ring('a', 'b', 'c', 'd', 'e'), async (fabric) => {
        if (fabric.self === first) {
          t.false(fabric.neighbours(0).sendTo.some(({ name }) => name === far))
          for (let k = 0; k < 3; k++) t.is(fabric.send(far, message(k)), 'queued')
          received.push(`reply ${(await next(fabric)).message.round}`)
        }
        if (fabric.self === far) {
          for (let k = 0; k < 3; k++) {
            const { from, message } = await next(fabric)
            received.push(`${from} ${message.round} ${message.vector[3]}`)
          }
          t.is(fabric.send(first, message(9)), 'queued')
        }
      })
      t.deepEqual(received, ['a 0 0', 'a 1 1', 'a 2 2', 'reply 9'])
    }
  )

  test(titled('an unknown peer is unreachable, and so is the sender itself'), async (t) => {
    const results = new Set<string>()
    await world.run(complete('a', 'b'), async (fabric) => {
      results.add(fabric.send(peerName('nobody'), message(0)))
      results.add(fabric.send(fabric.self, message(0)))
    })
    t.deepEqual([...results], ['unreachable'])
  })

  test(titled('servers send to all peers and receive from all, and have no neighbours'), async (t) => {
    const received: string[] = []
    const server = peerName('s')
    await world.run(
      ring('a', 'b', 'c', 'd'),
      async (fabric) => {
        if (fabric.self !== server) {
          t.is(fabric.send(server, message(1)), 'queued')
          received.push((await next(fabric)).from)
          return
        }
        t.throws(() => fabric.neighbours(0), { name: 'InvariantError', message: /s is a server/ })
        for (let k = 0; k < 4; k++) t.is(fabric.send((await next(fabric)).from, message(2)), 'queued')
      },
      [server]
    )
    t.deepEqual(received, ['s', 's', 's', 's'])
  })

  test(
    titled(
      'queues are bounded: the queue to a peer that does not receive is full after a while, and every queued message arrives'
    ),
    async (t) => {
      let queued = 0
      let received = 0
      let full = false
      await world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === 'a') {
          for (let k = 0; k < 200 && !full; k++) {
            const result = fabric.send(peerName('b'), message(k))
            if (result === 'full') full = true
            else queued++
          }
          await sendWithRetry(fabric, 'b', message(999))
        } else {
          await fabric.sleep(fabric.now() + 30)
          while ((await next(fabric)).message.round !== 999) received++
        }
      })
      t.true(full, 'a queue took 200 messages')
      t.is(received, queued)
    }
  )

  test(titled('a queue takes eight vectors, or ranges that make up as many, and is full then'), async (t) => {
    const b = peerName('b')
    const c = peerName('c')
    const taken = new Map<PeerName, number>()
    const received = new Map<PeerName, number>([
      [b, 0],
      [c, 0]
    ])
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self !== 'a') {
        while ((await next(fabric)).message.round !== 999)
          received.set(fabric.self, (received.get(fabric.self) ?? 0) + 1)
        return
      }
      const range = { kind: 1, round: 1, offset: 2, vector: new Float32Array(vectorLength / 4) }
      for (const [to, sent] of [
        [b, message(1)],
        [c, range]
      ] as const) {
        let count = 0
        while (count < 200 && fabric.send(to, sent) === 'queued') count++
        taken.set(to, count)
      }
      for (const to of [b, c]) await sendWithRetry(fabric, to, message(999))
    })
    t.deepEqual([...taken.values()], [8, 32])
    t.deepEqual([...received.values()], [8, 32])
  })
}
