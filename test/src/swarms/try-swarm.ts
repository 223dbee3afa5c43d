/** Runs the swarm of a seed, and says what is wrong with it. */
import type { Algorithm } from '@murmuration/algorithms'
import { createTopology } from '@murmuration/topology'
import { consensusDistance } from '@murmuration/vectors'
import { type MemberSwarm, namesOf, runMembers } from '../member-swarm.js'
import { type DrawnSwarm, drawSwarm, healedAt } from './draw-swarm.js'
import { SwarmWatch } from './swarm-watch.js'

/** What a mutant of a rule changes. */
export interface Mutation extends Pick<MemberSwarm, 'membersOf'> {
  readonly algorithmOf?: (algorithm: Algorithm) => Algorithm
}

/** How far apart the models may be in the end. They begin 1 or more apart; on a path of 16 peers 160 rounds leave an eighth. */
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
  const { lost, models } = await runMembers({ ...swarm, watch, ...(membersOf && { membersOf }) })
  const staying = names.filter((name) => !swarm.gone.includes(name))
  const absent = staying.filter((name) => !models.has(name))
  const apart = models.size === 0 ? 0 : consensusDistance([...models.values()])
  return [
    ...watch.findings,
    ...[...lost.values()],
    ...(absent.length === 0 ? [] : [`${absent.join()} did not come to the end`]),
    ...(apart <= maxApart(swarm.peers) ? [] : [`the models are ${apart} apart`])
  ]
}

/** What is wrong with the swarm of a seed: one sentence each. */
export function wrongWith(seed: number, mutation?: Mutation): Promise<readonly string[]> {
  return trySwarm(drawSwarm(seed), mutation).catch((error: unknown) => [String(error)])
}
