/**
 * RelaySGD on a tree: m_{i→j} sums all models on i's side of the edge. Their number is count. inbox: the last messages,
 * by neighbour. A stand-in s replaces each model that has not arrived: the start until every model has had the time to
 * arrive, and then the peer's own last model, since the others are lost (as in the authors' code, and in their runs
 * with losses). With sums of gradients (RelaySum/Grad in the paper's experiments) all peers apply each gradient, some
 * of them later, and models that differ at the start stay different.
 */
import { type PeerName, peerName } from '@murmuration/core'
import * as z from 'zod'
import { algorithm, linear, type PerPeer, total, type Vector, wholeField, without } from '@murmuration/engine'

/**
 * Messages that count at most n − 1 models together. Where they count more, one lies: those that count most are left
 * out, as if they were lost, so that this peer passes on nothing impossible.
 */
function possible(theirs: PerPeer<Relay>, n: number): PerPeer<Relay> {
  const names = Object.keys(theirs).map(peerName)
  const countOf = (j: PeerName) => theirs[j]?.count ?? 0
  const count = names.reduce((sum, j) => sum + countOf(j), 0)
  if (count < n) return theirs
  const most = names.reduce((one, other) => (countOf(other) > countOf(one) ? other : one))
  return possible(without(theirs, most), n)
}

type Relay = { readonly x: Vector; readonly count: number }

export const relaySgd = algorithm({
  name: 'relay-sgd',
  title: 'RelaySGD',
  source: 'Vogels et al., NeurIPS 2021, arXiv 2110.04175',
  options: z.strictObject({
    sums: z
      .enum(['models', 'gradients'])
      .default('models')
      .meta({ description: 'What the peers of the tree sum and pass on' })
  }),
  needs: { graph: 'tree' },
  keeps: 'nothing',
  channels: { relay: { x: 'vector', count: wholeField(1, ({ workers }) => workers) } },
  start: ({ x }) => ({ x, standIn: x, inbox: {} }),
  async round(node, { x, standIn, inbox }, k) {
    const tree = node.mixing(k)
    const n = node.peers().length
    const g = await node.gradient(x)
    const isOfModels = node.options.sums === 'models'
    const mine: Relay = { x: isOfModels ? node.step(x, g) : g, count: 1 }
    node.relay.send(tree, (j) => total(tree, mine, without(inbox, j))) //    m_{i→j} = x_i + Σ_{l≠j} m_{l→i}
    const theirs = possible(await node.relay.collect(tree), n)
    const all = total(tree, mine, theirs) //                                 a lost message makes count smaller
    const next = isOfModels
      ? linear([1 / n, all.x], [(n - all.count) / n, standIn]) //            x_i ← (Σ_j x_j + (n − count) s) / n
      : node.step(x, linear([1 / n, all.x]))
    return { x: next, standIn: k + 1 < n ? standIn : next, inbox: theirs }
  }
})
