/** Simulated peers that enter a run before they have links to all their neighbours. */
import { ElasticSession, Members } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import { type Fabric, fabricWith, type Milliseconds } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { vectorWire, type VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { namesOf, runMembers } from './member-swarm.js'
import { recordOf } from './own-pace.js'

const [p1, p2, p3, p4] = namesOf(4)
const entersAt: Milliseconds = 6000

/** p4 comes to a complete graph, and has no link with p1 before `linkedAt`. */
function entering(linkedAt: Milliseconds, comesAt = entersAt) {
  const between = [
    { from: p1, to: p4 },
    { from: p4, to: p1 }
  ]
  const events: FaultEvent[] = [
    ...between.map((pair): FaultEvent => ({ at: 0, kind: 'clog', ...pair })),
    { at: comesAt, kind: 'join', peer: p4 },
    ...between.map((pair): FaultEvent => ({ at: linkedAt, kind: 'unclog', ...pair }))
  ]
  return runMembers({
    peers: 4,
    graph: { kind: 'complete' },
    rounds: 800,
    membership: { quorum: 3 },
    faults: { rules: [], events },
    ownLinks: (fabric) => ({
      get missing() {
        return fabric.self === p4 && fabric.now() < linkedAt ? [p1] : []
      },
      hurry: () => {}
    })
  })
}

test('a peer that enters a run whose rounds take 50 ms ends its first one within 0.3 s', async (t) => {
  // Between two ticks.
  const comesAt = entersAt + 130
  const { times } = await entering(0, comesAt)
  const first = Math.min(...(times.get(p4)?.values() ?? []))
  t.true(first < comesAt + 300, `after ${first - comesAt} ms`)
})

for (const [name, linkedAt, entered] of [
  ['is awaited by it before it counts', entersAt + 8000, entersAt + 8000],
  ['and longer than it may be awaited is bypassed until it is there', entersAt + 20_000, entersAt + 10_000]
] as const)
  test(`a link of a peer that enters which takes long to open ${name}: nobody is left out, and nobody waits`, async (t) => {
    const { changes, times, models } = await entering(linkedAt)
    t.deepEqual(
      changes.filter(({ change }) => change.kind === 'left-out' || change.kind === 'died'),
      []
    )
    const first = Math.min(...(times.get(p4)?.values() ?? []))
    t.true(first > entered && first < entered + 1000, `its first round ended at ${first} ms`)
    for (const peer of [p1, p2, p3]) {
      const ends = [...(times.get(peer)?.values() ?? [])].filter((at) => at > entersAt - 1000 && at < linkedAt + 2000)
      const longest = Math.max(...ends.slice(1).map((end, index) => end - ends[index]))
      t.true(longest < 1000, `${peer} has waited ${longest} ms`)
    }
    t.is(models.size, 4)
  })

test('peers that begin together wait for a link between two of them that takes long to open: nobody is left out', async (t) => {
  const linkedAt: Milliseconds = 6000
  const between = [
    { from: p1, to: p4 },
    { from: p4, to: p1 }
  ]
  const events = between.flatMap((pair): FaultEvent[] => [
    { at: 0, kind: 'clog', ...pair },
    { at: linkedAt, kind: 'unclog', ...pair }
  ])
  const { changes, times, models } = await runMembers({
    peers: 4,
    graph: { kind: 'complete' },
    rounds: 100,
    faults: { rules: [], events },
    ownLinks: (fabric) => ({
      get missing() {
        const other = fabric.self === p1 ? [p4] : fabric.self === p4 ? [p1] : []
        return fabric.now() < linkedAt ? other : []
      },
      hurry: () => {}
    })
  })
  const bad = ['left-out', 'died']
  t.deepEqual(
    changes.filter(({ change }) => bad.includes(change.kind)),
    []
  )
  for (const peer of [p1, p4]) {
    const first = Math.min(...(times.get(peer)?.values() ?? []))
    t.true(first > linkedAt && first < linkedAt + 1000, `its first round ended at ${first} ms`)
  }
  t.is(models.size, 4)
})

test('a peer that enters an epoch asks for it as soon as it has its links', async (t) => {
  const topology = createTopology({ peers: [p1, p2, p3], graph: { kind: 'complete' } })
  const { taskOf } = quadratics(topology)
  const linkedAt = entersAt + 450
  const asks: Milliseconds[] = []
  const program = async (inner: Fabric<VectorMessage>) => {
    const { self } = inner
    const tell: Fabric<VectorMessage>['tell'] = (to, note) => {
      if (self === p3 && note.startsWith('E{"kind":"join"')) asks.push(inner.now())
      inner.tell(to, note)
    }
    const fabric = fabricWith(inner, { tell })
    const wait = { start: 60_000, pause: 60_000 }
    const members = new Members(fabric, { topology, signer: trustingSigner, wait, settings: { quorum: 2 } })
    const epochs = { topology, areEqual: true, isConnected: () => self !== p3 || inner.now() >= linkedAt }
    const common = {
      algorithm: recordOf('all-reduce'),
      seed: 1,
      batchSize: 4,
      rounds: 200,
      finalRounds: 0,
      rate: () => 0.05
    }
    const settings = { ...common, timeout: 5000, workers: topology.peers, members, epochs }
    const session = new ElasticSession(fabric, taskOf(self), settings)
    for await (const _ of session.steps());
    members.end()
  }
  const events: FaultEvent[] = [{ at: entersAt, kind: 'join', peer: p3 }]
  const cost = ({ kind }: { kind: string }) => (kind === 'gradient' ? 50 : 0)
  const common = { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 5 }), cost }
  await simulate({ ...common, faults: { rules: [], events } }, program)
  t.true(asks[0] >= linkedAt && asks[0] <= linkedAt + 100, `asked at ${asks[0]} ms`)
})
