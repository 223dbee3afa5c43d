/**
 * Histories of reads and adds by workers of simulated peers: the operations, the delays of messages, and the rows that
 * move are all drawn from one seed.
 */
import {
  type IntentOptions,
  IntentKeyServer,
  KeyPeer,
  Keys,
  type KeySetting,
  type KeyServer,
  RelocatingKeyServer,
  type SendTo,
  StaleKeyServer,
  type StalenessOptions
} from '@murmuration/algorithms'
import { type Fabric, messageOf, type PeerName, peerName, type Random } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { createRandom } from '@murmuration/random'
import { simulate, type SimulationOptions } from '@murmuration/simulator'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'
import { complete, overLibp2p, type WorldProgram } from '../worlds.js'
import { addsIn, type KeyEvent, inconsistency, maxAdds, rowOfAdd, rowWidth } from './consistency.js'
import { forgotten, tooStale } from './weaker.js'

/** The maximum numbers of a message. */
const messageLength = 1000

export type OpenServer = (setting: KeySetting, send: SendTo, start: Float32Array) => KeyServer

/** A kind of key server, and what it promises. */
export interface ServerKind {
  readonly open: OpenServer
  /** What is wrong with a history, in words. */
  readonly problemOf: (events: readonly KeyEvent[]) => string | undefined
  /** The fraction of the workers' operations that tick their clocks; 0 when absent. */
  readonly ticks?: number
  /** Whether workers announce intents instead of moving rows. */
  readonly intends?: boolean
}

/** Rows that move; operations that are waited for are sequentially consistent, key by key. */
export const moving = (open: OpenServer): ServerKind => ({ open, problemOf: inconsistency })
const lapse = moving((setting, send, start) => new RelocatingKeyServer(setting, send, start))

type OpenStale = (...given: [...Parameters<OpenServer>, StalenessOptions]) => KeyServer

/** Copies of bounded staleness: 0, 1 or 2 by the seed, synchronised by client or server. */
export function stale(seed: number, open: OpenStale = (...given) => new StaleKeyServer(...given)): ServerKind {
  const options = { staleness: seed % 3, synchronisation: seed % 2 === 0 ? 'client' : 'server' } as const
  return {
    open: (...given) => open(...given, options),
    problemOf: (events) => tooStale(events, options.staleness) ?? forgotten(events),
    ticks: 0.3
  }
}

type OpenIntent = (...given: [...Parameters<OpenServer>, IntentOptions]) => KeyServer

/** Rows that move or are copied, as workers intend; copies are refreshed after 1 to 4 ticks, by the seed. */
export function intended(seed: number, open: OpenIntent = (...given) => new IntentKeyServer(...given)): ServerKind {
  return {
    open: (...given) => open(...given, { every: 1 + (seed % 4) }),
    problemOf: forgotten,
    ticks: 0.3,
    intends: true
  }
}

/** The result for a seed. */
export interface HistoryResult {
  /** What is wrong, in words; nothing when all is right. */
  readonly problem: string | undefined
  readonly operations: number
  readonly moved: number
  readonly queued: number
  readonly copied: number
}

/** The parameters of a history, drawn from its seed. */
export interface Drawn {
  readonly peers: readonly PeerName[]
  readonly workers: number
  readonly count: number
  readonly operations: number
  /** The fraction of the workers' operations that move rows. */
  readonly moves: number
  readonly latency: number
  readonly jitter: number
  /** The longest pause of a worker between two operations. */
  readonly pause: number
}

function drawnFrom(random: Random): Drawn {
  const peers = Array.from({ length: 2 + random.integer(3) }, (_, place) => peerName(`p${place}`))
  return {
    peers,
    workers: 1 + random.integer(3),
    count: 1 + random.integer(5),
    operations: 4 + random.integer(12),
    moves: random.uniform() * 0.7,
    latency: 1 + random.integer(5),
    jitter: random.integer(20),
    pause: [0, 2, 20][random.integer(3)]
  }
}

/** Peers with the given delays of messages. */
export function setting(
  peers: readonly PeerName[],
  seed: number,
  { latency, jitter }: Pick<Drawn, 'latency' | 'jitter'>
): SimulationOptions<VectorMessage> {
  const infinite = Number.POSITIVE_INFINITY
  const path = { latency, jitter, loss: 0, bandwidth: infinite, window: infinite, pipes: [] }
  const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
  return {
    topology: { peers, period: 1, mixing },
    seed,
    links: { access: () => ({ up: 1e6, down: 1e6 }), path: () => path },
    wire: { ...vectorWire, ...weighed(1000) },
    cost: () => 0,
    faults: { rules: [], events: [] }
  }
}

/** The world in which a history runs: peers with given delays of messages, or with real ones. */
export type Play = (drawn: Drawn, seed: number, program: WorldProgram) => Promise<unknown>

const inVirtualTime: Play = async ({ peers, latency, jitter }, seed, program) => {
  const { rejected } = await simulate(setting(peers, seed, { latency, jitter }), program)
  for (const [peer, count] of rejected) throw new Error(`${count} messages of ${peer} were refused`)
}

