/** D-PSGD with all of its options in one. */
import { dpsgd as record, train, type TrainingSettings } from '@murmuration/algorithms'
import type { Fabric, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** Momentum is 0 when absent. */
export interface DpsgdOptions extends Omit<TrainingSettings, 'algorithm' | 'options' | 'optimiser' | 'workers'> {
  readonly order?: 'combine-then-adapt' | 'adapt-then-combine'
  readonly overlap?: boolean
  readonly momentum?: number
  readonly nesterov?: boolean
}

/** D-PSGD on one peer. */
export function dpsgd(
  fabric: Fabric<VectorMessage>,
  task: Task,
  { order, overlap, momentum, nesterov, ...rest }: DpsgdOptions
): AsyncGenerator<StepReport, Float32Array> {
  const optimiser = { name: 'sgd', momentum, nesterov }
  return train(fabric, task, {
    algorithm: record,
    options: { order, overlap },
    optimiser,
    workers: [fabric.self],
    ...rest
  })
}
