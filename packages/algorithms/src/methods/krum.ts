/**
 * BRIDGE-K: of the peer's own and its neighbours' vectors, the one with the smallest sum of squared distances to its n
 * − b − 2 nearest others (Krum). Then a step with the gradient at the peer's own parameters. With fewer than 2 b + 3
 * vectors it is impossible to tell which are wrong, and a peer keeps its own.
 */
import * as z from 'zod'
import { krum } from '../parts/robust.js'
import { algorithm, valuesOf } from '@murmuration/engine'

export const krumSgd = algorithm({
  name: 'krum',
  title: 'BRIDGE (Krum)',
  source: 'Fang et al., IEEE TSIPN 2022, arXiv 1908.08098 (BRIDGE-K); Blanchard et al., NIPS 2017',
  options: z.strictObject({
    b: z.int().min(1).default(1).meta({ description: 'How many neighbours may send wrong numbers' })
  }),
  needs: {},
  keeps: 'nothing',
  neighbours: ({ b }) => 2 * b + 2,
  channels: { model: { x: 'vector' } },
  edges: { model: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const gradient = node.gradient(x)
    node.model.send(W, { x })
    const theirs = valuesOf(await node.model.collect(W)).map((message) => message.x)
    return { x: node.step(krum(node.options.b, [x, ...theirs]), await gradient) }
  }
})
