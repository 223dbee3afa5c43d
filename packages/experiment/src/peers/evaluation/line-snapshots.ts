/** The models of lines, whose peers have a stage each: as if each line were a peer, named as its first one. */
import type { PeerName } from '@murmuration/core'
import type { PipelineOfFile } from '@murmuration/files'
import { joinedVector } from '../../base/joined-vector.js'
import type { Snapshot } from '../reporting/snapshots.js'

/** Joins what the peers of a line report of a round. */
export class LineSnapshots {
  readonly #lines: PipelineOfFile['lines']
  readonly #rounds = new Map<string, Map<PeerName, Snapshot>>()

  constructor(lines: PipelineOfFile['lines']) {
    this.#lines = lines
  }

  /** Takes a stage's snapshot. Returns that of the line, with its first peer, once all stages are there. */
  take(peer: PeerName, snapshot: Snapshot): { readonly peer: PeerName; readonly snapshot: Snapshot } | undefined {
    const line = this.#lines.find((peers) => peers.includes(peer))
    if (line === undefined) return undefined
    const key = `${line[0]} ${snapshot.round}`
    const ofRound = this.#rounds.get(key) ?? new Map<PeerName, Snapshot>()
    this.#rounds.set(key, ofRound.set(peer, snapshot))
    const all = line.flatMap((each) => ofRound.get(each) ?? [])
    if (all.length < line.length) return undefined
    this.#rounds.delete(key)
    return { peer: line[0], snapshot: joinedSnapshot(all) }
  }
}

function joinedSnapshot(stages: readonly Snapshot[]): Snapshot {
  return {
    ...stages[0],
    seconds: Math.max(...stages.map(({ seconds }) => seconds)),
    bytes: stages.reduce((sum, { bytes }) => sum + bytes, 0),
    parameters: joinedVector(stages.map(({ parameters }) => parameters))
  }
}
