import type { Algorithm } from '@murmuration/algorithms'
import type { AlgorithmCase } from '@murmuration/contract'
import { parseTopologyFile } from '@murmuration/files'

/** Where an algorithm needs other settings than the rest to reach the optimum, or more rounds. */
const special: Readonly<Record<string, Omit<AlgorithmCase, 'algorithm'>>> = {
  'ad-psgd': { isAsynchronous: true },
  'a2cid2': { isAsynchronous: true },
  // Faster peers have more weight, and models that are long in flight move the mean more slowly.
  'divshare': { isAsynchronous: true, options: { period: 3, fragments: 2 }, spread: 0.5, rounds: 300 },
  // Rounds continue without the slower peers, and the load of the machine decides which these are: the result is known
  // only where all peers have the same optimum.
  'hop': { isAsynchronous: true, spread: 0 },
  'async-diloco': { isAsynchronous: true, options: { period: 3, momentum: 0.5 } },
  'decoupled-diloco': { isAsynchronous: true, options: { period: 3, momentum: 0.5, grace: 50 } },
  'async-parameter-server': { isAsynchronous: true },
  'stale-synchronous': { isAsynchronous: true },
  // When the fast workers have ended, the slow ones pull alone.
  'parameter-services': { isAsynchronous: true, spread: 1 },
  // Two of four numbers are sent.
  'choco': { options: { compressor: { name: 'top-k', fraction: 0.5 }, consensus: 0.4 } },
  'motef': { options: { compressor: { name: 'top-k', fraction: 0.5 }, consensus: 0.4, momentum: 0.5 } },
  // Peers of the contract are up to 4 apart.
  'moniqua': { options: { theta: 8 } },
  'trimmed-mean': { spread: 0, isComplete: true },
  'coordinate-median': { spread: 0, isComplete: true },
  'krum': { spread: 0, isComplete: true },
  'moshpit': { isComplete: true },
  'clipped-gossip': { spread: 0 },
  'cs-plus': { spread: 0 },
  'overlap-merge': { options: { period: 3 } },
  'noloco': { options: { period: 3 } },
  'gasloc': { options: { period: 3 } },
  'sparseloco': { options: { period: 3, compressor: { name: 'top-k', fraction: 0.5 } } },
  'cocktail-sgd': { options: { random: 0.5, largest: 0.5, bits: 8 } },
  'diloco': { options: { period: 3 }, rounds: 300 },
  'relay-sgd': { rounds: 300 },
  'quantised-diloco': { options: { period: 3, bits: 8 }, rounds: 300 },
  'local-sgd': { options: { period: 3 } },
  'slowmo': { options: { period: 3 } },
  // With more momentum it takes longer to settle as the rate falls.
  'qg-dsgdm': { options: { momentum: 0.5, memory: 0.5 } },
  'gossip-pga': { options: { period: 3 } },
  'late-gossip': { options: { period: 3 } }
}

/** How the settings of this algorithm differ from the rest. */
export function caseOf(name: string): Omit<AlgorithmCase, 'algorithm'> {
  return special[name] ?? {}
}

/** The settings with which the contract of algorithms runs one. */
export function settingsOf(algorithm: Algorithm): AlgorithmCase {
  return { algorithm, ...caseOf(algorithm.name) }
}

/** Links of which some are thin: a peer's, and one that two peers share. */
const { links: unevenLinks } = parseTopologyFile(
  `graph: complete
peers: [p0, p1, p2, p3, p4]
links:
  default: { bandwidth: 10 Mbit/s, latency: 5 ms }
  peers: { p0: { up: 3 Mbit/s } }
  pipes: [{ name: thin, bandwidth: 2 Mbit/s, peers: [p0, p2] }]`,
  'uneven.yaml'
)

/** Collectives that follow from links, each kind of mean once. */
const followed: Readonly<Record<string, string>> = {
  'all-reduce': 'trees',
  'quantised-diloco': 'trees',
  'power-sgd': 'auto'
}

/** Algorithms with a mean over all peers, by collectives that follow from links. */
export function onLinks(algorithms: readonly Algorithm[]): readonly AlgorithmCase[] {
  return algorithms.flatMap((algorithm) => {
    const collective = followed[algorithm.name]
    if (collective === undefined) return []
    const { options, ...rest } = caseOf(algorithm.name)
    return { algorithm, ...rest, options: { ...options, collective }, links: unevenLinks, variant: collective }
  })
}
