import { type Keeps, keptOn, type TrainingSettings } from '@murmuration/algorithms'
import type { PeerName, Topology } from '@murmuration/core'
import { givenOptions, recordOf } from '../algorithm-choice.js'
import type { Contender } from './scenario.js'

/** What all of a contender run, and what its algorithm keeps. */
export interface ContenderProgram {
  readonly settings: TrainingSettings
  readonly keeps: Keeps
}

/** The program of a contender. `training` holds for all; the servers are in the order of their shards. */
export function programOf(
  { choice, fusion }: Contender,
  training: Omit<TrainingSettings, 'algorithm'>,
  servers: readonly PeerName[],
  topology: Topology
): ContenderProgram {
  const algorithm = recordOf(choice)
  const options = givenOptions(choice)
  return { settings: { ...training, algorithm, options, fusion, servers }, keeps: keptOn(algorithm, topology) }
}
