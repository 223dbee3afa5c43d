import type { TaskFamily } from './family.js'
import { createLogisticFamily, type LogisticTaskOptions } from './logistic-task.js'
import type { QuadraticTaskOptions } from './quadratic-options.js'
import { createQuadraticFamily } from './quadratic-task.js'
import { createSoftmaxFamily, type SoftmaxTaskOptions } from './softmax-task.js'

/** Which tasks, and their options. JSON: any thread can build the family. */
export type FamilyOptions =
  | ({ readonly kind: 'softmax' } & SoftmaxTaskOptions)
  | ({ readonly kind: 'logistic' } & LogisticTaskOptions)
  | ({ readonly kind: 'quadratic' } & QuadraticTaskOptions)

/**
 * Builds the tasks of all peers at once, whatever `self` says: the data are loaded and shared out a single time.
 * Throws an {@link InputError} for options or data that make no sense, such as fewer samples than peers.
 */
export async function openFamily(options: FamilyOptions): Promise<TaskFamily> {
  switch (options.kind) {
    case 'softmax':
      return createSoftmaxFamily(options)
    case 'logistic':
      return createLogisticFamily(options)
    case 'quadratic':
      return createQuadraticFamily(options)
  }
}
