/**
 * Plain SGD on a peer's own samples, without any exchange. It is the lower bound that other algorithms are compared
 * with.
 */
import * as z from 'zod'
import { algorithm } from '@murmuration/engine'

export const sgdAlone = algorithm({
  name: 'sgd',
  title: 'SGD on one machine',
  source: 'Robbins and Monro, Annals of Mathematical Statistics 22(3), 1951',
  options: z.strictObject({}),
  needs: {},
  keeps: 'nothing',
  channels: {},
  start: ({ x }) => ({ x }),
  async round(node, { x }) {
    return { x: node.step(x, await node.gradient(x)) }
  }
})
