import type { PeerName } from '@murmuration/core'
import { compareTexts, type PeerRecord } from './records.js'

/** A chain of waiting peers is no longer than this. */
const maxChain = 4

/**
 * The lower median of the rounds of these records: one liar among three or more cannot move it beyond what others say.
 */
export function medianRound(records: readonly PeerRecord[]): number | undefined {
  const rounds = roundsOf(records)
  return rounds[(rounds.length - 1) >> 1]
}

/** The upper median. */
export function upperMedianRound(records: readonly PeerRecord[]): number | undefined {
  const rounds = roundsOf(records)
  return rounds[rounds.length >> 1]
}

function roundsOf(records: readonly PeerRecord[]): readonly number[] {
  return records.map(({ round }) => round).sort((a, b) => a - b)
}

/** The peers with a round near the median: their state is current. */
export function nearMedian(records: readonly PeerRecord[], lag: number): PeerName[] {
  const median = medianRound(records)
  if (median === undefined) return []
  return records
    .filter(({ round }) => Math.abs(round - median) <= lag)
    .map(({ name }) => name)
    .sort(compareTexts)
}

/**
 * The length of the chain of waiting peers behind `peer`. A peer that waits is one round behind the peer that waits for
 * it, so the rounds give the length: those of the present peers, and of the peers that they say they wait for. A peer
 * that waits gets a longer chain than the peer that it waits for.
 *
 * @param waiting - the peer that waits for `peer`, and its round
 */
export function chainLength(
  peer: PeerName,
  waiting: Pick<PeerRecord, 'name' | 'round'>,
  recordOf: (peer: PeerName) => PeerRecord | undefined
): number {
  const chain = new Set([waiting.name, peer])
  let lowest = waiting.round
  for (const name of chain) {
    const { round = waiting.round, waitsFor = [] } = recordOf(name) ?? {}
    const others = name === waiting.name ? [] : waitsFor.filter((other) => other !== waiting.name)
    if (others.length === 0) continue
    lowest = Math.min(lowest, round)
    for (const other of others) if (chain.size <= 2 * maxChain) chain.add(other)
  }
  return Math.min(maxChain, waiting.round - lowest)
}
