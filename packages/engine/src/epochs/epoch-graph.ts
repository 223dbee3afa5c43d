/** The graph of an epoch's members. */
import type { Mixing, PeerName, Topology, WeightedPeer } from '@murmuration/core'
import { type BrokenPair, repairedRow } from '@murmuration/membership'

/** What of W sums to 1. */
type Sums = 'rows' | 'columns'

/**
 * The topology over some of its peers: as membership bypasses the others, with the weights of Metropolis and Hastings
 * where every edge goes both ways (Xiao, Boyd and Lall 2005), and otherwise with rows or columns that sum to 1. Where
 * that does not fit the algorithm, the same with half of each weight given to the peer itself, so that no eigenvalue is
 * negative; or else a path. The topology itself, where nobody is missing.
 *
 * @param sums - what has to sum to 1
 * @param refusals - why the algorithm cannot run on a graph; none where it can
 * @returns a graph that fits, or why the first one does not
 */
export function epochGraph(
  topology: Topology,
  peers: readonly PeerName[],
  broken: readonly BrokenPair[],
  sums: Sums,
  refusals: (graph: Topology) => readonly string[]
): Topology | readonly string[] {
  if (peers.length === topology.peers.length && broken.length === 0) return topology
  const bypassing = bypassed(topology, peers, broken, sums)
  const unreached = unreachedIn(bypassing)
  if (unreached.length > 0) {
    const pairs = broken.map((pair) => pair.join('–')).join(', ')
    return [`${unreached.join(', ')} cannot be reached from ${peers[0]}: no vectors cross ${pairs}`]
  }
  const problems = refusals(bypassing)
  if (problems.length === 0) return bypassing
  return [lazy(bypassing), path(peers)].find((graph) => refusals(graph).length === 0) ?? problems
}

function bypassed(topology: Topology, peers: readonly PeerName[], broken: readonly BrokenPair[], sums: Sums): Topology {
  const all = new Set(peers)
  const rounds = Array.from({ length: topology.period }, (_, round) => {
    const sendTo = new Map(
      peers.map((peer) => {
        const row = repairedRow(topology, peer, round, (name) => all.has(name), broken)
        return [peer, new Set(row.sendTo.map(({ name }) => name))]
      })
    )
    return rowsOf(peers, sendTo, sums)
  })
  return { peers, period: topology.period, mixing: (peer, round) => rowOf(rounds[round % rounds.length], peer) }
}

function rowsOf(
  peers: readonly PeerName[],
  edges: ReadonlyMap<PeerName, ReadonlySet<PeerName>>,
  sums: Sums
): Map<PeerName, Mixing> {
  const sends = (from: PeerName, to: PeerName) => edges.get(from)?.has(to) === true
  const isSymmetric = peers.every((peer) => peers.every((other) => sends(peer, other) === sends(other, peer)))
  const toOf = (peer: PeerName) => peers.filter((other) => sends(peer, other))
  const fromOf = (peer: PeerName) => peers.filter((other) => sends(other, peer))
  const degrees = new Map(peers.map((peer) => [peer, (sums === 'rows' ? fromOf(peer) : toOf(peer)).length]))
  const degree = (peer: PeerName) => degrees.get(peer) ?? 0
  const weight = (from: PeerName, to: PeerName) => {
    if (isSymmetric) return 1 / (1 + Math.max(degree(from), degree(to)))
    return 1 / (1 + degree(sums === 'rows' ? to : from))
  }
  return new Map(
    peers.map((peer): [PeerName, Mixing] => {
      const sendTo = toOf(peer).map((name) => ({ name, weight: weight(peer, name) }))
      const receiveFrom = fromOf(peer).map((name) => ({ name, weight: weight(name, peer) }))
      const given = (sums === 'rows' ? receiveFrom : sendTo).reduce((sum, each) => sum + each.weight, 0)
      return [peer, { selfWeight: 1 - given, receiveFrom, sendTo: isSymmetric ? receiveFrom : sendTo }]
    })
  )
}

/** With half of each weight given to the peer's own parameters. */
function lazy(graph: Topology): Topology {
  const halved = (all: readonly WeightedPeer[]) => all.map(({ name, weight }) => ({ name, weight: weight / 2 }))
  const rounds = Array.from({ length: graph.period }, (_, round) => {
    return new Map(
      graph.peers.map((peer): [PeerName, Mixing] => {
        const { selfWeight, receiveFrom, sendTo } = graph.mixing(peer, round)
        const from = halved(receiveFrom)
        const to = sendTo === receiveFrom ? from : halved(sendTo)
        return [peer, { selfWeight: (1 + selfWeight) / 2, receiveFrom: from, sendTo: to }]
      })
    )
  })
  return { ...graph, mixing: (peer, round) => rowOf(rounds[round % rounds.length], peer) }
}

/** The peers to which no edges lead from the first, in all rounds together: their models would never meet the others'. */
function unreachedIn({ peers, period, mixing }: Topology): readonly PeerName[] {
  const reached = new Set(peers.slice(0, 1))
  for (const peer of reached) {
    for (let round = 0; round < period; round++) {
      const { sendTo, receiveFrom } = mixing(peer, round)
      for (const { name } of [...sendTo, ...receiveFrom]) reached.add(name)
    }
  }
  return peers.filter((peer) => !reached.has(peer))
}

/** The peers in a line, for algorithms that need a tree. */
function path(peers: readonly PeerName[]): Topology {
  const next = peers.map((_, index) => peers.filter((_other, other) => Math.abs(other - index) === 1))
  const rows = rowsOf(peers, new Map(peers.map((peer, index) => [peer, new Set(next[index])])), 'rows')
  return { peers, period: 1, mixing: (peer) => rowOf(rows, peer) }
}

function rowOf(rows: ReadonlyMap<PeerName, Mixing>, peer: PeerName): Mixing {
  const row = rows.get(peer)
  if (row === undefined) throw new Error(`${peer} is no member`)
  return row
}
