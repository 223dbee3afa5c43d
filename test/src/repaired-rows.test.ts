/** Rows that bypass peers and pairs that cannot be used, on the topologies of files. */
import { type Mixing, type PeerName, peerName, type Topology } from '@murmuration/core'
import { type BrokenPair, repairedRow } from '@murmuration/membership'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'

const peersOf = (count: number) => [...'abcdefg'].slice(0, count).map(peerName)
const graphs: Readonly<Record<string, GraphDescription>> = {
  ring: { kind: 'ring' },
  star: { kind: 'star' },
  complete: { kind: 'complete' },
  exponential: { kind: 'exponential' },
  random: { kind: 'erdos-renyi', probability: 0.6, seed: 3 }
}

const pairsOf = <Item>(items: readonly Item[]) =>
  items.flatMap((a, index) => items.slice(index + 1).map((b) => [a, b] as const))
const subsetsOf = <Item>(items: readonly Item[]) =>
  Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_, index) => (bits >> index) & 1))

/** Whether news travels between all of these along linked pairs. */
function isConnected(peers: readonly PeerName[], areLinked: (a: PeerName, b: PeerName) => boolean): boolean {
  const reached = new Set(peers.slice(0, 1))
  for (const peer of reached) for (const next of peers) if (areLinked(peer, next)) reached.add(next)
  return reached.size === peers.length
}

/** Violations of what must hold for all rows of a round, as sentences. */
function wrongWith(topology: Topology, usable: readonly PeerName[], broken: readonly BrokenPair[]): string[] {
  const isBroken = (a: PeerName, b: PeerName) => broken.some((pair) => pair.includes(a) && pair.includes(b) && a !== b)
  const rows = new Map(
    usable.map((self) => [self, repairedRow(topology, self, 0, (peer) => usable.includes(peer), broken)])
  )
  const links = (a: PeerName, b: PeerName) => rows.get(a)?.sendTo.some(({ name }) => name === b) === true
  const canReach = (a: PeerName, b: PeerName) => a !== b && !isBroken(a, b)
  return [
    ...usable.flatMap((a) => wrongRow(topology, a, rows.get(a), usable, isBroken)),
    ...pairsOf(usable).flatMap(([a, b]) => [
      ...(isBroken(a, b) && (links(a, b) || links(b, a)) ? [`${a} and ${b} are broken`] : []),
      ...(agree(rows, a, b) && agree(rows, b, a) ? [] : [`${a} and ${b} do not agree`])
    ]),
    ...(isConnected(usable, canReach) && !isConnected(usable, (a, b) => links(a, b) || links(b, a))
      ? [`${usable.join()} are apart`]
      : [])
  ]
}

/** A peer that one sends to receives from it. */
function agree(rows: ReadonlyMap<PeerName, Mixing>, a: PeerName, b: PeerName): boolean {
  const sends = rows.get(a)?.sendTo.some(({ name }) => name === b)
  return sends === rows.get(b)?.receiveFrom.some(({ name }) => name === a)
}

function wrongRow(
  topology: Topology,
  self: PeerName,
  row: Mixing | undefined,
  usable: readonly PeerName[],
  isBroken: (a: PeerName, b: PeerName) => boolean
): string[] {
  const file = topology.mixing(self, 0)
  if (row === undefined || row === file) {
    const isWhole = [...file.receiveFrom, ...file.sendTo].every(
      ({ name }) => usable.includes(name) && !isBroken(self, name)
    )
    return isWhole ? [] : [`the row of ${self} is the file's own`]
  }
  const offers = [row.sendTo, row.receiveFrom].map((side) => side.reduce((sum, { weight }) => sum + weight, 0))
  const names = [...row.sendTo, ...row.receiveFrom].map(({ name }) => name)
  return [
    ...(offers.every((sum) => sum < 1) ? [] : [`${self} offers ${offers.join()}`]),
    ...(names.every((name) => usable.includes(name) && name !== self) ? [] : [`${self} has ${names.join()}`])
  ]
}

for (const [name, graph] of Object.entries(graphs)) {
  test(`${name}: rows agree, keep all usable peers connected and offer less than 1, for every subset of usable peers`, (t) => {
    for (let count = 3; count <= 7; count++) {
      const topology = createTopology({ peers: peersOf(count), graph })
      for (const usable of subsetsOf(topology.peers)) all(t, topology, usable, [])
    }
  })

  test(`${name}: the same for every set of broken pairs of up to 4 peers`, (t) => {
    const topology = createTopology({ peers: peersOf(4), graph })
    for (const usable of subsetsOf(topology.peers)) {
      for (const broken of subsetsOf(pairsOf(topology.peers))) all(t, topology, usable, broken)
    }
  })

  test(`${name}: the same for drawn sets of broken pairs of 7 peers`, (t) => {
    const topology = createTopology({ peers: peersOf(7), graph })
    const { peers } = topology
    fc.assert(
      fc.property(fc.subarray([...peers]), fc.subarray(pairsOf(peers)), (usable, broken) => {
        t.deepEqual(wrongWith(topology, usable, broken), [], `usable ${usable.join()}, broken ${broken.join(' ')}`)
      }),
      { numRuns: 300 }
    )
  })
}

