/** What the workers and the services of `parameter-services` do: asking one service or another, and reading and writing the objects of the store. */
import { NeighboursMissingError, type PeerName } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import { concat, linear, type Range, rangeOf, type Vector } from './node/vector.js'
import { partsPerRound } from './node/early.js'
import type { Objects } from './node/objects.js'
import { cut } from './ranges.js'
import type { Arrival, Channel, NodeTraits, Route } from './record.js'

/** What travels: an update or parameters; no numbers where a worker was served by somebody else. */
export type PartChannel = Channel<{ readonly part: Vector }>

export interface ServiceOptions {
  readonly chunks: number
  readonly atomic: boolean
  readonly alpha: number
}
type ServedNode = NodeTraits<ServiceOptions>

/** The objects that the parameters are stored as. */
interface StoredRange {
  readonly key: string
  readonly range: Range
}

const all = (length: number): Range => ({ offset: 0, length })

function storedRanges({ options }: ServedNode, length: number): readonly StoredRange[] {
  return cut(all(length), options.chunks).map((range, place) => ({ key: `x${place}`, range }))
}

/** Every service is asked at most so often in a round, in turns. */
const laps = 2

/** So many replies to what was asked before are passed over while one reply is waited for. */
const maxStale = 256

/** A message between a worker and services. `turn`: how many services the worker has asked before in this round. */
export function between(
  { self }: ServedNode,
  { round, turn }: Turn,
  peers: readonly PeerName[],
  { length }: Vector
): Route {
  return { peer: self, round, part: turn, range: all(length), to: peers, from: peers }
}

interface Turn {
  readonly round: number
  readonly turn: number
}

/** What a service replied, and which one: the place among all. */
interface Served {
  readonly x: Vector
  readonly service: number
}

/** A worker's side. */
type AskingNode = ServedNode & { readonly up: PartChannel; readonly down: PartChannel }

/** A service's side. */
type ServingNode = AskingNode & { readonly store: Objects }

/**
 * Hands a part to a service and gives its reply. A service that does not reply in time is left for the next, by name. Those that were not asked are told that
 * the round went on without them.
 *
 * @param first - the place of the service to begin with
 * @throws NeighboursMissingError when none replies
 */
export async function askAny(node: AskingNode, round: number, first: number, part: Vector): Promise<Served> {
  const services = node.peers('server')
  const asked = new Map<PeerName, number>()
  for (let turn = 0; turn < laps * services.length; turn++) {
    const name = services[(first + turn) % services.length]
    if (node.up.send(between(node, { round, turn }, [name], part), { part }).length > 0) continue
    asked.set(name, turn)
    const reply = await replyOf(node, round, asked, part.length)
    if (reply === undefined) continue
    const others = services.filter((other) => !asked.has(other))
    const nothing = rangeOf(part, all(0))
    node.up.send(between(node, { round, turn: 0 }, others, nothing), { part: nothing })
    return { x: reply.message.part, service: services.indexOf(reply.from) }
  }
  const times = `${laps} times ${services.length === 1 ? '' : 'each'}`.trimEnd()
  throw new NeighboursMissingError(
    services,
    `${node.self} was served by nobody in round ${round}: it asked ${services.join(', ')} ${times}. Is the store there?`
  )
}

/** The first reply of this round, or nothing when none comes in time. One that comes late does as well as the one that is waited for. */
async function replyOf(
  { down }: AskingNode,
  round: number,
  asked: ReadonlyMap<PeerName, number>,
  length: number
): Promise<Arrival<{ readonly part: Vector }> | undefined> {
  for (let stale = 0; stale < maxStale; stale++) {
    const arrival = await unlessMissing(down.next(() => [...asked.keys()]))
    if (arrival === undefined) return undefined
    if (arrival.round !== round || arrival.part === endPart || !asked.has(arrival.from)) continue
    if (arrival.message.part.length === length) return arrival
    down.reject(arrival, `${arrival.message.part.length} numbers in place of the ${length} parameters`)
  }
  return undefined
}

/** What was waited for; nothing when nobody sent anything in time. */
export async function unlessMissing<T>(waited: Promise<T>): Promise<T | undefined> {
  try {
    return await waited
  } catch (error) {
    if (error instanceof NeighboursMissingError) return undefined
    throw error
  }
}

/**
 * Brings what a worker sent into the store, object by object, and gives what this service now takes the parameters to be. With α = 1 it is an update u:
 * w ← w + u; below they are parameters x: w ← α w + (1 − α) x. Between reading and writing others may write, and are overwritten; `atomic` has the store add.
 */
async function bringIn(node: ServedNode & { readonly store: Objects }, initial: Vector, part: Vector): Promise<Vector> {
  const { store, options } = node
  const { alpha, atomic } = options
  const parts: Vector[] = []
  for (const { key, range } of storedRanges(node, part.length)) {
    const [start, given] = [rangeOf(initial, range), rangeOf(part, range)]
    const w = await store.get(key, start)
    const next = alpha === 1 ? linear([1, w], [1, given]) : linear([alpha, w], [1 - alpha, given])
    if (atomic) await store.add(key, linear([1, next], [-1, w]), start)
    else await store.set(key, next)
    parts.push(next)
  }
  return concat(parts)
}

/** Under this part services send what the store holds when all workers have ended. */
const endPart = partsPerRound - 1

/** How many timeouts a worker that has ended waits for the others: nobody is held up meanwhile, and some may be slow. */
const endTimeouts = 10

/** Sends all workers what the store holds at the end, and removes it where no worker may ask for it again. */
export async function sendEnd(node: ServingNode, { length }: Vector, mayRemove: boolean): Promise<void> {
  const stored = storedRanges(node, length)
  const parts: Vector[] = []
  for (const { key, range } of stored) {
    const part = await node.store.find(key, range.length)
    // Another service has removed it, and has sent it.
    if (part === undefined) return
    parts.push(part)
  }
  const x = concat(parts)
  const end = { round: node.rounds - 1, turn: endPart }
  node.down.send(between(node, end, node.peers(), x), { part: x })
  if (mayRemove) await node.store.remove(stored.map(({ key }) => key))
}

/** What the store holds when all workers have ended, so that all have the same; what one has itself when no service tells in time. */
export async function endOf(node: AskingNode, x: Vector): Promise<Vector> {
  for (let stale = 0; stale < maxStale; stale++) {
    const arrival = await unlessMissing(node.down.next(() => node.peers('server'), { timeouts: endTimeouts }))
    if (arrival === undefined) return x
    const { round, part, message } = arrival
    if (round === node.rounds - 1 && part === endPart && message.part.length === x.length) return message.part
  }
  return x
}

/** Does what a worker asks for, and says whether that is something. No numbers ask for nothing. */
export async function serve(
  node: ServingNode,
  initial: Vector,
  arrival: Arrival<{ readonly part: Vector }>
): Promise<boolean> {
  const { from, round, part: turn, message } = arrival
  const { part } = message
  const isWorker = node.peers().includes(from)
  if (isWorker && part.length === 0) return true
  if (!isWorker || part.length !== initial.length || !allFinite(part.values)) {
    node.up.reject(arrival, `${part.length} numbers that are no update of the ${initial.length} parameters`)
    return false
  }
  const x = await bringIn(node, initial, part)
  node.down.send(between(node, { round, turn }, [from], x), { part: x })
  return true
}
