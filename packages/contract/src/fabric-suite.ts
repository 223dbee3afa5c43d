import { type PeerName, peerName, StoppedError } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { TestFn } from 'ava'
import { message, next, sendWhenThereIsRoom } from './exchanging.js'
import { testNotes } from './fabric-notes.js'
import { testReach } from './fabric-reach.js'
import type { FabricWorld } from './fabric-world.js'
import { complete } from './graphs.js'

/** What every fabric promises, as tests of `world`. */
export function testFabric(test: TestFn, world: FabricWorld): void {
  const that = (title: string) => `${world.name}: ${title}`

  test(that('messages of one peer arrive once, in the order in which they were sent'), async (t) => {
    const got: number[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') for (let k = 0; k < 20; k++) await sendWhenThereIsRoom(fabric, 'b', message(k))
      else while (got.length < 20) got.push((await next(fabric)).message.round)
    })
    t.deepEqual(
      got,
      Array.from({ length: 20 }, (_, k) => k)
    )
  })

  test(that('two quick messages are both received, and the sender is named'), async (t) => {
    const got: string[] = []
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self !== 'c') fabric.send(peerName('c'), message(0))
      else for (let k = 0; k < 2; k++) got.push((await next(fabric)).from)
    })
    t.deepEqual(got.sort(), ['a', 'b'])
  })

  test(that('the values arrive bit by bit, and links carry copies'), async (t) => {
    const sent = Float32Array.of(0.1, -0, 1e-45, 3.4e38)
    const got = new Map<PeerName, Float32Array>()
    await world.run(complete('a', 'b', 'c'), async (fabric) => {
      if (fabric.self === 'a') {
        for (const { name } of fabric.neighbours(0).sendTo) fabric.send(name, { kind: 1, round: 0, vector: sent })
      } else {
        const { vector } = (await next(fabric)).message
        got.set(fabric.self, vector.slice())
        vector.fill(7)
      }
    })
    t.deepEqual(sent, Float32Array.of(0.1, -0, 1e-45, 3.4e38))
    t.deepEqual([...got.values()], [sent, sent])
  })

  test(that('numbers, part, field and offset arrive as they were sent, with and without a vector'), async (t) => {
    const numbers = [0.1, -0, 5e-324, 1e308]
    const sent: readonly VectorMessage[] = [
      { kind: 1, round: 2, part: 65_535, field: 15, numbers, vector: Float32Array.of(1, 2, 3, 4) },
      { kind: 255, round: 0, part: 1, field: 1, offset: 2, vector: Float32Array.of(5, 6) },
      { kind: 0, round: 4_000_000_000, numbers: Array<number>(15).fill(7), vector: new Float32Array(0) },
      message(3)
    ]
    const got: VectorMessage[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') for (const each of sent) await sendWhenThereIsRoom(fabric, 'b', each)
      else while (got.length < sent.length) got.push((await next(fabric)).message)
    })
    t.deepEqual(got.map(plain), sent.map(plain))
  })

  test(that('memory that is given back is received into again without harm to what is still held'), async (t) => {
    const wrong: string[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') for (let k = 0; k < 30; k++) await sendWhenThereIsRoom(fabric, 'b', message(k))
      else {
        const held: VectorMessage[] = []
        for (let k = 0; k < 30; k++) {
          const { message: got } = await next(fabric)
          for (const kept of [got, ...held]) if (kept.vector[3] !== kept.round) wrong.push(`${kept.round} in ${k}`)
          if (k % 3 === 0) held.push(got)
          else fabric.recycle(got)
        }
      }
    })
    t.deepEqual(wrong, [])
  })

  test(that('receiving ends at the deadline and loses nothing'), async (t) => {
    const got: (number | undefined)[] = []
    let early = false
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') {
        await next(fabric)
        fabric.send(peerName('b'), message(1))
        return
      }
      const deadline = fabric.now() + 30
      got.push((await fabric.receive(deadline))?.message.round)
      early = fabric.now() < deadline
      fabric.send(peerName('a'), message(0))
      got.push((await next(fabric)).message.round)
    })
    t.deepEqual(got, [undefined, 1])
    t.false(early, 'the deadline came before its time')
  })

  testReach(test, world)
  testNotes(test, world)

  test(that('the clock never goes back and sleeping lasts as long as it was asked to'), async (t) => {
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

  test(that('the rows of W that a peer is shown are those of the topology'), async (t) => {
    const topology = complete('a', 'b', 'c')
    await world.run(topology, async (fabric) => {
      t.deepEqual(fabric.neighbours(3), topology.mixing(fabric.self, 3))
    })
  })

  test(that('each peer has its own random numbers, and they are the same in every run'), async (t) => {
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

  test(that('computing starts at once, and its result or its error comes where it is awaited'), async (t) => {
    const seen: string[] = []
    await world.run(complete('a'), async (fabric) => {
      const good = fabric.work({ kind: 'good', samples: 1, run: async () => 42 })
      const bad = fabric.work({ kind: 'bad', samples: 1, run: () => Promise.reject(new Error('as told')) })
      await fabric.sleep(fabric.now() + 10)
      seen.push(`${await good}`)
      try {
        await bad
      } catch (error) {
        seen.push(String(error))
      }
    })
    t.deepEqual(seen, ['42', 'Error: as told'])
  })

  test(that('a peer can have a second activity, and the run waits for it'), async (t) => {
    const seen: string[] = []
    await world.run(complete('a', 'b'), async (fabric) => {
      if (fabric.self === 'a') {
        fabric.spawn(async (own) => {
          await own.sleep(own.now() + 20)
          own.send(peerName('b'), message(5))
        })
        seen.push('a goes on')
      } else seen.push(`b got ${(await next(fabric)).message.round}`)
    })
    t.deepEqual(seen, ['a goes on', 'b got 5'])
  })

  test(that('a wait is ended by what it is for, and the oldest where nothing is named'), async (t) => {
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

  test(that('a peer that is told to stop stops waiting'), async (t) => {
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

  test(that('the first error of a program is the error of the run'), async (t) => {
    await t.throwsAsync(
      world.run(complete('a', 'b'), async (fabric) => {
        if (fabric.self === 'b') throw new Error('b has had enough')
        await fabric.receive()
      }),
      { message: 'b has had enough' }
    )
  })
}

/** With the defaults of optional fields filled in. */
function plain({ kind, round, part = 0, field = 0, numbers = [], offset = 0, vector }: VectorMessage) {
  return { kind, round, part, field, numbers, offset, vector: vector.slice() }
}
