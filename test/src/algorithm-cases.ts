import type { Algorithm } from '@murmuration/algorithms'
import type { AlgorithmCase } from '@murmuration/contract'

/** What an algorithm needs otherwise than the rest to come to the optimum. */
const special: Readonly<Record<string, Omit<AlgorithmCase, 'algorithm'>>> = {
  'ad-psgd': { isAsynchronous: true },
  'async-parameter-server': { isAsynchronous: true },
  'stale-synchronous': { isAsynchronous: true },
  'trimmed-mean': { spread: 0 },
  'diloco': { options: { period: 3 } },
  'local-sgd': { options: { period: 3 } },
  'slowmo': { options: { period: 3 } },
  // With more momentum a falling rate takes longer to settle.
  'qg-dsgdm': { options: { momentum: 0.5, memory: 0.5 } },
  'gossip-pga': { options: { period: 3 } }
}

/** How the contract of algorithms tries one. */
export function settingsOf(algorithm: Algorithm): AlgorithmCase {
  return { algorithm, ...special[algorithm.name] }
}
