import type { PeerName } from '@murmuration/core'
import { compareTexts, type PeerRecord } from './records.js'

/** A chain of waiting peers is no longer than this. */
const maxChain = 4

/** The lower median of the rounds of these records: one liar among three or more cannot move it beyond what others say. */
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

/** Those whose round is near the median: their state is of the present. */
export function nearMedian(records: readonly PeerRecord[], lag: number): PeerName[] {
  const median = medianRound(records)
  if (median === undefined) return []
  return records
    .filter(({ round }) => Math.abs(round - median) <= lag)
    .map(({ name }) => name)
    .sort(compareTexts)
}

/**
 * How many peers stand one behind the other in the wait for `peer`. Who waits for others is a round behind who waits for it, so that the rounds
 * count: of those that are there, and of those that they say they wait for. It is longer for each that waits than for who it waits for.
 *
 * @param own - who waits for `peer`, and in which round
 */
export function chainLength(
  peer: PeerName,
  own: Pick<PeerRecord, 'name' | 'round'>,
  recordOf: (peer: PeerName) => PeerRecord | undefined
): number {
  const chain = new Set([own.name, peer])
  let lowest = own.round
  for (const name of chain) {
    const { round = own.round, waitsFor = [] } = recordOf(name) ?? {}
    const others = name === own.name ? [] : waitsFor.filter((other) => other !== own.name)
    if (others.length === 0) continue
    lowest = Math.min(lowest, round)
    for (const other of others) if (chain.size <= 2 * maxChain) chain.add(other)
  }
  return Math.min(maxChain, own.round - lowest)
}
