/** Local SGD: H steps on one's own, then the mean over all. A round is a step. */
import { z } from 'zod'
import { ringMean } from './collectives/ring-mean.js'
import { algorithm } from './record.js'

export const localSgdRecord = algorithm({
  name: 'local-sgd',
  title: 'Local SGD',
  source: 'Stich, ICLR 2019, arXiv 1805.09767',
  options: z.strictObject({ period: z.int().min(1).default(8).meta({ description: 'Steps between two means' }) }),
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'mean',
  channels: { all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const half = node.step(x, await node.gradient(x))
    return { x: (k + 1) % node.options.period === 0 ? await ringMean(node.all, node.route(k), half) : half }
  }
})
