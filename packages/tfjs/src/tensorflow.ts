import { addChainedOperations } from './chained.js'
import { core, layers } from '#tfjs/packages.js'

addChainedOperations()

/**
 * TensorFlow.js as a model's module receives it: the operations, and `layers`, `sequential`, `model` and similar
 * functions.
 */
export type TensorFlow = Omit<typeof core, 'default'> & Omit<typeof layers, 'default'>

/** Passed to a model's module, so that it needs no installation of its own. */
export const tensorflow: TensorFlow = { ...core, ...layers }
