/** The models of lines, whose peers have a stage each: as if each line were a peer, named as its first one. */
import { linesAmong } from '@murmuration/algorithms'
import type { PeerName } from '@murmuration/core'
import type { PipelineOfFile } from '@murmuration/files'
import { joinedVector } from '../../base/joined-vector.js'
import type { Snapshot } from '../reporting/snapshots.js'

/** Joins what the peers of a line report of a round. */
export class LineSnapshots {
  readonly #all: PipelineOfFile['lines']
  #lines: PipelineOfFile['lines']
  /** What has come of a round. */
  readonly #rounds = new Map<number, Map<PeerName, Snapshot>>()

  constructor(lines: PipelineOfFile['lines']) {
    this.#all = this.#lines = lines
  }

  /** From now on lines are those of these peers, where a line is lost with its first one. */
  follow(peers: readonly PeerName[]): void {
    this.#lines = modelsAmong(this.#all, (peer) => peers.includes(peer))
  }

  /** Takes a stage's snapshot. Returns those of lines of which all stages are there now, with their first peers. */
  take(peer: PeerName, snapshot: Snapshot): readonly { readonly peer: PeerName; readonly snapshot: Snapshot }[] {
    const ofRound = this.#rounds.get(snapshot.round) ?? new Map<PeerName, Snapshot>()
    this.#rounds.set(snapshot.round, ofRound.set(peer, snapshot))
    const lines = this.#lines.flatMap((line) => {
      const stages = line.includes(peer) ? line.flatMap((each) => ofRound.get(each) ?? []) : []
      return stages.length < line.length ? [] : [{ peer: line[0], snapshot: joinedSnapshot(stages) }]
    })
    const isOver = this.#lines.flat().every((each) => ofRound.has(each))
    if (isOver) for (const round of [...this.#rounds.keys()]) if (round <= snapshot.round) this.#rounds.delete(round)
    return lines
  }
}

/**
 * The lines with a model to count among these peers: another peer has the place of one that is gone, and what a line
 * without its first peer has learned is in the models of others.
 */
export function modelsAmong(
  lines: PipelineOfFile['lines'],
  isThere: (peer: PeerName) => boolean
): PipelineOfFile['lines'] {
  const among = linesAmong(lines, isThere) ?? []
  return among.filter(([first], index) => first === lines[index][0])
}

function joinedSnapshot(stages: readonly Snapshot[]): Snapshot {
  return {
    ...stages[0],
    seconds: Math.max(...stages.map(({ seconds }) => seconds)),
    bytes: stages.reduce((sum, { bytes }) => sum + bytes, 0),
    parameters: joinedVector(stages.map(({ parameters }) => parameters))
  }
}