const byRound: Readonly<Record<string, GraphDescription>> = {
  'one-peer exponential': { kind: 'one-peer-exponential' },
  'base-graph': { kind: 'base-graph', degree: 1 },
  'moshpit grid': { kind: 'moshpit-grid', side: 3, dimensions: 2, seed: 1 },
  'random matchings': { kind: 'random-matching', rounds: 8, seed: 1 }
}

for (const [name, graph] of Object.entries(byRound)) {
  test(`${name}: over its rounds all usable peers are connected, and rows agree, for every subset of usable peers`, (t) => {
    for (let count = 3; count <= 7; count++) {
      const topology = createTopology({ peers: peersOf(count), graph })
      // In a grid with few peers some may be separated from the first.
      if (!isConnected(topology.peers, linksOver(topology, topology.peers))) continue
      for (const usable of subsetsOf(topology.peers)) {
        t.true(isConnected(usable, linksOver(topology, usable)), `${usable.join()} are apart`)
      }
    }
  })
}

/** Whether two peers have an edge in any round. */
function linksOver(topology: Topology, usable: readonly PeerName[]): (a: PeerName, b: PeerName) => boolean {
  const links = new Set<string>()
  for (let round = 0; round < topology.period; round++) {
    const row = (self: PeerName) => repairedRow(topology, self, round, (peer) => usable.includes(peer))
    const rows = new Map(usable.map((self) => [self, row(self)]))
    for (const [a, b] of pairsOf(usable)) {
      if (!agree(rows, a, b) || !agree(rows, b, a)) throw new Error(`${a} and ${b} do not agree in round ${round}`)
    }
    for (const [self, { sendTo }] of rows)
      for (const { name } of sendTo) links.add(`${self} ${name}`).add(`${name} ${self}`)
  }
  return (a, b) => links.has(`${a} ${b}`)
}

function all(t: ExecutionContext, topology: Topology, usable: readonly PeerName[], broken: readonly BrokenPair[]) {
  const wrong = wrongWith(topology, usable, broken)
  if (wrong.length > 0) t.fail(`usable ${usable.join()}, broken ${broken.join(' ')}: ${wrong.join('; ')}`)
  else t.pass()
}

const ring = createTopology({ peers: peersOf(6), graph: graphs.ring })
const namesIn = ({ receiveFrom }: Mixing) => receiveFrom.map(({ name }) => name).join('')

test('a row in which no peer is unusable is the object of the topology', (t) => {
  const isUsable = (peer: PeerName) => peer !== 'd'
  t.is(repairedRow(ring, peerName('a'), 0, isUsable), ring.mixing(peerName('a'), 0))
  t.not(repairedRow(ring, peerName('c'), 0, isUsable), ring.mixing(peerName('c'), 0))
})

test('a ring goes past its dead', (t) => {
  const isUsable = (peer: PeerName) => !'cd'.includes(peer)
  t.is(namesIn(repairedRow(ring, peerName('b'), 0, isUsable)), 'ae')
  t.is(namesIn(repairedRow(ring, peerName('e'), 0, isUsable)), 'bf')
})

test('a star whose hub died becomes a ring of its leaves', (t) => {
  const star = createTopology({ peers: peersOf(7), graph: graphs.star })
  const [hub] = star.peers.filter((peer) => star.mixing(peer, 0).receiveFrom.length === 6)
  for (const leaf of star.peers.filter((peer) => peer !== hub)) {
    const { receiveFrom, selfWeight } = repairedRow(star, leaf, 0, (peer) => peer !== hub)
    t.is(receiveFrom.length, 2)
    t.is(selfWeight, 1 / 3)
  }
})

test('one change moves no more edges than the degree of the peer that changed, in rings and random graphs', (t) => {
  for (const graph of [graphs.ring, { kind: 'random-regular', degree: 4, seed: 1 } as const]) {
    const topology = createTopology({ peers: [...'abcdefghijkl'].map(peerName), graph })
    for (const gone of topology.peers) {
      const others = topology.peers.filter((peer) => peer !== gone)
      const before = edgesOf(others.map((peer) => [peer, topology.mixing(peer, 0)]))
      const after = edgesOf(others.map((peer) => [peer, repairedRow(topology, peer, 0, (name) => name !== gone)]))
      const moved = [...after].filter((edge) => !before.has(edge))
      t.true(moved.length <= topology.mixing(gone, 0).receiveFrom.length, `${gone}: ${moved.join()}`)
    }
  }
})

test('the edge of a broken pair goes through one peer that both reach', (t) => {
  const broken: BrokenPair[] = [[peerName('b'), peerName('a')]]
  const rows = new Map(ring.peers.map((peer) => [peer, repairedRow(ring, peer, 0, () => true, broken)]))
  const between = ring.peers.filter((peer) => /a.*b/.test(namesIn(rows.get(peer) ?? ring.mixing(peer, 0))))
  t.is(between.length, 1)
  t.is(ring.peers.filter((peer) => rows.get(peer) === ring.mixing(peer, 0)).length, 3)
})

function edgesOf(rows: readonly (readonly [PeerName, Mixing])[]): Set<string> {
  return new Set(
    rows.flatMap(([peer, { receiveFrom }]) => receiveFrom.map(({ name }) => (peer < name ? peer + name : name + peer)))
  )
}
