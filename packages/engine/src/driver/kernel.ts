import { type Fabric, InputError, type TaskKernel } from '@murmuration/core'
import type { NodeKernel } from '../record/record.js'

/** The kernel of a task as a round sees it. Throws an InputError where the task has none. */
export function nodeKernel(kernel: TaskKernel | undefined, fabric: Pick<Fabric<never>, 'work'>): NodeKernel {
  if (kernel === undefined)
    throw new InputError('the algorithm needs a task with a kernel, and this one has none; add kernel to task: svm')
  const { c, width } = kernel
  return {
    c,
    width,
    shardOf: (peer) => kernel.shardOf(peer),
    sample: (index) => kernel.sample(index),
    label: (index) => kernel.label(index),
    among: (...given) => fabric.work(kernel.among(...given)),
    accumulate: (...given) => fabric.work(kernel.accumulate(...given))
  }
}
