/** The models of lines, whose peers have a stage each: as if each line were a peer, named as its first one. */
import type { PeerName } from '@murmuration/core'
import { grouped } from '@murmuration/data'
import type { PipelineOfFile } from '@murmuration/files'
import type { Traffic } from '@murmuration/libp2p'
import type { PeerResult } from '../one-peer/run-peer.js'
import type { Snapshot } from '../reporting/snapshots.js'
import type { PeerResults } from './summary.js'

type Lines = PipelineOfFile['lines']

/** Joins what the peers of a line report of a round. */
export class LineSnapshots {
  readonly #lines: Lines
  readonly #rounds = new Map<string, Map<PeerName, Snapshot>>()

  constructor(lines: Lines) {
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
    parameters: concat(stages.map(({ parameters }) => parameters))
  }
}

/** The results of the lines of which all peers have finished. */
export function resultsOfLines(lines: Lines, results: PeerResults): PeerResults {
  const joined = lines.flatMap((line) => {
    const stages = line.flatMap((peer) => results.get(peer) ?? [])
    return stages.length < line.length ? [] : [[line[0], joinedResult(stages)] as const]
  })
  return new Map(joined)
}

function joinedResult(stages: readonly PeerResult[]): PeerResult {
  const [first] = stages
  const schema = stages.flatMap(({ task }) => task.schema)
  const parameters = concat(stages.map((stage) => stage.parameters))
  const { stage: _, ...about } = first.task.about
  const mean = (figureOf: (stage: PeerResult) => number) =>
    stages.reduce((sum, stage) => sum + figureOf(stage), 0) / stages.length
  return {
    ...first,
    parameters,
    task: {
      ...first.task,
      schema,
      about: { ...about, stages: `${stages.length}, ${grouped(parameters.length)} parameters` }
    },
    seconds: Math.max(...stages.map(({ seconds }) => seconds)),
    waiting: mean(({ waiting }) => waiting),
    working: mean(({ working }) => working),
    apartAfterTraining: Math.max(...stages.map(({ apartAfterTraining }) => apartAfterTraining)),
    faults: stages.flatMap(({ faults }) => faults),
    traffic: stages.map(({ traffic }) => traffic).reduce(sumOfTraffic)
  }
}

function sumOfTraffic(left: Traffic, right: Traffic): Traffic {
  const sum = <Figures extends object>(one: Figures, other: Figures): Figures =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [name, value + Number(Reflect.get(other, name))])
    ) as Figures
  const { sent, received, ...counts } = left
  return { ...sum(counts, right), sent: sum(sent, right.sent), received: sum(received, right.received) }
}

function concat(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}
