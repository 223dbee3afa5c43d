import { addChainedOperations } from './chained.js'
import { core, layers } from './packages.js'

addChainedOperations()

/** TensorFlow.js as a model's module is given it: the operations, and `layers`, `sequential`, `model` and their like. */
export type TensorFlow = Omit<typeof core, 'default'> & Omit<typeof layers, 'default'>

/** What a model's module is given, so that it needs no installation of its own. */
export const tensorflow: TensorFlow = { ...core, ...layers }
