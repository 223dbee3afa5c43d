import { type PeerName, problem } from '@murmuration/core'
import * as z from 'zod'
import { graphOfEdges } from '../graphs.js'
import { graphKind, type Latency } from '../kind.js'

const maxPeers = 512

/**
 * A tree of minimum total latency: one node after the other joins by the shortest edge to the tree (Prim, BSTJ 36(6),
 * 1957). Nodes that have `degree` edges are skipped; the total is then the minimum only if the unbounded tree has no
 * larger degree, since the bounded problem is NP-hard. Among equally long edges the one to the node that joined first
 * is taken, so that the tree is balanced if no latencies are known.
 */
export const tree = graphKind({
  kind: 'tree',
  description: 'has a few neighbours in a tree of minimum latency by the links of the file',
  options: {
    degree: z.int().min(2).default(3).meta({ description: 'maximum neighbours of a peer; 2 makes a chain' })
  },
  example: () => ({ degree: 3 }),
  problems: (_, { length }) =>
    length <= maxPeers ? [] : [problem([], `found ${length} peers for a tree, expected ${maxPeers} at most`)],
  graphs: ({ degree }, peers, latency = () => 0) => [graphOfEdges(peers.length, edgesOf(peers, degree, latency))]
})

type Joint = { readonly node: number; free: number }

function edgesOf(peers: readonly PeerName[], degree: number, latency: Latency): readonly (readonly [number, number])[] {
  const edges: (readonly [number, number])[] = []
  const joints: Joint[] = [{ node: 0, free: degree }]
  const distance = (from: number, to: number) =>
    Math.max(latency(peers[from], peers[to]), latency(peers[to], peers[from]))
  const nearestOf = (node: number) => {
    let nearest = { joint: joints[0], latency: Infinity }
    for (const joint of joints) {
      const found = joint.free > 0 ? distance(joint.node, node) : Infinity
      if (found < nearest.latency) nearest = { joint, latency: found }
    }
    return nearest
  }
  const left = new Map(peers.slice(1).map((_, k) => [k + 1, nearestOf(k + 1)]))
  while (left.size > 0) {
    const [node, { joint }] = [...left].reduce((least, each) => (each[1].latency < least[1].latency ? each : least))
    left.delete(node)
    edges.push([joint.node, node])
    const joined: Joint = { node, free: degree - 1 }
    joint.free--
    joints.push(joined)
    for (const [other, nearest] of left) {
      const found = distance(node, other)
      if (nearest.joint.free === 0) left.set(other, nearestOf(other))
      else if (found < nearest.latency) left.set(other, { joint: joined, latency: found })
    }
  }
  return edges
}
