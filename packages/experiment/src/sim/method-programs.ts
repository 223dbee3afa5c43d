import { type Keeps, keptOn, type TrainingSettings } from '@murmuration/algorithms'
import type { PeerName, Topology } from '@murmuration/core'
import { givenOptions, recordOf } from '../training/algorithm-choice.js'
import type { Method } from './scenario.js'

/** What all of a method run, and what its algorithm keeps. */
export interface MethodProgram {
  readonly settings: TrainingSettings
  readonly keeps: Keeps
}

/** The program of a method. `training` holds for all; the servers are in the order of their shards. */
export function programOf(
  { algorithm: choice, fusion, training: { codec } }: Method,
  training: Omit<TrainingSettings, 'algorithm'>,
  servers: readonly PeerName[],
  topology: Topology
): MethodProgram {
  const algorithm = recordOf(choice)
  const options = givenOptions(choice)
  return {
    settings: { ...training, algorithm, options, fusion, servers },
    // A codec rounds what others get, and not what the sender has itself: sums move, and peers differ, by that.
    keeps: codec === 'float32' ? keptOn(algorithm, topology) : 'nothing'
  }
}
