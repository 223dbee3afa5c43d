import type { Task } from '@murmuration/core'
import { aboutShare } from './about.js'
import type { Share, ShareOptions } from './samples.js'
import { loadShare } from './share.js'
import { Softmax } from './softmax.js'

/** Options of {@link createSoftmaxTask}. JSON. */
export interface SoftmaxTaskOptions {
  readonly share: ShareOptions
  /** Weight of the penalty (l2 / 2) ‖W‖² in the training loss; 0 by default. The evaluation leaves it out. */
  readonly l2?: number
}

/** The module that builds this task in a worker thread. */
export const softmaxTaskModule = new URL('./softmax-task.js', import.meta.url).href

/** Softmax regression on a share of a data set: convex, without TensorFlow.js. Parameters start at zero, on every peer. */
export async function createSoftmaxTask(options: SoftmaxTaskOptions): Promise<Task> {
  const share = await loadShare(options.share)
  return softmaxTask(share, aboutShare(share, options.share), options.l2)
}

/** What a worker thread calls: {@link createSoftmaxTask}. */
export const createTask = createSoftmaxTask

/** Softmax regression on samples that are already there. */
export function softmaxTask({ train, test }: Share, about: Readonly<Record<string, string>>, l2 = 0): Task {
  const model = new Softmax(train, l2)
  const vector = new Float32Array(model.length)
  return {
    schema: [
      { name: 'weights', shape: [model.inputs, model.classes] },
      { name: 'bias', shape: [model.classes] }
    ],
    samples: train.count,
    about: { ...about, model: `softmax regression, ${model.inputs} inputs, ${model.classes} classes, l2 ${l2}` },
    initialise: () => ({ kind: 'initialise', samples: 0, run: async () => new Float32Array(model.length) }),
    gradient: (parameters, batch) => ({
      kind: 'gradient',
      samples: batch.length,
      run: async () => ({ loss: model.gradient(parameters, train, batch, vector), vector })
    }),
    evaluate: (parameters) => ({
      kind: 'evaluate',
      samples: test.count,
      run: async () => model.evaluate(parameters, test)
    })
  }
}
