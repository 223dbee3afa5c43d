/** Which peers train which stage of a model, and which of them make a line. */
import { type PeerName, type Problem, problem } from '@murmuration/core'
import { linesOf } from '@murmuration/topology'
import type { PeerEntry } from './peers.js'

/** What a topology file says of stages. */
export interface StagesGiven {
  /** How many stages there are, for peers that are dealt out in turn. */
  readonly stages?: number | undefined
  readonly peers: readonly PeerEntry[]
}

/**
 * The lines of a file, a peer for each stage; undefined where the model is not cut. Only where there are no problems.
 */
export function linesIn({ stages, peers }: StagesGiven): readonly (readonly PeerName[])[] | undefined {
  const names = peers.map(({ name }) => name)
  const count = stagesIn({ stages, peers })
  if (count === undefined) return undefined
  if (peers.every(({ stage }) => stage === undefined)) return linesOf(names, count)
  const replicas = Array.from({ length: count }, (_, stage) => peers.filter((peer) => peer.stage === stage))
  return replicas[0].map((_, line) => replicas.map((ofStage) => ofStage[line].name))
}

function stagesIn({ stages, peers }: StagesGiven): number | undefined {
  const given = peers.flatMap(({ stage }) => stage ?? [])
  return stages ?? (given.length === 0 ? undefined : Math.max(...given) + 1)
}

/** What is wrong with the stages of a file. */
export function stageProblems({ stages, peers }: StagesGiven): readonly Problem[] {
  const count = stagesIn({ stages, peers })
  if (count === undefined) return []
  const workers = peers.filter(({ role }) => role === 'worker')
  const others = peers.filter(({ role, invited }) => role === 'server' || invited)
  if (others.length > 0)
    return [problem(['peers'], `found ${others[0].name}, a server or invited, expected none where there are stages`)]
  if (workers.every(({ stage }) => stage === undefined)) return dealtProblems(count, workers.length)
  const without = workers.findIndex(({ stage }) => stage === undefined || stage >= count)
  if (without >= 0)
    return [
      problem(['peers', without], `found no stage, or one that is not below ${count}, expected a stage of each peer`)
    ]
  const counts = Array.from({ length: count }, (_, stage) => workers.filter((peer) => peer.stage === stage).length)
  if (counts.every((each) => each === counts[0])) return count > 1 ? [] : [tooFew(count)]
  return [
    problem(['peers'], `found stages of ${counts.join(', ')} peers, expected as many of each: a line has one of each`)
  ]
}

function dealtProblems(stages: number, peers: number): readonly Problem[] {
  if (stages < 2) return [tooFew(stages)]
  if (peers % stages === 0) return []
  return [problem(['stages'], `found ${stages} stages and ${peers} peers, expected a multiple of ${stages}`)]
}

function tooFew(stages: number): Problem {
  return problem(['stages'], `found ${stages}, expected at least 2, or none for a model that is not cut`)
}
