import { optionsOn, rateSchedule, type TrainingSettings } from '@murmuration/algorithms'
import type { Topology } from '@murmuration/core'
import { givenOptions, recordOf } from './algorithm-choice.js'
import { scaleOf, type Training } from './training-schema.js'

/** What files say of how everybody trains. */
type Trained = Pick<
  Training,
  'algorithm' | 'batch' | 'accumulate' | 'optimiser' | 'weightDecay' | 'clip' | 'rate' | 'rounds' | 'timeout'
>

/** Who trains, and what else the driver of the algorithms takes as it is. */
type Rest = Required<Pick<TrainingSettings, 'seed' | 'finalRounds' | 'workers' | 'servers'>> &
  Pick<TrainingSettings, 'fusion'>

/** What a file says, as the driver of the algorithms takes it. The rate is scaled for the peers of `topology`, and options follow from its graph. */
export function trainingSettings<Given extends Rest>(
  { algorithm, batch, accumulate, optimiser, weightDecay, clip, rate, rounds, timeout }: Trained,
  topology: Topology,
  rest: Given
): TrainingSettings & Given {
  const record = recordOf(algorithm)
  return {
    algorithm: record,
    options: optionsOn(record, topology, givenOptions(algorithm)),
    batchSize: batch,
    accumulate,
    optimiser,
    weightDecay,
    ...(clip === undefined ? {} : { clip }),
    rounds,
    rate: rateSchedule({ ...rate, initial: rate.initial * scaleOf(rate, topology.peers.length) }, rounds),
    timeout,
    ...rest
  }
}
