/** Runs the swarm of a seed, and reports what is wrong with it. */
import type { Algorithm } from '@murmuration/algorithms'
import type { PeerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import { consensusDistance } from '@murmuration/vectors'
import { type MemberSwarm, namesOf, runMembers, type SwarmEnd } from '../member-swarm.js'
import { type DrawnSwarm, drawSwarm, type ExchangeKind, healedAt } from './draw-swarm.js'
import { SwarmWatch } from './swarm-watch.js'
import { isExchanging } from './watched-record.js'

/** What a mutant of a rule, or another kind of run, changes. */
export interface Mutation extends Pick<MemberSwarm, 'membersOf'> {
  readonly exchanges?: ExchangeKind
  readonly algorithmOf?: (algorithm: Algorithm) => Algorithm
}

/**
 * How far apart the models may be in the end. They begin at least 1 apart; on a path of 16 peers 160 rounds leave an
 * eighth.
 */
const maxApart = (peers: number) => (peers <= 8 ? 0.05 : 0.4)

export async function trySwarm(
  swarm: DrawnSwarm,
  { algorithmOf, membersOf }: Mutation = {}
): Promise<readonly string[]> {
  const names = namesOf(swarm.peers)
  const topology = createTopology({ peers: names, graph: swarm.graph })
  const { algorithm, codec, timeout } = swarm
  const options = { topology, algorithm, isLossless: codec === 'float32', longestRound: 5 * timeout + 2000, healedAt }
  const watch = new SwarmWatch({ ...options, ...(algorithmOf && { algorithmOf }) })
  const end = await runMembers({ ...swarm, watch, ...(membersOf && { membersOf }) })
  const { lost, models, ended } = end
  const isSummed = !isExchanging(algorithm) && swarm.finalRounds === 0
  const late = names.filter((name) => isTooLate(swarm, name))
  const staying = names.filter((name) => !swarm.gone.includes(name) && !late.includes(name))
  const absent = staying.filter((name) => !models.has(name))
  const apart = models.size === 0 ? 0 : consensusDistance([...models.values()])
  return [
    ...watch.findings.filter((finding) => !late.some((name) => finding.startsWith(`${name} takes `))),
    ...[...lost].flatMap(([name, reason]) => (late.includes(name) ? [] : reason)),
    ...(absent.length === 0 ? [] : [`${absent.join()} did not reach the end`]),
    ...stopProblems(swarm, ended),
    ...(!isSummed || !options.isLossless ? [] : sumProblems(end, names.length, swarm.rounds)),
    ...(isSummed || apart <= maxApart(swarm.peers) ? [] : [`the models are ${apart} apart`])
  ]
}

/**
 * Whether a peer may come too late: it begins anew, is frozen or cut off when the others have agreed to end training,
 * and may have left.
 */
function isTooLate({ stopsAt = Number.POSITIVE_INFINITY, faults }: DrawnSwarm, name: PeerName): boolean {
  return (faults?.events ?? []).some((event) => {
    if (event.at < stopsAt || ['crash', 'leave', 'freeze', 'partition', 'clog'].includes(event.kind)) return false
    return !('peer' in event) || event.peer === name
  })
}

/** Where the peers agree on a last round of training, all have the same that were not cut off then. */
function stopProblems(swarm: DrawnSwarm, ended: SwarmEnd['ended']): readonly string[] {
  const { stopsAt } = swarm
  if (stopsAt === undefined) return []
  if (ended.size === 0) return [`training went on, and should have ended at ${stopsAt} ms`]
  const there = [...ended].filter(([name]) => !isTooLate(swarm, name))
  if (new Set(there.map(([, round]) => round)).size <= 1) return []
  const rounds = there.map(([name, round]) => `${name} ${round}`)
  return [`training, to end after ${stopsAt} ms, ended in different rounds: ${rounds.join(', ')}`]
}

/**
 * Where every peer has kept its one life, the sum of all values is the sum of what optimisers have added, and
 * push-sum's weights sum to the number of peers.
 */
function sumProblems({ books }: SwarmEnd, count: number, rounds: number): readonly string[] {
  const lives = [...books.values()]
  if (lives.length < count || lives.some(({ life }) => life > 1)) return []
  const difference = [0, 1, 2, 3].map((d) => Math.abs(lives.reduce((sum, { x, moved }) => sum + x[d] - moved[d], 0)))
  const weight = lives.reduce((sum, { w }) => sum + w, 0)
  // Numbers up to 4 are rounded to float32 at most three times in a round of a peer.
  const bound = 3 * count * rounds * 2 ** -23
  return [
    ...(Math.max(...difference) < bound ? [] : [`the sum over the peers is off by ${Math.max(...difference)}`]),
    ...(Math.abs(weight - count) < 1e-9 ? [] : [`the weights of ${count} peers sum to ${weight}`])
  ]
}

/** What is wrong with the swarm of a seed: one sentence each. */
export function problemsWith(seed: number, mutation?: Mutation): Promise<readonly string[]> {
  return trySwarm(drawSwarm(seed, mutation?.exchanges), mutation).catch((error: unknown) => [String(error)])
}
