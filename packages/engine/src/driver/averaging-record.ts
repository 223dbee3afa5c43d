/** Plain gossip averaging, as a record: the final averaging rounds of every algorithm. */
import * as z from 'zod'
import { addFlow, mix } from '../messages/mixing.js'
import { algorithm } from '../record/record.js'

export const averagingRecord = algorithm({
  name: 'averaging',
  title: 'Averaging',
  source: 'Xiao and Boyd, Systems & Control Letters 53, 2004',
  options: z.strictObject({}),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { parameters: { x: 'vector' } },
  edges: { parameters: addFlow },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    node.parameters.send(W, { x })
    return mix(W, { x }, await node.parameters.collect(W)) // x_i ← Σ_j W_ij x_j
  }
})