/** On real peers: the same operations, but in an order that differs from run to run. */
export const onLibp2p: Play = async ({ peers }, seed, program) => {
  let all: readonly Peer[] = []
  await overLibp2p({ topology: complete(...peers), seed, length: messageLength }, program, (ready) => (all = ready))
  for (const { faults, name } of all.flatMap((peer) => peer.neighbours()))
    if (Object.keys(faults.kinds).length > 0) throw new Error(`messages of ${name} were refused`)
}

/** Runs the history of a seed, on peers whose rows are served by `served`. */
export async function history(
  seed: number,
  served: ServerKind = lapse,
  play: Play = inVirtualTime
): Promise<HistoryResult> {
  const drawn = drawnFrom(createRandom(seed, 'history'))
  const { count } = drawn
  const events: KeyEvent[] = []
  const held: Map<number, Float32Array> = new Map()
  const adds = new Array<number>(count).fill(0)
  const totals = { moved: 0, queued: 0, copied: 0 }
  try {
    await play(drawn, seed, async (fabric) => {
      const peer = await act(fabric, drawn, { events, adds, served, seed })
      const { keys, rows } = peer.server.held()
      for (const [place, key] of keys.entries()) {
        if (held.has(key)) throw new Error(`two peers hold the row of key ${key}`)
        held.set(key, rows.slice(place * rowWidth, (place + 1) * rowWidth))
      }
      totals.moved += peer.server.counts.moved
      totals.queued += peer.server.counts.queued
      totals.copied += peer.server.counts.copied
    })
  } catch (error) {
    return { problem: messageOf(error), operations: events.length, ...totals }
  }
  const problem = served.problemOf(events) ?? lostOf(adds, held)
  return { problem, operations: events.length, ...totals }
}

/** Checks that every add has happened exactly once. */
function lostOf(adds: readonly number[], held: ReadonlyMap<number, Float32Array>): string | undefined {
  for (const [key, count] of adds.entries()) {
    const row = held.get(key)
    if (row === undefined) return `no peer holds the row of key ${key}`
    const found = addsIn(row, key)
    if (typeof found === 'string') return found
    if (found.size !== count) return `the row of key ${key} has ${found.size} adds of ${count}`
  }
  return undefined
}

interface Played {
  readonly events: KeyEvent[]
  /** The number of adds to each key. */
  readonly adds: number[]
  readonly served: ServerKind
  readonly seed: number
}

async function act(fabric: Fabric<VectorMessage>, drawn: Drawn, played: Played): Promise<KeyPeer> {
  const { peers, workers, count } = drawn
  const start = new Float32Array(count * rowWidth)
  const peer = new KeyPeer(fabric, {
    peers,
    workers: peers,
    timeout: 10_000,
    count,
    width: rowWidth,
    length: messageLength,
    server: (setting, send) =>
      played.served.open({ ...setting, count, width: rowWidth, holders: peers.length, workers }, send, start)
  })
  const close = peer.serve()
  let ended = 0
  let failure: { readonly error: unknown } | undefined
  for (let worker = 0; worker < workers; worker++)
    fabric.spawn(async (own) => {
      const name = `${fabric.self}.${worker}`
      await work(own, new Keys(own, peer, worker), name, drawn, played).catch(
        (error: unknown) => (failure ??= { error })
      )
      ended++
      peer.wakeAll()
    })
  const isOver = () => failure !== undefined || (ended === workers && peer.server.open === 0)
  await peer.until(fabric, isOver, (silence) => {
    if (silence > 3) throw peer.unanswered(silence)
  })
  if (failure !== undefined) throw failure.error
  await peer.endPhase(fabric)
  close()
  return peer
}

async function work(
  own: Fabric<VectorMessage>,
  keys: Keys,
  worker: string,
  { count, operations, moves, pause }: Drawn,
  { events, adds, seed, served: { ticks = 0, intends = false } }: Played
): Promise<void> {
  const random = createRandom(seed, worker)
  let clock = 0
  for (let order = 0; order < operations; order++) {
    const some = Uint32Array.from({ length: count }, (_, key) => key).filter(() => random.uniform() < 0.5)
    if (pause > 0) await own.sleep(own.now() + random.integer(pause))
    if (ticks > 0 && random.uniform() < ticks) {
      await keys.tick()
      clock++
    } else if (random.uniform() < moves) {
      if (intends) keys.intend(some, clock + 1 + random.integer(3))
      else if (random.uniform() < 0.5) keys.localizeAsync(some)
      else await keys.localize(some)
    } else if (random.uniform() < 0.5 && some.every((key) => adds[key] < maxAdds)) {
      const isAwaited = random.uniform() < 0.8
      const values = new Float32Array(some.length * rowWidth)
      for (const [place, key] of some.entries()) {
        const add = adds[key]++
        values.set(rowOfAdd(add), place * rowWidth)
        events.push({ key, worker, add, clock, ...(isAwaited ? { order } : {}) })
      }
      const pushed = keys.pushAsync(some, values)
      if (isAwaited) await keys.wait(pushed)
    } else {
      const rows = new Float32Array(some.length * rowWidth)
      await keys.pull(some, rows)
      for (const [place, key] of some.entries()) {
        const seen = addsIn(rows.subarray(place * rowWidth, (place + 1) * rowWidth), key)
        if (typeof seen === 'string') throw new Error(seen)
        events.push({ key, worker, seen, order, clock })
      }
    }
  }
  keys.end()
}
