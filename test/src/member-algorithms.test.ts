/**
 * Simulated swarms whose peers come and go, with each algorithm that works with changing members: which peers agree,
 * and what is kept.
 */
import { type Algorithm, algorithms, type Channel, dpsgd, type Message, type State } from '@murmuration/algorithms'
import type { FaultEvent } from '@murmuration/simulator'
import { consensusDistance } from '@murmuration/vectors'
import test from 'ava'
import { namesOf, runMembers, type SwarmEnd } from './member-swarm.js'

const named = (name: string) => algorithms.find((algorithm) => algorithm.name === name) as Algorithm
const [adPsgd, divShare, sgp] = ['ad-psgd', 'divshare', 'sgp'].map(named)
const [p1, p2, p3, p4] = namesOf(4)

const sumOver = (
  { books }: SwarmEnd,
  of: (peer: { x: readonly number[]; moved: readonly number[] }) => readonly number[]
) => [...books.values()].map(of).reduce((sum, values) => sum.map((each, d) => each + values[d]))

/** How far the sum over the peers is from the sum of what their optimisers have added. */
function offBy(end: SwarmEnd): number {
  const have = sumOver(end, ({ x }) => x)
  const added = sumOver(end, ({ moved }) => moved)
  return Math.max(...have.map((value, d) => Math.abs(value - added[d])))
}

/** Numbers up to 4 are rounded to float32 at most three times in a round of a peer. */
const bound = (peers: number, rounds: number) => 3 * peers * rounds * 2 ** -23

test.serial(
  'AD-PSGD: a frozen peer costs each peer that asks it one wait; it continues from where it was, and the sum stays',
  async (t) => {
    const events: FaultEvent[] = [
      { at: 4000, kind: 'freeze', peer: p3 },
      { at: 14_000, kind: 'thaw', peer: p3 }
    ]
    const end = await runMembers({
      algorithm: adPsgd,
      peers: 6,
      rounds: 300,
      finalRounds: 0,
      faults: { rules: [], events }
    })
    t.deepEqual([...end.lost.values()], [])
    t.deepEqual(
      [...end.books.values()].map(({ life }) => life),
      new Array(6).fill(1)
    )
    t.true(offBy(end) < bound(6, 300), `${offBy(end)}`)
    const times = [...(end.times.get(p1)?.values() ?? [])]
    const longest = Math.max(...times.map((time, place) => time - (times[place - 1] ?? time)))
    t.true(longest < 5100, `a round took ${longest} ms`)
    // Others have finished long before the frozen peer has, and answer it until then.
    t.true((end.times.get(p3)?.get(299) ?? 0) - (end.times.get(p1)?.get(299) ?? 1e9) > 4000)
  }
)

for (const algorithm of [adPsgd, divShare])
  test.serial(
    `${algorithm.title}: a peer that is started again takes a model, continues in the round of the others, and ends with their model`,
    async (t) => {
      const events: FaultEvent[] = [
        { at: 4000, kind: 'crash', peer: p2 },
        { at: 9000, kind: 'restart', peer: p2 }
      ]
      const end = await runMembers({ algorithm, peers: 6, rounds: 300, faults: { rules: [], events } })
      t.deepEqual([...end.lost.values()], [])
      t.is(end.models.size, 6)
      t.true(consensusDistance([...end.models.values()]) < 1e-3)
      t.false(end.rounds.get(p2)?.has(110))
      t.is(end.books.get(p2)?.life, 2)
    }
  )

for (const algorithm of [dpsgd, adPsgd, divShare])
  test.serial(`${algorithm.title}: no peer waits at the end for what a dead peer has not sent`, async (t) => {
    const events: FaultEvent[] = [{ at: 2350, kind: 'crash', peer: p4 }]
    const end = await runMembers({ algorithm, peers: 4, rounds: 60, timeout: 30_000, faults: { rules: [], events } })
    t.deepEqual([...end.models.keys()].sort(), [p1, p2, p3])
    const last = [p1, p2, p3].map((peer) => {
      const times = [...(end.times.get(peer)?.values() ?? [])]
      return times[times.length - 1] - times[times.length - 2]
    })
    t.true(Math.max(...last) < 100, `the last rounds took ${last.join(', ')} ms`)
  })

for (const algorithm of [adPsgd, divShare])
  test.serial(`${algorithm.title}: a peer that is far behind the others keeps its own pace and state`, async (t) => {
    const gradient = (peer: string) => (peer === p2 ? 200 : 10)
    const end = await runMembers({ algorithm, peers: 4, rounds: 200, timeout: 30_000, gradient })
    t.deepEqual([...end.lost.values()], [])
    t.deepEqual(
      [...end.books.values()].map(({ life }) => life),
      [1, 1, 1, 1]
    )
    t.is(end.times.get(p2)?.size, end.times.get(p1)?.size)
    // Nor is a neighbour blamed for waiting for it.
    t.false(end.changes.some(({ change }) => change.kind === 'left-out'))
    t.true(consensusDistance([...end.models.values()]) < 1e-3)
  })

const weightOf = ({ books }: SwarmEnd) => [...books.values()].reduce((sum, { w }) => sum + w, 0)

