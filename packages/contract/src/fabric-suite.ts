import { type PeerName, peerName, StoppedError } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { TestFn } from 'ava'
import { message, next, sendWithRetry } from './exchanging.js'
import { testEpochs } from './fabric-epochs.js'
import { testNotes } from './fabric-notes.js'
import { testReach } from './fabric-reach.js'
import type { FabricWorld } from './fabric-world.js'
import { complete } from './graphs.js'

/** What every fabric promises, as tests of `world`. */
export function testFabric(test: TestFn, world: FabricWorld): void {
  const titled = (title: string) => `${world.name}: ${title}`

  test(titled('messages of one peer arrive once, in the order in which they were sent'), async (t) => {
    const received: number[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') for (let k = 0; k < 20; k++) await sendWithRetry(fabric, 'b', message(k))
      else while (received.length < 20) received.push((await next(fabric)).message.round)
    })
    t.deepEqual(
      received,
      Array.from({ length: 20 }, (_, k) => k)
    )
  })

  test(titled('two quick messages are both received, and the sender is named'), async (t) => {
    const received: string[] = []
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self !== 'c') fabric.send(peerName('c'), message(0))
      else for (let k = 0; k < 2; k++) received.push((await next(fabric)).from)
    })
    t.deepEqual(received.sort(), ['a', 'b'])
  })

  test(titled('the values arrive bit by bit, and links carry copies'), async (t) => {
    const sent = Float32Array.of(0.1, -0, 1e-45, 3.4e38)
    const received = new Map<PeerName, Float32Array>()
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self === 'a') {
        for (const { name } of fabric.neighbours(0).sendTo) fabric.send(name, { kind: 1, round: 0, vector: sent })
      } else {
        const { vector } = (await next(fabric)).message
        received.set(fabric.self, vector.slice())
        vector.fill(7)
      }
    })
    t.deepEqual(sent, Float32Array.of(0.1, -0, 1e-45, 3.4e38))
    t.deepEqual([...received.values()], [sent, sent])
  })

  test(titled('all fields arrive as they were sent, with and without a vector'), async (t) => {
    const numbers = [0.1, -0, 5e-324, 1e308]
    const sent: readonly VectorMessage[] = [
      { kind: 1, round: 2, part: 65_535, epoch: 65_535, field: 15, numbers, vector: Float32Array.of(1, 2, 3, 4) },
      { kind: 255, round: 0, part: 1, field: 1, offset: 2, vector: Float32Array.of(5, 6) },
      message(3),
      { kind: 0, round: 4_000_000_000, epoch: 1, numbers: Array<number>(15).fill(7), vector: new Float32Array(0) }
    ]
    const received: VectorMessage[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      for (const each of sent) {
        if (fabric.self === 'a') await sendWithRetry(fabric, 'b', each)
        else received.push((await next(fabric)).message)
        // While it waits, one of a later epoch would take its place.
        if (fabric.self === 'a') await next(fabric)
        else await sendWithRetry(fabric, 'a', message(0))
      }
    })
    t.deepEqual(received.map(plain), sent.map(plain))
  })

  test(
    titled('released memory is reused for later messages, and messages that are still held do not change'),
    async (t) => {
      const wrong: string[] = []
      await world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === 'a') for (let k = 0; k < 30; k++) await sendWithRetry(fabric, 'b', message(k))
        else {
          const held: VectorMessage[] = []
          for (let k = 0; k < 30; k++) {
            const { message: received } = await next(fabric)
            for (const kept of [received, ...held])
              if (kept.vector[3] !== kept.round) wrong.push(`${kept.round} in ${k}`)
            if (k % 3 === 0) held.push(received)
            else fabric.recycle(received)
          }
        }
      })
      t.deepEqual(wrong, [])
    }
  )

  test(titled('receiving ends at the deadline and loses nothing'), async (t) => {
    const received: (number | undefined)[] = []
    let early = false
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') {
        await next(fabric)
        fabric.send(peerName('b'), message(1))
        return
      }
      const deadline = fabric.now() + 30
      received.push((await fabric.receive(deadline))?.message.round)
      early = fabric.now() < deadline
      fabric.send(peerName('a'), message(0))
      received.push((await next(fabric)).message.round)
    })
    t.deepEqual(received, [undefined, 1])
    t.false(early, 'receiving ended before the deadline')
  })

  testEpochs(test, world)
  testReach(test, world)
  testNotes(test, world)

  test(titled('the clock never goes back, and sleeping lasts until the time that was asked for'), async (t) => {
    const ends: boolean[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      const start = fabric.now()
      await fabric.sleep(start + 20)
      ends.push(fabric.now() >= start + 20)
      await fabric.sleep(start)
      ends.push(fabric.now() >= start + 20)
    })
    t.deepEqual(ends, [true, true, true, true])
  })

  test(titled('the rows of W that a peer sees are those of the topology'), async (t) => {
    const topology = complete('a', 'b', 'c')
    await world.run(topology, async (fabric) => {
      t.deepEqual(fabric.neighbours(3), topology.mixing(fabric.self, 3))
    })
  })

  test(titled('each peer has its own random numbers, and they are the same in every run'), async (t) => {
    const draws: string[][] = []
    for (let run = 0; run < 2; run++) {
      const drawn: string[] = []
      await world.run(complete('a', 'b'), async (fabric) => {
        drawn.push(`${fabric.self} ${fabric.random.stream('test').uniform()}`)
      })
      draws.push(drawn.sort())
    }
    t.deepEqual(draws[0], draws[1])
    t.not(draws[0][0].split(' ')[1], draws[0][1].split(' ')[1])
  })

  test(titled('computing starts at once, and its result or its error appears where it is awaited'), async (t) => {
    const seen: string[] = []
    await world.run(complete('a'), async (fabric) => {
      const succeeding = fabric.work({ kind: 'good', samples: 1, run: async () => 42 })
      const failing = fabric.work({ kind: 'bad', samples: 1, run: () => Promise.reject(new Error('as told')) })
      await fabric.sleep(fabric.now() + 10)
      seen.push(`${await succeeding}`)
      try {
        await failing
      } catch (error) {
        seen.push(String(error))
      }
    })
    t.deepEqual(seen, ['42', 'Error: as told'])
  })

  test(titled('a peer can have a second activity, and the run waits for it'), async (t) => {
    const seen: string[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') {
        fabric.spawn(async (own) => {
          await own.sleep(own.now() + 20)
          own.send(peerName('b'), message(5))
        })
        seen.push('a continues')
      } else seen.push(`b got ${(await next(fabric)).message.round}`)
    })
    t.deepEqual(seen, ['a continues', 'b got 5'])
  })

  test(titled('waking ends the wait for the named object, or the oldest wait where none is named'), async (t) => {
    const names = ['first', 'second', 'third']
    const woken: string[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'b') return
      const waits = names.map((name) => ({ name }))
      for (const wait of waits)
        fabric.spawn(async (own) => {
          await own.receive(own.now() + 10_000, undefined, wait)
          woken.push(wait.name)
        })
      const pause = () => fabric.sleep(fabric.now() + 10)
      await pause()
      for (const named of [waits[1], { name: 'nobody' }, undefined, waits[2]]) {
        fabric.wake(named)
        await pause()
      }
    })
    t.deepEqual(woken, ['second', 'first', 'third'])
  })

  test(titled('a peer that is asked to stop stops waiting'), async (t) => {
    const seen: unknown[] = []
    await world.runAndStop(complete('a', 'b'), peerName('b'), async (fabric, ready) => {
      if (fabric.self === 'a') return
      ready()
      for (const wait of [() => fabric.receive(), () => fabric.sleep(fabric.now() + 1e6), () => fabric.receive()]) {
        try {
          seen.push(await wait())
        } catch (error) {
          seen.push(error)
        }
      }
    })
    t.is(seen.length, 3)
    t.true(
      seen.every((thrown) => thrown instanceof StoppedError),
      String(seen)
    )
  })

  test(titled('a peer that stops its fabric stops all its waits, with its first reason'), async (t) => {
    const reason: Error = new Error('enough')
    const seen: unknown[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') return
      fabric.spawn(async (spawned) => {
        await spawned.sleep(spawned.now() + 1)
        spawned.stop(reason)
        spawned.stop(new Error('again'))
      })
      for (const wait of [() => fabric.receive(), () => fabric.sleep(fabric.now() + 1e6), () => fabric.receive()]) {
        try {
          seen.push(await wait())
        } catch (error) {
          seen.push(error)
        }
      }
      seen.push(fabric.isStopping, fabric.signal.reason)
    })
    t.deepEqual(seen, [reason, reason, reason, true, reason])
  })

  test(titled('the first error of a program is the error of the run'), async (t) => {
    await t.throwsAsync(
      world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === 'b') throw new Error('b fails')
        await fabric.receive()
      }),
      { message: 'b fails' }
    )
  })
}

/** With the defaults of optional fields filled in. */
function plain({ kind, round, part = 0, epoch = 0, field = 0, numbers = [], offset = 0, vector }: VectorMessage) {
  return { kind, round, part, epoch, field, numbers, offset, vector: vector.slice() }
}
