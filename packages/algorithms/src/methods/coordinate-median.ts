/**
 * BRIDGE-M: for each coordinate the median of the peer's own and its neighbours' values. Then a step with the gradient
 * at its own parameters.
 */
import * as z from 'zod'
import { coordinateMedian } from '../parts/robust.js'
import { algorithm, valuesOf } from '@murmuration/engine'

export const coordinateMedianSgd = algorithm({
  name: 'coordinate-median',
  title: 'BRIDGE (median)',
  source: 'Fang et al., IEEE TSIPN 2022, arXiv 1908.08098 (BRIDGE-M); Yin et al., ICML 2018',
  options: z.strictObject({}),
  needs: {},
  keeps: 'nothing',
  channels: { model: { x: 'vector' } },
  edges: { model: 'dropped' },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    const gradient = node.gradient(x)
    node.model.send(W, { x })
    const theirs = valuesOf(await node.model.collect(W)).map((message) => message.x)
    return { x: node.step(coordinateMedian(x, theirs), await gradient) }
  }
})
