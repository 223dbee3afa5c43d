import type { Fabric, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { trainKeys } from './keys/train-keys.js'
import { Session } from './node/session.js'
import type { TrainingSettings } from './node/training.js'

/**
 * Trains one peer: yields a report per round and returns the parameters at the end. See {@link Session.steps}, and {@link trainKeys} for algorithms
 * with keyed rows.
 */
export function train(
  fabric: Fabric<VectorMessage>,
  task: Task,
  settings: TrainingSettings
): AsyncGenerator<StepReport, Float32Array> {
  const { keys } = settings.algorithm
  return keys === undefined ? new Session(fabric, task, settings).steps() : trainKeys(fabric, task, settings, keys)
}
