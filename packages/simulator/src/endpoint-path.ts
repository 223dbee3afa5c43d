import type { PathLink, PeerName, Random } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { rawNetwork } from './network/network.js'
import type { SimulationOptions } from './simulation-options.js'

/** One end: a peer or server, and the machine that it runs on. */
interface PathEnd {
  readonly name: PeerName
  readonly machine: PeerName
  readonly random: Random
}

/** The path from one endpoint to another, without what limits its rate. */
export interface EndpointPath {
  /** Whether both endpoints are on one machine; then there is no latency. */
  readonly isLocal: boolean
  /** The loss is that of a datagram's packets; 0 for a stream, whose rate it caps. */
  readonly path: Pick<PathLink, 'latency' | 'jitter' | 'loss'>
  /** For jitter and loss. */
  readonly random: Random
}

/** The path for one purpose, with random numbers of its own. */
export function pathBetween(
  { links, network = rawNetwork, seed }: Pick<SimulationOptions<never>, 'links' | 'network' | 'seed'>,
  from: PathEnd,
  to: PathEnd,
  purpose: 'link' | 'notes'
): EndpointPath {
  if (from.machine === to.machine) {
    return { isLocal: true, path: { latency: 0, jitter: 0, loss: 0 }, random: from.random }
  }
  const path = links.path(from.machine, to.machine)
  const { latency, jitter, loss } = path
  const lossOfPackets = network.transport === 'datagram' ? loss : 0
  // Uniform links are one object, which many paths share.
  const isPlain = network.latencyFactor === 1 && lossOfPackets === loss
  return {
    isLocal: false,
    path: isPlain ? path : { latency: latency * network.latencyFactor, jitter, loss: lossOfPackets },
    random: jitter > 0 || lossOfPackets > 0 ? createRandom(seed, purpose, from.name, to.name) : from.random
  }
}
