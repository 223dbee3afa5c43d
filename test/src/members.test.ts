/** Simulated swarms whose peers come late, die, freeze, come back and are cut off from each other. */
import type { PeerName } from '@murmuration/core'
import type { FaultEvent } from '@murmuration/simulator'
import { createRandom } from '@murmuration/random'
import { consensusDistance } from '@murmuration/vectors'
import test, { type ExecutionContext } from 'ava'
import { recordOf } from './own-pace.js'
import { distanceAfter, namesOf, runMembers, type SwarmEnd } from './member-swarm.js'

const [p1, p2, p3, p4, p5, p6] = namesOf(6)

/** All have finished with the same model. */
function agree(t: ExecutionContext, { models, lost }: SwarmEnd, peers: readonly PeerName[]): void {
  t.deepEqual([...lost.values()], [])
  t.deepEqual([...models.keys()].sort(), [...peers].sort())
  const apart = consensusDistance([...models.values()])
  t.true(apart < 1e-3, `${apart} apart`)
}

const textsOf = ({ changes }: SwarmEnd, by: PeerName) =>
  changes.flatMap(({ by: who, change }) =>
    who !== by
      ? []
      : change.kind === 'state'
        ? [change.state]
        : 'peer' in change
          ? [`${change.kind} ${change.peer}`]
          : []
  )

const deaths = ({ changes }: SwarmEnd) =>
  new Set(changes.flatMap(({ change }) => (change.kind === 'died' ? [change.peer] : [])))

test.serial(
  'a peer that dies is known to all others, and one that is started again takes a model and ends with theirs',
  async (t) => {
    const events: FaultEvent[] = [
      { at: 4000, kind: 'crash', peer: p2 },
      { at: 9000, kind: 'restart', peer: p2 }
    ]
    const end = await runMembers({ peers: 6, rounds: 300, faults: { rules: [], events } })
    agree(t, end, namesOf(6))
    t.deepEqual([...deaths(end)], [p2])
    for (const peer of [p1, p3, p4, p5, p6]) {
      const texts = textsOf(end, peer)
      const told = ['died p2', 'degraded', 'returned p2', 'joined p2'].map((text) => texts.lastIndexOf(text))
      t.deepEqual(
        told,
        [...told].sort((left, right) => left - right),
        texts.join()
      )
      t.false(told.includes(-1), texts.join())
    }
    // The others' rounds continue while it is away, and it continues in their round.
    const mine = end.times.get(p2)
    const theirs = end.times.get(p1)
    t.false(mine?.has(120))
    t.true(Math.abs((mine?.get(299) ?? 0) - (theirs?.get(299) ?? 1e9)) < 1000)
  }
)

test.serial(
  'a frozen peer is declared dead, continues when it thaws, and delays others once, for no longer than the detection takes',
  async (t) => {
    const events: FaultEvent[] = [
      { at: 5000, kind: 'freeze', peer: p3 },
      { at: 15_000, kind: 'thaw', peer: p3 }
    ]
    const end = await runMembers({ peers: 8, rounds: 400, gradient: 50, faults: { rules: [], events } })
    agree(t, end, namesOf(8))
    t.deepEqual([...deaths(end)], [p3])
    for (const [peer, rounds] of end.times) {
      const times = [...rounds.values()].sort((left, right) => left - right)
      const long = times.map((time, place) => time - (times[place - 1] ?? 0)).filter((time) => time > 500)
      t.is(long.length, 1, `${peer}: rounds of ${long.join(', ')} ms`)
      if (peer !== p3) t.true(long[0] < 4000, `${long[0]} ms`)
    }
  }
)

