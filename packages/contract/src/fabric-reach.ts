import { type PeerName, peerName } from '@murmuration/core'
import type { TestFn } from 'ava'
import { message, next, sendWhenThereIsRoom, vectorLength } from './exchanging.js'
import type { FabricWorld } from './fabric-world.js'
import { complete, ring } from './graphs.js'

/** Which peers a fabric sends to, and how much: part of what every fabric promises. */
export function testReach(test: TestFn, world: FabricWorld): void {
  const that = (title: string) => `${world.name}: ${title}`

  test(
    that('who is in the peer list can be reached, also by one that is no neighbour, and it can reply'),
    async (t) => {
      const got: string[] = []
      const [first, far] = [peerName('a'), peerName('c')]
      await world.run(ring('a', 'b', 'c', 'd', 'e'), async (fabric) => {
        if (fabric.self === first) {
          t.false(fabric.neighbours(0).sendTo.some(({ name }) => name === far))
          for (let k = 0; k < 3; k++) t.is(fabric.send(far, message(k)), 'queued')
          got.push(`reply ${(await next(fabric)).message.round}`)
        }
        if (fabric.self === far) {
          for (let k = 0; k < 3; k++) {
            const { from, message } = await next(fabric)
            got.push(`${from} ${message.round} ${message.vector[3]}`)
          }
          t.is(fabric.send(first, message(9)), 'queued')
        }
      })
      t.deepEqual(got, ['a 0 0', 'a 1 1', 'a 2 2', 'reply 9'])
    }
  )

  test(that('one that nobody knows is unreachable, and so is oneself'), async (t) => {
    const results = new Set<string>()
    await world.run(complete('a', 'b'), async (fabric) => {
      results.add(fabric.send(peerName('nobody'), message(0)))
      results.add(fabric.send(fabric.self, message(0)))
    })
    t.deepEqual([...results], ['unreachable'])
  })

  test(that('servers send to all peers and receive from all, and have no neighbours'), async (t) => {
    const got: string[] = []
    const server = peerName('s')
    await world.run(
      ring('a', 'b', 'c', 'd'),
      async (fabric) => {
        if (fabric.self !== server) {
          t.is(fabric.send(server, message(1)), 'queued')
          got.push((await next(fabric)).from)
          return
        }
        t.throws(() => fabric.neighbours(0), { name: 'InvariantError', message: /s is a server/ })
        for (let k = 0; k < 4; k++) t.is(fabric.send((await next(fabric)).from, message(2)), 'queued')
      },
      [server]
    )
    t.deepEqual(got, ['s', 's', 's', 's'])
  })

  test(
    that('queues are bounded: a peer that does not receive is full after a while, and all that was queued arrives'),
    async (t) => {
      let queued = 0
      let got = 0
      let full = false
      await world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === 'a') {
          for (let k = 0; k < 200 && !full; k++) {
            const result = fabric.send(peerName('b'), message(k))
            if (result === 'full') full = true
            else queued++
          }
          await sendWhenThereIsRoom(fabric, 'b', message(999))
        } else {
          await fabric.sleep(fabric.now() + 30)
          while ((await next(fabric)).message.round !== 999) got++
        }
      })
      t.true(full, 'a queue took 200 messages')
      t.is(got, queued)
    }
  )

  test(that('a queue takes eight vectors, or ranges that make up as many, and is full then'), async (t) => {
    const [b, c] = [peerName('b'), peerName('c')]
    const taken = new Map<PeerName, number>()
    const got = new Map<PeerName, number>([
      [b, 0],
      [c, 0]
    ])
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self !== 'a') {
        while ((await next(fabric)).message.round !== 999) got.set(fabric.self, (got.get(fabric.self) ?? 0) + 1)
        return
      }
      const range = { kind: 1, round: 1, offset: 2, vector: new Float32Array(vectorLength / 4) }
      for (const [to, what] of [
        [b, message(1)],
        [c, range]
      ] as const) {
        let count = 0
        while (count < 200 && fabric.send(to, what) === 'queued') count++
        taken.set(to, count)
      }
      for (const to of [b, c]) await sendWhenThereIsRoom(fabric, to, message(999))
    })
    t.deepEqual([...taken.values()], [8, 32])
    t.deepEqual([...got.values()], [8, 32])
  })
}
