// A network over TensorFlow.js on drawn digits of 28 × 28: larger than that of digits.mjs, or convolutional.
import { createTfjsTask } from '@murmuration/tfjs'

/** The task of one peer, or that of all data. */
export function tensorflowTask({ peers, seed, model, samples, self }) {
  const data = { kind: 'digits', samples }
  return createTfjsTask({ localData: { data, testFraction: 0.05, partition: { kind: 'equal' }, peers, seed, self }, model }) // oxfmt-ignore
}

/** The tasks of all peers, and the task of all data. */
export async function tensorflowTasks(options) {
  const of = new Map()
  for (const self of options.peers) of.set(self, await tensorflowTask({ ...options, self }))
  return { of, union: await tensorflowTask(options) }
}
