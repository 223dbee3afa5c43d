/**
 * Moshpit SGD, Algorithm 1: a step, then the exact mean over the members of the peer's group that are present. All
 * members of a group are neighbours, as in the graph moshpit-grid; mixing weights are not used. The paper takes several
 * steps between two means.
 */
import * as z from 'zod'
import { algorithm, mean } from '@murmuration/engine'

export const moshpit = algorithm({
  name: 'moshpit',
  title: 'Moshpit SGD',
  source: 'Ryabinin et al., NeurIPS 2021, arXiv 2103.03239',
  options: z.strictObject({}),
  needs: { graph: 'groups' },
  keeps: 'mean',
  channels: { group: { x: 'vector' } },
  edges: { group: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const group = node.mixing(k)
    const mine = { x: node.step(x, await node.gradient(x)) }
    node.group.send(group, mine)
    return mean(group, mine, await node.group.collect(group))
  }
})
