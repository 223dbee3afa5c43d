/**
 * The two sides of `parameter-services`: a worker asks the services in turn; a service reads and writes the objects of
 * the store.
 */
import { NeighboursMissingError, type PeerName, StoreError } from '@murmuration/core'
import { isShorter } from '@murmuration/vectors'
import {
  type Arrival,
  type Channel,
  concat,
  cut,
  linear,
  maxSize,
  type NodeTraits,
  type Objects,
  partsPerRound,
  type Range,
  rangeOf,
  type Route,
  type Vector
} from '@murmuration/engine'

/** What travels: an update or parameters; no numbers where another service has served the worker. */
export type PartChannel = Channel<{ readonly part: Vector }>

export interface ServiceOptions {
  readonly chunks: number
  readonly atomic: boolean
  readonly alpha: number
}
type StoredNode = NodeTraits<ServiceOptions>

/** The objects that the parameters are stored as. */
interface StoredRange {
  readonly key: string
  readonly range: Range
}

const all = (length: number): Range => ({ offset: 0, length })

function storedRanges({ options }: StoredNode, length: number): readonly StoredRange[] {
  return cut(all(length), options.chunks).map((range, index) => ({ key: `x${index}`, range }))
}

/** How often a worker asks each service in a round, at most. */
const laps = 2

/** How many outdated replies a worker skips while it waits for one. */
const maxStale = 256

/** A message between a worker and services. `turn`: how many requests the worker has sent before in this round. */
export function between(
  { self }: StoredNode,
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

/** What a service replied, and its index among all. */
interface Served {
  readonly x: Vector
  readonly service: number
}

/** A worker's side. */
type AskingNode = StoredNode & { readonly up: PartChannel; readonly down: PartChannel }

/** A service's side. */
type ServingNode = AskingNode & { readonly store: Objects }

/**
 * Sends a part to a service and returns its reply. If the service does not reply in time, asks the next by name. The
 * services that were not asked are notified that the round is over.
 *
 * @param first - the index of the service to begin with
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
    `no service answered ${node.self} in round ${round}: it asked ${services.join(', ')} ${times}; check the services and their store`
  )
}

/**
 * The first reply of this round; undefined when none arrives in time. A late reply of another service is as good as the
 * awaited one.
 */
async function replyOf(
  node: AskingNode,
  round: number,
  asked: ReadonlyMap<PeerName, number>,
  length: number
): Promise<Arrival<{ readonly part: Vector }> | undefined> {
  const { down } = node
  for (let stale = 0; stale < maxStale; stale++) {
    const arrival = await unlessMissing(down.next(() => [...asked.keys()]))
    if (arrival === undefined) return undefined
    if (!isReply(node, arrival)) continue
    if (arrival.round !== round || arrival.part === endPart || !asked.has(arrival.from)) continue
    if (arrival.message.part.length === length) return arrival
    down.reject(arrival, `${arrival.message.part.length} numbers, expected the ${length} parameters`)
  }
  return undefined
}

/** Whether a message answers a request that a worker may make, or is the end; another is its sender's fault. */
function isReply({ down, peers }: AskingNode, arrival: Arrival<{ readonly part: Vector }>): boolean {
  const { part } = arrival
  const requests = laps * peers('server').length
  if (part < requests || part === endPart) return true
  down.reject(arrival, `a reply to request ${part} of a round; there are at most ${requests}`)
  return false
}

/** The result; undefined when no message arrived in time. */
export async function unlessMissing<T>(waited: Promise<T>): Promise<T | undefined> {
  try {
    return await waited
  } catch (error) {
    if (error instanceof NeighboursMissingError) return undefined
    throw error
  }
}

/**
 * Merges what a worker sent into the store, object by object, and returns this service's view of the parameters;
 * undefined where a sum is too large to be a parameter, which is not written. With α = 1 it is an update u: w ← w + u;
 * below 1 it is parameters x: w ← α w + (1 − α) x. Writes of others between the read and the write are overwritten;
 * with `atomic` the store adds.
 *
 * @throws StoreError where the numbers in the store are too large already
 */
async function bringIn(
  node: StoredNode & { readonly store: Objects },
  initial: Vector,
  part: Vector
): Promise<Vector | undefined> {
  const { store, options } = node
  const { alpha, atomic } = options
  const parts: Vector[] = []
  for (const { key, range } of storedRanges(node, part.length)) {
    const start = rangeOf(initial, range)
    const sent = rangeOf(part, range)
    const w = await store.get(key, start)
    if (!isShorter(w.values, maxSize))
      throw new StoreError(`${key} in the store has NaN or numbers too large for parameters: a service wrote them`)
    const next = alpha === 1 ? linear([1, w], [1, sent]) : linear([alpha, w], [1 - alpha, sent])
    if (!isShorter(next.values, maxSize)) return undefined
    if (atomic) await store.add(key, linear([1, next], [-1, w]), start)
    else await store.set(key, next)
    parts.push(next)
  }
  return concat(parts)
}

/** The part under which services send the content of the store when all workers have ended. */
const endPart = partsPerRound - 1

/** How many timeouts a worker that has ended waits for the others: this holds up no peer, and some may be slow. */
const endTimeouts = 10

/** Sends all workers the content of the store at the end, and removes it where no worker can ask for it again. */
export async function sendEnd(node: ServingNode, { length }: Vector, mayRemove: boolean): Promise<void> {
  const stored = storedRanges(node, length)
  const parts: Vector[] = []
  for (const { key, range } of stored) {
    const part = await node.store.find(key, range.length)
    // Another service has sent and removed it.
    if (part === undefined) return
    parts.push(part)
  }
  const x = concat(parts)
  const end = { round: node.rounds - 1, turn: endPart }
  node.down.send(between(node, end, node.peers(), x), { part: x })
  if (mayRemove) await node.store.remove(stored.map(({ key }) => key))
}

/**
 * The content of the store when all workers have ended, so that all have the same; the worker's own x when no service
 * sends it in time.
 */
export async function endOf(node: AskingNode, x: Vector): Promise<Vector> {
  for (let stale = 0; stale < maxStale; stale++) {
    const arrival = await unlessMissing(node.down.next(() => node.peers('server'), { timeouts: endTimeouts }))
    if (arrival === undefined) return x
    const { round, part, message } = arrival
    if (!isReply(node, arrival)) continue
    if (round === node.rounds - 1 && part === endPart && message.part.length === x.length) return message.part
  }
  return x
}

/** Serves a request of a worker, and returns whether it was valid. A message without numbers requests nothing. */
export async function serve(
  node: ServingNode,
  initial: Vector,
  arrival: Arrival<{ readonly part: Vector }>
): Promise<boolean> {
  const { from, round, part: turn, message } = arrival
  const { part } = message
  const isWorker = node.peers().includes(from)
  if (isWorker && part.length === 0) return true
  const isRight = isWorker && part.length === initial.length
  const x = isRight ? await bringIn(node, initial, part) : undefined
  if (x === undefined) {
    node.up.reject(arrival, `${part.length} numbers that are no valid update of the ${initial.length} parameters`)
    return false
  }
  node.down.send(between(node, { round, turn }, [from], x), { part: x })
  return true
}
