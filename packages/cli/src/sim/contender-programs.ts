import { algorithms, type Keeps, type TrainingSettings } from '@murmuration/algorithms'
import { invariant, type PeerName, type Topology } from '@murmuration/core'
import type { Contender } from './scenario.js'

/** What all of a contender run, and what its algorithm keeps. */
export interface ContenderProgram {
  readonly settings: TrainingSettings
  readonly keeps: Keeps
}

/** The program of a contender. `training` holds for all; the servers are in the order of their shards. */
export function programOf(
  contender: Contender,
  training: Omit<TrainingSettings, 'algorithm'>,
  servers: readonly PeerName[],
  topology: Topology
): ContenderProgram {
  const algorithm = algorithms.find(({ name }) => name === contender.algorithm)
  invariant(algorithm !== undefined, () => `there is no algorithm ${contender.algorithm}`)
  const { keeps, needs, options: schema } = algorithm
  const given: Readonly<Record<string, unknown>> = { ...contender }
  const options = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, given[name]]))
  const fusion = contender.algorithm === 'dpsgd' ? contender.fusion : 'fused'
  const isKept = keeps !== 'mean' || needs.weights === undefined || keepsMean(topology)
  return { settings: { ...training, algorithm, options, fusion, servers }, keeps: isKept ? keeps : 'nothing' }
}

/** Whether the columns of `W` sum to 1 in every round, so that averaging leaves the mean where it is. */
function keepsMean(topology: Topology): boolean {
  for (let round = 0; round < topology.period; round++) {
    const columns = new Map<PeerName, number>(
      topology.peers.map((peer) => [peer, topology.mixing(peer, round).selfWeight])
    )
    for (const peer of topology.peers) {
      for (const { name, weight } of topology.mixing(peer, round).receiveFrom) {
        columns.set(name, (columns.get(name) ?? 0) + weight)
      }
    }
    if ([...columns.values()].some((sum) => Math.abs(sum - 1) > 1e-9)) return false
  }
  return true
}
