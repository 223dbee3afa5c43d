import type { PeerName } from '@murmuration/core'
import { allowedGrowth, allowedPeak, growthOf, inMegabytes, type MemorySample } from './memory.js'
import type { ChildReport } from './messages.js'

/** The facts at the end, peers in the same order everywhere. */
export interface Evidence {
  readonly peers: readonly PeerName[]
  readonly reports: readonly ChildReport[]
  readonly memory: readonly (readonly MemorySample[])[]
  /** Faults so far, by kind. */
  readonly faults: Readonly<Record<string, number>>
  /** Rounds that each should have completed. */
  readonly rounds: number
  readonly vectorBytes: number
}

/** The summary of a successful soak. */
export interface SoakSummary {
  readonly rounds: number
  /** Versions that were received whole, all peers together. */
  readonly versions: number
  readonly faults: Readonly<Record<string, number>>
  readonly reconnections: number
  readonly retransmissions: number
  readonly duplicates: number
  /** The longest round, in seconds. */
  readonly longest: number
  /** Memory measurements of the peer that has the fewest. */
  readonly samples: number
  /** The peak memory of a peer's process, in 10⁶ bytes. */
  readonly peak: number
}

/** Checks the evidence. Throws an error that lists all that is wrong. */
export function verdictOf(evidence: Evidence): SoakSummary {
  const problems = evidence.peers.flatMap((name, index) =>
    problemsOf(evidence, index).map((text) => `${name}: ${text}`)
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const { reports, memory, faults, rounds } = evidence
  const sum = (pick: (report: ChildReport) => number) => reports.reduce((total, report) => total + pick(report), 0)
  return {
    rounds,
    versions: sum(({ received }) => received),
    faults,
    reconnections: sum(({ reconnections }) => reconnections),
    retransmissions: sum(({ retransmissions }) => retransmissions),
    duplicates: sum(({ duplicates }) => duplicates),
    longest: Math.max(...reports.map(({ longest }) => longest)) / 1000,
    samples: Math.min(...memory.map(({ length }) => length)),
    peak: Math.round(Math.max(...reports.map(({ peak }) => peak)) / 1e6)
  }
}

function problemsOf({ reports, memory, rounds, vectorBytes }: Evidence, index: number): string[] {
  const { received, badFrames, rounds: completed, peak } = reports[index]
  // Each peer of the ring has two neighbours.
  const due = 2 * rounds
  const problems = growthOf(memory[index], allowedGrowth(vectorBytes))
  if (completed !== rounds) problems.push(`it completed ${completed} rounds of ${rounds}`)
  if (received !== due) problems.push(`it received ${received} versions, ${due} are due`)
  if (badFrames !== 0) problems.push(`${badFrames} versions that it received were bad`)
  const max = allowedPeak(vectorBytes)
  if (peak > max) problems.push(`it had ${inMegabytes(peak)} in memory, ${inMegabytes(max)} allowed`)
  return problems
}
