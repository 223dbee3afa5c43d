/**
 * BRIDGE-T: for each coordinate the neighbours' b largest and b smallest values are left out and the rest averaged with
 * the peer's own. Then a step.
 */
import * as z from 'zod'
import { algorithm, valuesOf } from '@murmuration/engine'
import { trimmedMean } from '../parts/robust.js'

export const trimmedMeanSgd = algorithm({
  name: 'trimmed-mean',
  title: 'BRIDGE (trimmed mean)',
  source: 'Fang et al., IEEE TSIPN 2022, arXiv 1908.08098',
  options: z.strictObject({
    b: z.int().min(1).default(1).meta({ description: 'How many neighbours may send wrong numbers' })
  }),
  needs: {},
  keeps: 'nothing',
  neighbours: ({ b }) => 2 * b + 1,
  channels: { model: { x: 'vector' } },
  edges: { model: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const { b } = node.options
    const gradient = node.gradient(x)
    node.model.send(W, { x })
    const theirs = valuesOf(await node.model.collect(W)).map((message) => message.x)
    const centre = theirs.length > 2 * b ? trimmedMean(b, x, theirs) : x //  too few to tell which are wrong
    return { x: node.step(centre, await gradient) }
  }
})
