import { type AnySettings, optionsOn, rateSchedule, type TrainingSettings } from '@murmuration/algorithms'
import type { Links, Topology } from '@murmuration/core'
import { givenOptions, recordOf } from './algorithm-choice.js'
import { stopSettings } from './stop-choice.js'
import { scaleOf, type Training } from './training-schema.js'

/** The training settings of files. */
type FileSettings = Pick<
  Training,
  'algorithm' | 'batch' | 'accumulate' | 'optimiser' | 'weightDecay' | 'clip' | 'rate' | 'rounds' | 'timeout' | 'stop'
>

/** The peers that train, and further settings that the algorithms' driver takes unchanged. */
type DriverSettings = Required<Pick<TrainingSettings, 'seed' | 'finalRounds' | 'workers' | 'servers'>> &
  Pick<TrainingSettings, 'fusion' | 'pipeline'>

/**
 * A file's settings for the algorithms' driver. The rate is scaled for the peers of `topology`, and some options depend
 * on its graph, or on the links.
 */
export function trainingSettings<Given extends DriverSettings>(
  { algorithm, batch, accumulate, optimiser, weightDecay, clip, rate, rounds, timeout, stop }: FileSettings,
  { topology, links }: { readonly topology: Topology; readonly links: Links },
  rest: Given
): AnySettings & Given {
  const record = recordOf(algorithm)
  return {
    algorithm: record,
    options: optionsOn(record, topology, givenOptions(algorithm), links),
    batchSize: batch,
    accumulate,
    optimiser,
    weightDecay,
    ...(clip === undefined ? {} : { clip }),
    rounds,
    rate: rateSchedule({ ...rate, initial: rate.initial * scaleOf(rate, topology.peers.length) }, rounds),
    timeout,
    ...(stop && { stop: stopSettings(stop, record, { rounds, topology }) }),
    ...rest
    // A union's member for either kind of record, which the compiler does not see.
  } as AnySettings & Given
}