for (const [pace, slowness, lives] of [
  ['slower than the others is taken in again', 1.5, 40],
  ['as fast as the others keeps pace meanwhile, with its own model', 1, 3]
] as const)
  test.serial(`a peer that stalls twice is left out for some time, and one that is ${pace}`, async (t) => {
    const events: FaultEvent[] = [5000, 20_000].flatMap((at): FaultEvent[] => [
      { at, kind: 'freeze', peer: p3 },
      { at: at + 7000, kind: 'thaw', peer: p3 }
    ])
    const random = createRandom(1, 'gradients')
    const end = await runMembers({
      peers: 5,
      rounds: 1000,
      graph: { kind: 'complete' },
      faults: { rules: [], events },
      gradient: (peer) => (peer === p3 ? slowness : 1) * (30 + 40 * random.uniform())
    })
    agree(t, end, namesOf(5))
    for (const peer of namesOf(5)) {
      const texts = textsOf(end, peer)
      const told = ['left-out p3', 'taken-in p3', 'healthy'].map((text) => texts.lastIndexOf(text))
      t.false(told.includes(-1), texts.join())
      t.true(told[0] < told[1] && told[1] < told[2], texts.join())
    }
    const last = Math.max(...end.changes.map(({ change }) => (change.kind === 'joined' ? change.life : 1)))
    t.true(last <= lives, `life ${last}`)
  })

test.serial(
  'of two halves the larger continues and the smaller waits, and all agree when they meet again',
  async (t) => {
    const events: FaultEvent[] = [
      {
        at: 4000,
        kind: 'partition',
        groups: [
          [p1, p2, p3, p4],
          [p5, p6]
        ]
      },
      { at: 14_000, kind: 'heal' }
    ]
    const end = await runMembers({ peers: 6, rounds: 400, faults: { rules: [], events } })
    agree(t, end, namesOf(6))
    for (const peer of [p5, p6]) t.true(textsOf(end, peer).includes('partitioned'))
    for (const peer of [p1, p2, p3, p4]) t.false(textsOf(end, peer).includes('partitioned'))
    const during = (peer: PeerName) =>
      [...(end.times.get(peer)?.values() ?? [])].filter((at) => at > 9000 && at < 14_000)
    t.true(during(p1).length > 50)
    t.deepEqual(during(p5), [])
  }
)

test.serial(
  'in a graph that changes by round, a peer whose only neighbour of a round is dead continues alone in that round',
  async (t) => {
    const graph = { kind: 'random-matching', rounds: 64, seed: 1 } as const
    const events: FaultEvent[] = [{ at: 4000, kind: 'crash', peer: p2 }]
    const end = await runMembers({ peers: 4, graph, rounds: 200, wait: 20_000, faults: { rules: [], events } })
    agree(t, end, [p1, p3, p4])
  }
)

test.serial(
  'where edges go one way a peer that is frozen, and one that dies, hold each other peer up once each, and not again and again',
  async (t) => {
    const graph = { kind: 'epidemic', degree: 3, rounds: 64, seed: 1 } as const
    const events: FaultEvent[] = [
      { at: 3000, kind: 'freeze', peer: p3 },
      { at: 9000, kind: 'thaw', peer: p3 },
      { at: 12_000, kind: 'crash', peer: p2 }
    ]
    const end = await runMembers({ peers: 8, graph, rounds: 250, faults: { rules: [], events } })
    const others = namesOf(8).filter((peer) => peer !== p2 && peer !== p3)
    const slow = others.map((peer) => {
      const times = [...(end.times.get(peer)?.values() ?? [])]
      return times.filter((time, place) => time - (times[place - 1] ?? time) > 1000).length
    })
    t.deepEqual([...end.lost.values()], [])
    t.true(Math.max(...slow) <= 2, `${slow.join()} rounds of more than a second`)
  }
)

for (const name of ['ad-psgd', 'dpsgd', 'sgp'])
  test.serial(`a peer that is left out when training ends takes part in final averaging: ${name}`, async (t) => {
    const algorithm = recordOf(name)
    const events: FaultEvent[] = [5000, 14_000].flatMap((at): FaultEvent[] => [
      { at, kind: 'freeze', peer: p3 },
      { at: at + 6500, kind: 'thaw', peer: p3 }
    ])
    const end = await runMembers({
      algorithm,
      options: algorithm.options.parse({}),
      peers: 5,
      rounds: 280,
      graph: { kind: 'complete' },
      faults: { rules: [], events }
    })
    agree(t, end, namesOf(5))
    t.true(textsOf(end, p1).includes('left-out p3'))
  })

