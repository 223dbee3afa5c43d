/**
 * RelaySGD on a tree: m_{i→j} sums all models on i's side of the edge, and count is their number. inbox: the last messages, by neighbour. With sums
 * of gradients (RelaySum/Grad in the paper's experiments) all peers apply each gradient, some of them later, and models that differ at the start stay
 * different.
 */
import { z } from 'zod'
import { total, without } from './mixing.js'
import { linear, type Vector } from './node/vector.js'
import { algorithm } from './record.js'

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
  channels: { relay: { x: 'vector', count: 'number' } },
  start: ({ x }) => ({ x, inbox: {} }),
  async round(node, { x, inbox }, k) {
    const tree = node.mixing(k)
    const n = node.peers().length
    const g = await node.gradient(x)
    const isOfModels = node.options.sums === 'models'
    const half = isOfModels ? node.step(x, g) : x
    const mine: Relay = { x: isOfModels ? half : g, count: 1 }
    node.relay.send(tree, (j) => total(tree, mine, without(inbox, j))) //  m_{i→j} = x_i + Σ_{l≠j} m_{l→i}
    const theirs = await node.relay.collect(tree)
    const all = total(tree, mine, theirs) //                               a lost message makes count smaller
    if (!isOfModels) return { x: node.step(x, linear([1 / n, all.x])), inbox: theirs }
    return { x: linear([1 / n, all.x], [(n - all.count) / n, half]), inbox: theirs }
  }
})
