/** The graph of an epoch's members. */
import { byName, type Mixing, type PeerName, type Topology, type WeightedPeer } from '@murmuration/core'
import { type BrokenPair, repairedRow } from '@murmuration/membership'
import { roundsOf } from '../driver/needs.js'

/** What of W sums to 1. */
type Sums = 'rows' | 'columns'

/**
 * The topology over some of its peers: as membership bypasses the others, with the weights of Metropolis and Hastings
 * where every edge goes both ways (Xiao, Boyd and Lall 2005), and otherwise with rows or columns that sum to 1. Where
 * that does not fit the algorithm, the same with half of each weight given to the peer itself, so that no eigenvalue is
 * negative; or else a tree of its edges. The topology itself, where nobody is missing.
 *
 * @param refusals - why the algorithm cannot run on a graph; none where it can
 * @param sums - what has to sum to 1 where some edges go one way
 * @returns a graph that fits, or why the first one does not
 */
export function epochGraph(
  topology: Topology,
  peers: readonly PeerName[],
  broken: readonly BrokenPair[],
  refusals: (graph: Topology) => readonly string[],
  sums: Sums = 'rows'
): Topology | readonly string[] {
  if (peers.length === topology.peers.length && broken.length === 0) return topology
  const bypassing = bypassed(topology, peers, broken, sums)
  const tree = spanningTree(bypassing)
  const apart = peers.filter((peer) => !tree.has(peer))
  if (apart.length > 0) {
    const pairs = broken.map((pair) => pair.join('–')).join(', ')
    return [`${apart.join(', ')} and ${peers[0]} cannot reach each other, since these cannot exchange: ${pairs}`]
  }
  const problems = refusals(bypassing)
  if (problems.length === 0) return bypassing
  return [lazy(bypassing), graphOf(tree)].find((graph) => refusals(graph).length === 0) ?? problems
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

/** The neighbours of each peer in a tree of the graph's edges, of all peers that the first one reaches. */
function spanningTree(graph: Topology): ReadonlyMap<PeerName, ReadonlySet<PeerName>> {
  const tree = new Map(graph.peers.slice(0, 1).map((peer) => [peer, new Set<PeerName>()]))
  for (const [peer, neighbours] of tree) {
    for (const { name } of roundsOf(graph, peer).flatMap(({ sendTo, receiveFrom }) => [...sendTo, ...receiveFrom])) {
      if (tree.has(name)) continue
      neighbours.add(name)
      tree.set(name, new Set([peer]))
    }
  }
  return tree
}

function graphOf(neighbours: ReadonlyMap<PeerName, ReadonlySet<PeerName>>): Topology {
  const peers = [...neighbours.keys()].sort(byName)
  const rows = rowsOf(peers, neighbours, 'rows')
  return { peers, period: 1, mixing: (peer) => rowOf(rows, peer) }
}

function rowOf(rows: ReadonlyMap<PeerName, Mixing>, peer: PeerName): Mixing {
  const row = rows.get(peer)
  if (row === undefined) throw new Error(`${peer} is no member`)
  return row
}
