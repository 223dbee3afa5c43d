import type { Tensor } from '@tensorflow/tfjs-core'
import { core } from '#tfjs/packages.js'

/** The variables that were written since they were made; undefined until somebody asks. */
let written: WeakSet<Tensor> | undefined

/**
 * From now on it is known which variables are written, as loading and setting weights does: those of a layer that is
 * only built keep what its initialisers have given.
 */
export function watchWrites(): void {
  if (written !== undefined) return
  const noted = (written = new WeakSet())
  const { prototype } = core.Variable
  const { assign } = prototype
  prototype.assign = function (this: typeof prototype, value) {
    noted.add(this)
    assign.call(this, value)
  }
}

/** Whether a variable that was made after {@link watchWrites} was written. */
export function isWritten(variable: Tensor): boolean {
  return written?.has(variable) === true
}
