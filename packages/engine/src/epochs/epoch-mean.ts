/** The mean of the newest models, with which an epoch begins, and some runs end. */
import type { Fabric, Task } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { Session } from '../driver/session.js'
import type { TrainingSettings } from '../driver/training.js'
import { type BetweenEpochs, vectorsFor } from './between-epochs.js'
import type { Epoch } from './epoch.js'
import { openingOf } from './opening.js'

/** The fabric of an opening, and the training that it is for. */
interface MeanOptions {
  readonly view: Fabric<VectorMessage>
  readonly task: Task
  readonly settings: TrainingSettings
  /** Whether the givers' models are equal. */
  readonly areEqual: boolean
}

/**
 * The mean of the givers' models, and of what they carry over, as all members get it. Rejects where it is not
 * completed: then every peer still has its own.
 */
export async function meanOfGivers(
  { view, task, settings, areEqual }: MeanOptions,
  epoch: Epoch,
  { model, carried }: Pick<BetweenEpochs, 'model' | 'carried'>
): Promise<Pick<BetweenEpochs, 'model' | 'carried'>> {
  const length = lengthOf(task.schema)
  const { names, vectors } = vectorsFor(epoch.carried, carried, length)
  const means: Float32Array[] = []
  const once: TrainingSettings = {
    ...settings,
    algorithm: openingOf({ epoch, areEqual, vectors, means }),
    options: {},
    stop: undefined,
    pipeline: undefined,
    members: undefined,
    rounds: 1 + names.length,
    finalRounds: 0,
    workers: epoch.members.map(({ name }) => name),
    servers: []
  }
  const session = new Session(view, task, once, () => model ?? new Float32Array(length))
  try {
    const steps = session.steps()
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    const mean = step.value.slice()
    const tree = epoch.carried
    if (tree === undefined) return { model: mean, carried: undefined }
    return { model: mean, carried: { tree, vectors: new Map(names.map((name, index) => [name, means[index]])) } }
  } finally {
    session.close()
  }
}