test.serial(
  'peers that answer with SKIP a little late, again and again, as on a busy machine, are not left out',
  async (t) => {
    const random = createRandom(1, 'stalls')
    const events: FaultEvent[] = []
    for (const peer of namesOf(3))
      for (let at = 3000; at < 200_000; at += 30 * random.uniform()) {
        events.push({ at, kind: 'freeze', peer })
        events.push({ at: (at += 150 * random.uniform()), kind: 'thaw', peer })
      }
    events.sort((left, right) => left.at - right.at)
    const algorithm = recordOf('ad-psgd')
    const faults = { rules: [], events }
    const end = await runMembers({ algorithm, options: { period: 1 }, peers: 3, rounds: 2000, gradient: 2, faults })
    agree(t, end, namesOf(3))
    for (const peer of namesOf(3))
      t.deepEqual(
        textsOf(end, peer).filter((text) => text.startsWith('left-out')),
        []
      )
  }
)

test.serial(
  'where each peer has its own pace, one that is so slow that the others end without it ends with their model',
  async (t) => {
    const algorithm = recordOf('ad-psgd')
    const end = await runMembers({
      algorithm,
      options: { period: 1 },
      peers: 4,
      rounds: 300,
      gradient: (peer) => (peer === p3 ? 250 : 50)
    })
    agree(t, end, namesOf(4))
    t.true((end.rounds.get(p3)?.size ?? 0) < 200)
  }
)

for (const [when, healed, why] of [
  ['before the others end', 19_000, undefined],
  [
    'after the others have ended',
    26_000,
    /^p[56]: p1, p2, p3, p4 finished the run in round 460 without p5, p6, and are gone$/
  ],
  ['never', 1e6, /^p[56] has waited 60 s to continue; missing: p1, p2, p3, p4$/]
] as const)
  test.serial(
    `a minority that was cut off does not train a second model to the end: it meets the others ${when}`,
    async (t) => {
      const majority = [p1, p2, p3, p4]
      const minority = [p5, p6]
      const events: FaultEvent[] = [
        { at: 8000, kind: 'partition', groups: [majority, minority] },
        { at: healed, kind: 'heal' }
      ]
      const end = await runMembers({ peers: 6, rounds: 400, wait: 60_000, faults: { rules: [], events } })
      if (why === undefined) return agree(t, end, namesOf(6))
      t.deepEqual([...end.models.keys()].sort(), majority)
      for (const peer of minority) t.regex(end.lost.get(peer) ?? '', why)
      // None of their rounds is later than the division.
      for (const peer of minority) t.true(Math.max(...(end.times.get(peer)?.values() ?? [])) < 8000 + 6000)
    }
  )

test.serial('a quorum begins, and a peer that is late joins with the model of the run', async (t) => {
  const events: FaultEvent[] = [{ at: 6000, kind: 'join', peer: p4 }]
  const end = await runMembers({ peers: 4, rounds: 300, membership: { quorum: 3 }, faults: { rules: [], events } })
  agree(t, end, namesOf(4))
  t.false(end.rounds.get(p4)?.has(50))
  t.true((end.rounds.get(p4)?.size ?? 0) > 100)
})

test.serial('a peer that waits for a run that does not begin names the missing peers, and ends', async (t) => {
  const events: FaultEvent[] = [{ at: 1e6, kind: 'join', peer: p4 }]
  const end = await runMembers({ peers: 4, rounds: 10, wait: 20_000, faults: { rules: [], events } })
  t.deepEqual([...end.lost.keys()].slice(0, 3).sort(), [p1, p2, p3])
  t.regex(end.lost.get(p1) ?? '', /^p1 has waited 20 s for the run to begin; missing: p4$/)
})

