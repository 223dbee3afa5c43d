import {
  allReduceSgd,
  asyncParameterServerWorker,
  dpsgd,
  type Keeps,
  localSgd,
  parameterServerWorker,
  plainSgd,
  serveAsyncParameters,
  serveParameters,
  serveStaleParameters,
  staleSynchronousWorker,
  train,
  type CentralOptions
} from '@murmuration/algorithms'
import type { Fabric, PeerName, StepReport, Task, Topology } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { Contender } from './scenario.js'

type Worker = (fabric: Fabric<VectorMessage>, task: Task) => AsyncGenerator<StepReport, Float32Array>
type ServerProgram = (fabric: Fabric<VectorMessage>, task: Task) => Promise<void>

/** What a contender runs, and what its algorithm keeps. */
export interface ContenderProgram {
  readonly worker: Worker
  readonly server?: ServerProgram
  readonly keeps: Keeps
}

/** The programs of a contender. `options` hold for all; the servers are in the order of their shards. */
export function programOf(
  contender: Contender,
  options: CentralOptions,
  servers: readonly PeerName[],
  topology: Topology
): ContenderProgram {
  switch (contender.algorithm) {
    case 'dpsgd': {
      const { order, overlap, fusion } = contender
      const { momentum, nesterov, ...rest } = options
      const optimiser = { name: 'sgd', momentum, nesterov }
      const all = { ...rest, algorithm: dpsgd, options: { order, overlap }, optimiser, fusion }
      return {
        worker: (fabric, task) => train(fabric, task, all),
        keeps: keepsMean(topology) ? 'mean' : 'nothing'
      }
    }
    case 'parameter-server': {
      const { fusion, pieces, calls } = contender
      const all = { ...options, servers, fusion, pieces, calls }
      return {
        worker: (fabric, task) => parameterServerWorker(fabric, task, all),
        server: (fabric, task) => serveParameters(fabric, task, all),
        keeps: 'equality'
      }
    }
    case 'async-parameter-server': {
      const { fusion, pieces } = contender
      const all = { ...options, servers, fusion, pieces }
      return {
        worker: (fabric, task) => asyncParameterServerWorker(fabric, task, all),
        server: (fabric, task) => serveAsyncParameters(fabric, task, all),
        keeps: 'nothing'
      }
    }
    case 'stale-synchronous': {
      const { fusion, pieces, staleness } = contender
      const all = { ...options, servers, fusion, pieces, staleness }
      return {
        worker: (fabric, task) => staleSynchronousWorker(fabric, task, all),
        server: (fabric, task) => serveStaleParameters(fabric, task, all),
        keeps: 'nothing'
      }
    }
    case 'all-reduce': {
      const { collective, fusion, calls, pieces } = contender
      const all = { ...options, collective, fusion, calls, pieces }
      return { worker: (fabric, task) => allReduceSgd(fabric, task, all), keeps: 'equality' }
    }
    case 'local-sgd': {
      const { collective, fusion, calls, pieces, period } = contender
      const all = { ...options, collective, fusion, calls, pieces, period }
      return {
        worker: (fabric, task) => localSgd(fabric, task, all),
        keeps: period === 1 ? 'equality' : 'nothing'
      }
    }
    case 'sgd':
      return { worker: (fabric, task) => plainSgd(fabric, task, options), keeps: 'equality' }
  }
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
