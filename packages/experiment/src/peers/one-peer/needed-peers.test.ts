/** Where an algorithm needs some peers, all that are left tell the same: who is gone, and why. In virtual time. */
import { type Fabric, type NeighboursMissingError, type PeerName, peerName } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import type { RunPlan } from '../../training/plan.js'
import { NeededPeers } from './needed-peers.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)
const [a, b, c, d] = peers
const server = peerName('s')

interface World {
  readonly servers?: readonly PeerName[]
  readonly events?: readonly FaultEvent[]
  /** The links that each peer sees. */
  readonly links?: ConstructorParameters<typeof NeededPeers>[1]['links']
  /** What a peer does after 5 s, instead of waiting. */
  readonly acts?: Readonly<Record<string, 'leaves' | 'finishes'>>
}

/** When and with what each peer's run ended within a minute. */
async function run({ servers = [], events = [], links = () => [], acts = {} }: World) {
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const plan = {
    file: { topology, servers: servers.map((name) => ({ name })) },
    options: { algorithm: { title: 'Example', needs: { reach: 'everyone' } } },
    training: { timeout: 5000, membership: { onLoss: 'continue' } }
  } as unknown as RunPlan
  const ends = new Map<PeerName, { readonly at: number; readonly text: string }>()
  const program = async (fabric: Fabric<VectorMessage>) => {
    const { self } = fabric
    const fail = ({ message: text }: NeighboursMissingError) => ends.set(self, { at: fabric.now(), text })
    const needed = new NeededPeers(plan, { fabric, signer: trustingSigner, links, fail })
    await fabric.sleep(1000)
    needed.begin(0)
    await fabric.sleep(5000)
    const act = acts[self]
    if (act === 'finishes') needed.finish(100)
    if (act === 'leaves') needed.leave()
    while (act === undefined && !ends.has(self) && fabric.now() < 60_000) await fabric.sleep(fabric.now() + 100)
    needed.leave()
  }
  const world = { topology, servers: servers.map((name) => ({ name })), seed: 1, wire: vectorWire, cost: () => 0 }
  await simulate({ ...world, links: uniformLinks({ latency: 5 }), faults: { rules: [], events } }, program)
  return ends
}

const textsOf = (ends: Awaited<ReturnType<typeof run>>) =>
  new Set([...ends].map(([self, { text }]) => text.replace(`${self}: `, '')))

test('all tell who has died, whether or not they are its neighbours, once its process is known to have ended', async (t) => {
  const ends = await run({ events: [{ at: 5000, kind: 'crash', peer: b }] })
  t.deepEqual([...ends.keys()].sort(), [a, c, d])
  for (const { text } of ends.values()) t.regex(text, /b is dead: [acd, ]+ cannot reach it; Example needs every peer$/)
})

test('a peer that is silent has the timeout of the run; if it wakes before, nothing happens', async (t) => {
  const stall = (length: number): FaultEvent[] => [
    { at: 8000, kind: 'freeze', peer: b },
    { at: 8000 + length, kind: 'thaw', peer: b }
  ]
  t.is((await run({ events: stall(4000) })).size, 0)
  const ends = await run({ events: stall(20_000) })
  t.true(ends.size >= 3)
  for (const [self, { at }] of ends) if (self !== b) t.true(at > 13_000 && at < 17_000, `${self} at ${at}`)
})

test('that a peer has left is told with its reason, and who has finished has not left', async (t) => {
  const links = () => [{ name: b, state: 'left', reason: 'training diverged in round 12' } as const]
  const ends = await run({ acts: { b: 'leaves', d: 'finishes' }, links })
  t.deepEqual(textsOf(ends), new Set(['b has left: training diverged in round 12; Example needs every peer']))
  t.deepEqual([...ends.keys()].sort(), [a, c])
})

test('a peer that is started again has lost what the others need', async (t) => {
  const ends = await run({
    events: [
      { at: 8000, kind: 'crash', peer: b },
      { at: 8100, kind: 'restart', peer: b }
    ]
  })
  t.regex(ends.get(b)?.text ?? '', /^b: an earlier process of b has taken part in the run; Example needs every peer$/)
  for (const name of [a, c, d]) t.regex(ends.get(name)?.text ?? '', /b (has left|is dead|has started again)/)
})

test('a server is needed, and so is each worker', async (t) => {
  const crashOf = (peer: PeerName) => run({ servers: [server], events: [{ at: 8000, kind: 'crash', peer }] })
  const others = { [server]: peers, [b]: [a, c, d, server] }
  for (const lost of [server, b]) {
    const ends = await crashOf(lost)
    t.deepEqual([...ends.keys()].sort(), others[lost])
    for (const { text } of ends.values())
      t.regex(text, new RegExp(`${lost} is dead: .* cannot reach it; Example needs every peer$`))
  }
})

test('who has finished is not needed any more, and its process may end', async (t) => {
  const events: FaultEvent[] = [{ at: 8000, kind: 'crash', peer: d }]
  t.is((await run({ acts: { d: 'finishes' }, events })).size, 0)
})
