/**
 * Which workers take part in a merge: a quorum, and those that arrive before nothing has arrived for the grace window.
 */
import type { Milliseconds, PeerName } from '@murmuration/core'
import * as z from 'zod'
import { type Arrival, type Channel, linearOf, type Term, type Vector } from '@murmuration/engine'
import { type Chunk, chunkOf, chunksOf, heldBy, joined, type RangeChannel, type ServedNode } from './servers.js'

/** When a server merges. */
export const quorumOptions = {
  quorum: z
    .int()
    .min(1)
    .default(1)
    .meta({ description: 'K, how many workers must have finished H steps before a merge' }),
  grace: z
    .number()
    .min(0)
    .default(1000)
    .meta({ description: 'How many milliseconds a server then waits for the next worker' })
}

/** A worker's change of a range, in how many steps, and how many steps it has left. */
export type Change = { readonly part: Vector; readonly steps: number; readonly left: number }

/**
 * What a server knows of a worker: steps left, merges that it was in, 1 if it missed the last one, and its changes
 * since, by part, with their round.
 */
export type Attendance = {
  readonly left: number
  readonly merges: number
  readonly isLate: number
  readonly come: Readonly<Record<string, Change & { readonly round: number }>>
}
export type Workers = Readonly<Record<PeerName, Attendance>>

/** What gathering needs of a server. */
export interface GatheringNode extends ServedNode {
  readonly options: ServedNode['options'] & {
    readonly period: number
    readonly quorum: number
    readonly grace: Milliseconds
  }
  readonly timeout: Milliseconds
  readonly up: Channel<Change>
  readonly call: Channel<Readonly<Record<never, never>>>
}

/** The workers before any message. */
export function initialWorkers({ peers, rounds: left }: ServedNode): Workers {
  return Object.fromEntries(peers().map((worker) => [worker, { left, merges: 0, isLate: 0, come: {} }]))
}

/** The workers with steps left, in the order of names. */
export function openOf(node: ServedNode, of: Workers): readonly PeerName[] {
  return node.peers().filter((worker) => of[worker].left > 0)
}

/** The workers whose changes have arrived for all chunks of this server. */
export function presentOf(node: ServedNode, of: Workers): readonly PeerName[] {
  return openOf(node, of).filter((worker) => Object.keys(of[worker].come).length === heldBy(node).length)
}

/**
 * Waits until a quorum of the workers that were in the last merge is present (all that are left, where they are fewer).
 * Then it calls the others of these for their changes so far, and waits until nothing has arrived for the grace window.
 * A called worker that does not arrive is late: no merge waits for it until it arrives. Where all workers left are
 * late, and nothing arrives for two timeouts, they have ended.
 *
 * @throws NeighboursMissingError when a quorum does not arrive in two timeouts
 */
export async function gathered(node: GatheringNode, before: Workers): Promise<Workers> {
  const of = { ...before }
  const { quorum, grace } = node.options
  const isHere = (worker: PeerName) => presentOf(node, of).includes(worker)
  const expected = openOf(node, of).filter((worker) => of[worker].isLate === 0)
  const awaited = () => expected.filter((worker) => !isHere(worker))
  const enough = Math.min(quorum, Math.max(1, expected.length))
  while (openOf(node, of).length > 0 && presentOf(node, of).length < enough) {
    const isAny = awaited().length > 0
    const arrival = isAny
      ? await node.up.next(awaited, { timeouts: 2 })
      : await node.up.arrived({ within: 2 * node.timeout })
    if (arrival !== undefined) take(node, of, arrival)
    else for (const worker of openOf(node, of)) of[worker] = { ...of[worker], left: 0 }
  }
  for (const worker of awaited())
    node.call.send({ peer: node.self, round: of[worker].merges, to: [worker], from: [] }, {})
  while (awaited().length > 0) {
    const arrival = await node.up.arrived({ within: grace })
    if (arrival === undefined) break
    take(node, of, arrival)
  }
  return of
}

/**
 * The servers' parameters after merging what this worker sent in a round.
 *
 * @throws NeighboursMissingError that names the servers that did not answer, later than a server would name the workers
 *   that it waits for
 */
export async function mergedWith(
  node: GatheringNode & { readonly down: RangeChannel },
  round: number
): Promise<Vector> {
  const { peers, timeout, options } = node
  const { quorum, grace } = options
  const timeouts = 2 * Math.min(quorum, peers().length) + 1 + (peers().length * grace) / timeout
  const parts: Vector[] = []
  const isOpen = ({ part }: Chunk) => !(part in parts)
  const silent = () => peers('server').filter((name) => chunksOf(node).some((c) => c.server === name && isOpen(c)))
  while (silent().length > 0) {
    const arrival = await node.down.next(silent, { timeouts })
    const chunk = chunkOf(node, node.down, arrival)
    if (chunk === undefined) continue
    if (arrival.round === round && isOpen(chunk)) parts[chunk.part] = arrival.message.part
    else node.down.reject(arrival, `a merge of round ${arrival.round}; expected ${round}`)
  }
  return joined(node, parts)
}

function take(node: GatheringNode, of: Record<PeerName, Attendance>, arrival: Arrival<Change>): void {
  const { from, round, message } = arrival
  const { steps, left } = message
  const chunk = chunkOf(node, node.up, arrival)
  if (chunk === undefined) return
  const isCount = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max
  if (!isCount(steps, 1, node.options.period) || !isCount(left, 0, of[from].left - 1))
    return node.up.reject(
      arrival,
      `${steps} steps done and ${left} left, of ${of[from].left}; a merge takes at most ${node.options.period}`
    )
  of[from] = { ...of[from], come: { ...of[from].come, [chunk.part]: { ...message, round } } }
}

/**
 * `Σ w Δ / Σ w` over the workers present, with w the steps of each: tokens · tokens / steps, where all steps take as
 * many tokens.
 */
export function meanByWork(of: Workers, present: readonly PeerName[], part: number): Vector {
  const all = present.map((worker) => of[worker].come[part])
  const work = all.reduce((sum, { steps }) => sum + steps, 0)
  return linearOf(all.map(({ steps, part: Δ }): Term<Vector> => [steps / work, Δ]))
}

/** The workers after a merge of those present. */
export function merged(node: ServedNode, before: Workers): Workers {
  const present = presentOf(node, before)
  const of = { ...before }
  for (const worker of openOf(node, before)) {
    const { merges, come } = before[worker]
    const [first] = Object.values(come)
    if (present.includes(worker)) of[worker] = { left: first.left, merges: merges + 1, isLate: 0, come: {} }
    else of[worker] = { ...before[worker], isLate: 1 }
  }
  return of
}