test.serial('every peer knows about how far all are apart', async (t) => {
  const end = await runMembers({ peers: 6, rounds: 100, finalRounds: 0 })
  t.true(end.estimates.length > 300)
  for (const { round, distance, peers } of end.estimates) {
    t.true(peers > 3)
    const relative = distance / distanceAfter(end, round)
    // The four numbers go to four different sums, so that nothing is lost but the peers that have not told yet.
    t.true(relative > 0.6 && relative < 1.4, `${relative} of the true one after round ${round}`)
  }
})

test.serial('at the end every peer knows how far the final models of the others are from its own', async (t) => {
  const end = await runMembers({ peers: 4, rounds: 100, finalRounds: 1 })
  t.is(end.agreements.size, 4)
  for (const [peer, { distances, unknown, unfinished }] of end.agreements) {
    t.deepEqual([unknown, unfinished], [[], []])
    t.deepEqual(
      distances.map(({ from }) => from).join(),
      namesOf(4)
        .filter((other) => other !== peer)
        .join()
    )
    for (const { from, distance } of distances) {
      const [mine, theirs] = [end.models.get(peer), end.models.get(from)] as [Float32Array, Float32Array]
      const found = 2 * consensusDistance([mine, theirs])
      t.true(found > 0 && Math.abs(distance - found) < 0.01 * found, `${distance} for ${found}`)
    }
  }
  const agreed = await runMembers({ peers: 4, rounds: 100, finalRounds: 300 })
  for (const { distances } of agreed.agreements.values()) for (const { distance } of distances) t.true(distance < 1e-5)
})

test.serial(
  'peers in step are not ahead of one another, however many rounds there are between two beats',
  async (t) => {
    const end = await runMembers({ peers: 4, rounds: 500, finalRounds: 0, gradient: 10 })
    const times = [...(end.times.get(p1)?.values() ?? [])]
    const longest = Math.max(...times.map((time, place) => time - (times[place - 1] ?? time)))
    t.true(longest < 100, `a round took ${longest} ms`)
  }
)

for (const [slow, name] of [
  [100, 'half as many'],
  [25, 'twice as many']
] as const) {
  test.serial(
    `two halves that trained apart agree on the mean by the samples that each has seen: ${name} on the side that returns`,
    async (t) => {
      const left = [p1, p2, p3]
      const right = [p4, p5, p6]
      const events: FaultEvent[] = [
        { at: 2000, kind: 'partition', groups: [left, right] },
        { at: 20_000, kind: 'heal' }
      ]
      const end = await runMembers({
        peers: 6,
        graph: { kind: 'complete' },
        rounds: 1000,
        finalRounds: 0,
        // Each side agrees on its own model long before they meet.
        calmRounds: 850,
        gradient: (peer) => (right.includes(peer) ? slow : 50),
        membership: { partitioned: 'continue', isolated: 'continue' },
        faults: { rules: [], events }
      })
      agree(t, end, namesOf(6))
      const met = end.changes.flatMap(({ by, change }) => (change.kind === 'reunited' ? [{ by, ...change }] : []))
      t.deepEqual(met.map(({ by }) => by).sort(), right)
      const modelAt = (peer: PeerName, time: number) => {
        const times = [...(end.times.get(peer) ?? [])].filter(([, at]) => at < time)
        return end.rounds.get(peer)?.get(Math.max(...times.map(([round]) => round))) as Float32Array
      }
      const a = modelAt(p1, 20_000)
      const b = modelAt(p4, 20_000)
      t.true(consensusDistance([a, b]) > 0.1)
      for (const { mass } of met) t.true(Math.abs(mass - 50 / slow) < 0.15 * (50 / slow), `a mass of ${mass}`)
      const theirs = met.reduce((sum, { mass }) => sum + mass, 0)
      const expected = a.map((value, d) => (3 * value + theirs * b[d]) / (3 + theirs))
      const final = end.models.get(p1) as Float32Array
      t.true(consensusDistance([final, expected]) < 0.03 * consensusDistance([a, b]), `${final} for ${expected}`)
    }
  )
}
