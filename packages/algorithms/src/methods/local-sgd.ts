/** Local SGD: H local steps, then the mean over all workers. A mean follows the last step, too. A round is one step. */
import * as z from 'zod'
import { collectiveOn } from '../parts/collectives/on-links.js'
import { meanOptions, meanOver } from '../parts/collectives/mean-over.js'
import { algorithm } from '@murmuration/engine'
import { endsPeriod } from '../parts/schedule.js'

export const localSgd = algorithm({
  name: 'local-sgd',
  title: 'Local SGD',
  source: 'Stich, ICLR 2019, arXiv 1805.09767',
  options: z.strictObject({
    period: z.int().min(1).default(8).meta({ description: 'Steps between two means' }),
    ...meanOptions
  }),
  fromGraph: collectiveOn,
  needs: { reach: 'everyone', delivery: 'reliable' },
  keeps: 'mean',
  channels: { all: { part: 'range' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const half = node.step(x, await node.gradient(x))
    return { x: endsPeriod(node, k) ? await meanOver(node.all, node.route(k), half, node) : half }
  }
})
