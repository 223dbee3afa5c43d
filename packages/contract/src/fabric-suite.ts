import {
  byName,
  type Envelope,
  type Fabric,
  type Mixing,
  type PeerName,
  peerName,
  StoppedError,
  type Topology
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { TestFn } from 'ava'
import { timeLimit } from './time-limit.js'

/** A world that fabrics come from: it runs a program on every peer of a topology, until all have ended. */
export interface FabricWorld {
  readonly name: string
  /** Whether the same run gives the same bits also where they depend on who is fast. */
  readonly isDeterministic: boolean
  /** Rejects with the first error of a program. Vectors have {@link vectorLength} elements. The servers run the same program. */
  run(
    topology: Topology,
    program: (fabric: Fabric<VectorMessage>) => Promise<void>,
    servers?: readonly PeerName[]
  ): Promise<void>
  /** As `run`, but the peer `stopped` is told to stop once its program has called `ready`. */
  runAndStop(
    topology: Topology,
    stopped: PeerName,
    program: (fabric: Fabric<VectorMessage>, ready: () => void) => Promise<void>
  ): Promise<void>
}

/** How long the vectors are that the suite sends. */
export const vectorLength = 4

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

  test(that('each peer has its own dice, and they are the same in every run'), async (t) => {
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

/** The complete graph with even weights. */
export function complete(...names: readonly string[]): Topology {
  return even(names, () => true)
}

/** Each with the one before and the one after. */
function ring(...names: readonly string[]): Topology {
  const last = names.length - 1
  return even(names, (distance) => distance === 1 || distance === last)
}

/** Peers that have those at certain distances as neighbours, with even weights. */
function even(names: readonly string[], isLinked: (distance: number) => boolean): Topology {
  const peers = names.map(peerName).sort(byName)
  const mixing = (peer: PeerName): Mixing => {
    const place = peers.indexOf(peer)
    if (place < 0) throw new RangeError(`there is no peer ${peer}`)
    const names = peers.filter((_, other) => other !== place && isLinked(Math.abs(other - place)))
    const weight = 1 / (names.length + 1)
    const others = names.map((name) => ({ name, weight }))
    return { selfWeight: weight, receiveFrom: others, sendTo: others }
  }
  return { peers, period: 1, mixing }
}

/** With what may be absent in full. */
function plain({ kind, round, part = 0, field = 0, numbers = [], offset = 0, vector }: VectorMessage) {
  return { kind, round, part, field, numbers, offset, vector: vector.slice() }
}

function message(round: number): VectorMessage {
  return { kind: 1, round, vector: new Float32Array(vectorLength).fill(round) }
}

async function next(fabric: Fabric<VectorMessage>): Promise<Envelope<VectorMessage>> {
  const limit = timeLimit(20_000)
  const envelope = await fabric.receive(fabric.now() + limit)
  if (envelope === undefined) throw new Error(`${fabric.self} got no message within ${limit / 1000} s`)
  return envelope
}

async function sendWhenThereIsRoom(fabric: Fabric<VectorMessage>, to: string, what: VectorMessage): Promise<void> {
  const limit = timeLimit(10_000)
  const deadline = fabric.now() + limit
  while (fabric.now() < deadline) {
    if (fabric.send(peerName(to), what) === 'queued') return
    await fabric.sleep(fabric.now() + 5)
  }
  throw new Error(`there was no room for a message to ${to} within ${limit / 1000} s`)
}
