import { type AnyAlgorithm, type EpochSettings, lossRule, optionsOn } from '@murmuration/algorithms'
import type { Links, PeerName, Topology } from '@murmuration/core'
import { averagingRounds, contraction } from '@murmuration/topology'
import { givenOptions, recordOf } from './algorithm-choice.js'
import { stopSettings } from './stop-choice.js'
import type { Training } from './training-schema.js'

/** What decides how a run continues in epochs. */
type EpochFileSettings = Pick<Training, 'algorithm' | 'codec' | 'rounds' | 'stop'>

/** Whether the peers of a run continue in a new epoch when one is lost that the algorithm needs. */
export function continuesInEpochs(record: AnyAlgorithm, { onLoss }: Pick<Training['membership'], 'onLoss'>): boolean {
  return lossRule(record, onLoss).onLoss === 'continues in a new epoch'
}

/**
 * How a run continues in epochs.
 *
 * @param on - the topology of all workers, and the links
 * @param finalRounds - the rounds of final averaging on a graph; where they are set, they stay
 */
export function epochSettings(
  { algorithm, codec, rounds, stop }: EpochFileSettings,
  { topology, links }: { readonly topology: Topology; readonly links: Links },
  finalRounds?: (graph: Topology) => number
): EpochSettings {
  const record = recordOf(algorithm)
  // With a codec, receivers get rounded values and the sender keeps its own.
  const areEqual = record.keeps === 'equality' && codec === 'float32'
  return {
    topology,
    areEqual,
    contraction: contractionOf,
    on: (graph) => ({
      options: optionsOn(record, graph, givenOptions(algorithm), links),
      ...(stop && { stop: stopSettings(stop, record, { rounds, topology: graph }) }),
      ...(finalRounds === undefined ? {} : { finalRounds: areEqual ? 0 : finalRounds(graph) })
    })
  }
}

const contractions = new WeakMap<Topology, number>()

/** Per round; computed once for each graph. */
function contractionOf(graph: Topology): number {
  const found = contractions.get(graph) ?? contraction(graph).perRound
  contractions.set(graph, found)
  return found
}

/** The rounds of averaging after which all peers have the same model, to the file's tolerance. */
export function finalRoundsOn(
  graph: Topology,
  { rounds, consensusTolerance }: Pick<Training, 'rounds' | 'consensusTolerance'>
): number {
  return graph.peers.length === 1 ? 0 : averagingRounds(graph, rounds, consensusTolerance)
}

/** Peers and servers as members of one swarm. In epochs nobody asks for their rows. */
export function membersWithoutRows(peers: readonly PeerName[]): Topology {
  return { peers: [...peers].sort(), period: 1, mixing: () => noRow }
}

const noRow = { selfWeight: 1, receiveFrom: [], sendTo: [] }