test.serial('SGP: a peer that leaves hands its mass to a neighbour', async (t) => {
  const graph = { kind: 'one-peer-exponential' } as const
  const leaves = { peer: p2, round: 60 }
  const end = await runMembers({ algorithm: sgp, graph, leaves, peers: 5, rounds: 150, finalRounds: 0 })
  t.deepEqual([...end.lost.values()], [])
  t.is(end.models.size, 4)
  t.true(Math.abs(weightOf(end) - 5) < 1e-9, `${weightOf(end)}`)
  t.true(offBy(end) < bound(5, 150), `${offBy(end)}`)
})

test.serial(
  'SGP: of a peer that dies its mass is lost, one that is started again brings a weight of 1, and no peer’s mass drains away',
  async (t) => {
    const lives = [4000, 8000, 12_000].flatMap((at): FaultEvent[] => [
      { at, kind: 'crash', peer: p2 },
      { at: at + 2000, kind: 'restart', peer: p2 }
    ])
    const end = await runMembers({
      algorithm: sgp,
      peers: 6,
      rounds: 400,
      finalRounds: 0,
      faults: { rules: [], events: lives }
    })
    t.deepEqual([...end.lost.values()], [])
    const weights = [...end.books.values()].map(({ w }) => w)
    t.is(weights.length, 6)
    // A peer that dies has its weight, and two thirds of a weight are in flight to it. If halves of the others' masses
    // were lost, 2.3 would remain.
    t.true(weightOf(end) > 4 && weightOf(end) < 5.5, `${weightOf(end)}`)
    t.true(Math.min(...weights) > 0.5 * Math.max(...weights), weights.join())
    t.true(consensusDistance([...end.models.values()]) < 0.5)
  }
)

test.serial(
  'AD-PSGD: two peers that ask each other at the same moment meet in the middle, and do not exchange their states',
  async (t) => {
    const end = await runMembers({ algorithm: adPsgd, peers: 2, rounds: 100, finalRounds: 0 })
    t.deepEqual([...end.lost.values()], [])
    const apart = consensusDistance([...end.models.values()])
    t.true(apart < 0.5, `${apart} apart`)
    t.true(offBy(end) < bound(2, 100), `${offBy(end)}`)
  }
)

for (const name of ['gasloc', 'overlap-merge'])
  test.serial(
    `${named(name).title}: a peer that is slow between two exchanges keeps its own state, and is waited for at the exchange`,
    async (t) => {
      const used = new Set<string>()
      const end = await runMembers({
        algorithm: noting(named(name), used),
        options: { period: 100 },
        peers: 3,
        graph: { kind: 'complete' },
        rounds: 300,
        finalRounds: 70,
        timeout: 30_000,
        gradient: (peer) => (peer === p2 ? 50 : 10)
      })
      t.deepEqual([...end.lost.values()], [])
      t.deepEqual(
        [...end.books.values()].map(({ life }) => life),
        [1, 1, 1]
      )
      t.deepEqual([...used].sort(), ['p1: p2,p3', 'p2: p1,p3', 'p3: p1,p2'])
      t.true(consensusDistance([...end.models.values()]) < 1e-5)
    }
  )

test.serial(
  'GASLoC: a peer whose gradient hangs delays others for about 5 s at a time, as in D-PSGD, and not for the whole timeout',
  async (t) => {
    let gradients = 0
    const end = await runMembers({
      algorithm: named('gasloc'),
      options: { period: 9 },
      peers: 6,
      rounds: 500,
      finalRounds: 0,
      timeout: 30_000,
      gradient: (peer) => (peer === p2 && ++gradients === 200 ? 100_000 : 50)
    })
    for (const [peer, rounds] of end.times) {
      const longest = Math.max(...[...rounds.values()].map((at, k, all) => at - (all[k - 1] ?? at)))
      if (peer !== p2) t.true(longest > 4500 && longest < 7500, `${peer}: a round of ${longest} ms`)
    }
  }
)

for (const [period, gradient] of [
  [1, 4500],
  [9, 500]
])
  test.serial(
    `GASLoC: a peer that takes four times as long until the next exchange is waited for, with a period of ${period}`,
    async (t) => {
      const used = new Set<string>()
      const slowFrom = 10 * period
      let gradients = 0
      await runMembers({
        algorithm: noting(named('gasloc'), used),
        options: { period },
        peers: 3,
        rounds: 16 * period,
        timeout: 30_000,
        gradient: (peer) => {
          const isSlow = peer === p2 && gradients >= slowFrom && gradients < slowFrom + period
          if (peer === p2) gradients++
          return isSlow ? 4 * gradient : gradient
        }
      })
      t.deepEqual([...used].sort(), ['p1: p2,p3', 'p2: p1,p3', 'p3: p1,p2'])
    }
  )

/** The algorithm; notes whose messages each peer collects at an exchange. */
function noting(algorithm: Algorithm, used: Set<string>): Algorithm {
  const [name] = Object.keys(algorithm.channels)
  const round: Algorithm['round'] = (node, state, k) => {
    const channel = (node as unknown as Readonly<Record<string, Channel<Message>>>)[name]
    const collect: typeof channel.collect = async (...given) => {
      const proto = Object.getPrototypeOf(channel) as typeof channel
      const theirs = await proto.collect.apply(channel, given)
      used.add(`${node.self}: ${Object.keys(theirs).join()}`)
      return theirs
    }
    Object.assign(channel, { collect })
    return algorithm.round?.(node, state, k) as Promise<State>
  }
  return { ...algorithm, round }
}
