import type { PeerName } from '@murmuration/core'
import { compareTexts, type PeerRecord } from './records.js'

/** A chain of waiting peers is followed so far. */
const maxChain = 4

/** The lower median of the rounds of these records: one liar among three or more cannot move it beyond what others say. */
export function medianRound(records: readonly PeerRecord[]): number | undefined {
  const rounds = records.map(({ round }) => round).sort((a, b) => a - b)
  return rounds.length === 0 ? undefined : rounds[(rounds.length - 1) >> 1]
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

/** How many peers stand one behind the other in the wait for `peer`: whoever waits for others itself is blamed after them. */
export function chainLength(
  peer: PeerName,
  round: number,
  recordOf: (peer: PeerName) => PeerRecord | undefined,
  visited: ReadonlySet<PeerName>
): number {
  const record = recordOf(peer)
  if (record === undefined || record.round > round || visited.size > maxChain) return 0
  const onTheWay = new Set([...visited, peer])
  const next = record.waitsFor.filter((other) => !onTheWay.has(other))
  if (next.length === 0) return 0
  return 1 + Math.max(...next.map((other) => chainLength(other, round, recordOf, onTheWay)))
}
