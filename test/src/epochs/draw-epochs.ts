/** Runs of algorithms that continue in epochs, with random sizes, graphs, links and settings, and their faults. */
import {
  type Algorithm,
  type AnyAlgorithm,
  algorithms as registry,
  lossRule,
  neededServers,
  type OptimiserSettings,
  refusals,
  stopProblem
} from '@murmuration/algorithms'
import { type Links, type Milliseconds, type PeerName, peerName, type Random, type Topology } from '@murmuration/core'
import type { MembershipSettings } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import { type FaultEvent, uniformLinks } from '@murmuration/simulator'
import { createTopology, type GraphDescription, graphKinds } from '@murmuration/topology'
import type * as z from 'zod'
import { namesOf } from '../member-swarm.js'

/** When faults may begin, and when the last one ends. */
const troubleFrom: Milliseconds = 300
const troubleUntil: Milliseconds = 6000
const healedBy: Milliseconds = 16_000
/** Until then a long run trains: whoever is out at {@link healedBy} is taken in. */
const trainingUntil: Milliseconds = 32_000

/** What happens to the notes of all peers, besides what the links do: fractions of them. */
export interface NoteFaults {
  readonly lost: number
  /** Sent up to 3 s later, after notes that were told after them. */
  readonly late: number
  /** Sent at once, and again up to 6 s later. */
  readonly again: number
  /** Lost besides, of those with which a value is accepted and decided. */
  readonly undecided: number
}

/** A run and what happens to it. */
export interface DrawnRun {
  readonly seed: number
  readonly algorithm: Algorithm
  readonly options: Readonly<Record<string, unknown>>
  readonly optimiser: OptimiserSettings
  readonly topology: Topology
  readonly servers: readonly PeerName[]
  /** Rows and columns of the matrix in the parameters. */
  readonly shape: readonly [number, number]
  readonly codec: string
  /** How long a peer's gradient takes. */
  readonly gradient: (peer: PeerName) => Milliseconds
  /** How many samples a peer has. */
  readonly samples: (peer: PeerName) => number
  /** From which options follow; those of the simulation are even. */
  readonly links: Links
  readonly latency: Milliseconds
  readonly bandwidth: number
  readonly timeout: Milliseconds
  readonly membership: Partial<MembershipSettings>
  readonly rounds: number
  /** Whether models are averaged in the end until they are nearly equal. */
  readonly isAveraged: boolean
  readonly events: readonly FaultEvent[]
  /** Peers that leave of their own accord, between two rounds, and from when on. */
  readonly quits: ReadonlyMap<PeerName, Milliseconds>
  readonly notes: NoteFaults
  /** When the peers agree to end training, about: their losses become 0 at this time. Never when absent. */
  readonly stopsAt?: Milliseconds
  /** Whether training lasts until all that can return have done so. */
  readonly isLong: boolean
  /** The drawn parameters, in words. */
  readonly story: string
}

/** All algorithms that continue in epochs, with tasks that have gradients alone. */
export const elastic: readonly Algorithm[] = registry.flatMap((record: AnyAlgorithm) =>
  record.kind === 'vector' && record.needs.dual !== true && lossRule(record).onLoss === 'continues in a new epoch'
    ? [record]
    : []
)

const plainSgd: OptimiserSettings = { name: 'sgd' }

const noNoteFaults: NoteFaults = { lost: 0, late: 0, again: 0, undecided: 0 }

/** Which runs are drawn. */
export interface DrawnKind {
  /** The name of the algorithm; drawn when absent. */
  readonly only?: string | undefined
  /** Whether the peers agree to end training among the faults. */
  readonly isStopping?: boolean
}

export function drawRun(seed: number, { only, isStopping = false }: DrawnKind = {}): DrawnRun {
  const random = createRandom(seed, 'epochs')
  const pick = <Item>(items: readonly Item[]) => items[random.integer(items.length)]
  const candidates = elastic.filter(
    (record) => (only === undefined || record.name === only) && !(isStopping && stopProblem(record) !== undefined)
  )
  const algorithm = pick(candidates)
  const isCalm = random.integer(12) === 0
  const count = random.integer(30) === 0 ? 16 + random.integer(11) : 2 + random.integer(8)
  const workers = [...namesOf(count)].sort()
  const servers = drawServers(algorithm, random)
  const options = drawOptions(algorithm, random)
  const { graph, topology } = drawGraph(algorithm, { workers, servers, options }, random)
  const codec = drawCodec(algorithm, { topology, servers, options }, random)
  const drawnOptimiser = pick<OptimiserSettings>([{ name: 'sgd' }, { name: 'sgd', momentum: 0.9 }, { name: 'adam' }])
  // With momentum, the gradients of many workers of an asynchronous server diverge without a fault, too.
  const optimiser = servers.length > 0 && count > 9 ? plainSgd : drawnOptimiser
  const shape: readonly [number, number] = pick([
    [1, 1],
    [2, 2],
    [5, 3],
    [8, 5]
  ])
  const base = pick([100, 200, 400, 400])
  const isEven = random.integer(2) === 0
  const pace = new Map([...workers, ...servers].map((peer) => [peer, isEven ? 1 : 1 + random.integer(4) / 2]))
  const areAlike = random.integer(2) === 0
  const samples = new Map(workers.map((peer) => [peer, areAlike ? 8 : 1 + random.integer(40)]))
  const latency = pick([1, 1, 5, 5, 20, 60, 120])
  const bandwidth = pick([1e6, 1e8, Number.POSITIVE_INFINITY])
  // Whoever is slow is waited for at the end of a period, too.
  const { period = 1 } = options as { readonly period?: number }
  const timeout = pick([2000, 5000]) + (isEven ? 0 : 2 * base * period)
  const isLong = isCalm || random.integer(5) > 0
  const start = isCalm ? {} : drawStart(workers.length + servers.length, random)
  const everyone = [...workers, ...servers].sort()
  const troubles = isCalm ? { events: [], quits: new Map() } : drawTroubles(everyone, start, random)
  const span = isCalm ? 6000 : isLong ? trainingUntil : 2000 + random.integer(10_000)
  const rounds = Math.ceil(span / (base * (isEven ? 1 : 2) + latency))
  const isAveraged = random.integer(3) > 0
  const areFlawed = !isCalm && random.integer(3) === 0
  const notes = areFlawed
    ? { lost: pick([0, 0.03, 0.1]), late: pick([0, 0.1]), again: pick([0, 0.2]), undecided: pick([0, 0, 0.7]) }
    : noNoteFaults
  const facts = { algorithm: algorithm.name, options, optimiser, peers: workers.length, servers, graph, codec, shape }
  const times = { base, isEven, latency, bandwidth, timeout, rounds, isAveraged, areAlike, start, notes, isLong }
  const lines = [
    { ...facts, ...times },
    ...troubles.events,
    ...[...troubles.quits].map(([peer, at]) => ({ at, quits: peer }))
  ]
  return {
    seed,
    algorithm,
    options,
    optimiser,
    topology,
    servers,
    shape,
    codec,
    gradient: (peer) => base * (pace.get(peer) ?? 1),
    samples: (peer) => samples.get(peer) ?? 8,
    links: drawLinks(seed, workers),
    latency,
    bandwidth,
    timeout,
    membership: start,
    rounds,
    isAveraged,
    ...troubles,
    notes,
    isLong: isLong && !isStopping,
    ...(isStopping && { stopsAt: Math.round(1000 + createRandom(seed, 'stop').uniform() * 12_000) }),
    story: lines.map((line) => JSON.stringify(line)).join('\n')
  }
}

/** One or two, where the algorithm has servers; their names come after the workers', or before. */
function drawServers(algorithm: Algorithm, random: Random): readonly PeerName[] {
  const needed = neededServers(algorithm)
  if (needed === 0) return []
  const prefix = random.integer(3) === 0 ? 'a' : 's'
  return Array.from({ length: needed + random.integer(2) }, (_, index) => peerName(`${prefix}${index + 1}`))
}

/** Short periods, so that peers exchange often; half of the other choices are drawn. */
function drawOptions({ options }: Algorithm, random: Random): Readonly<Record<string, unknown>> {
  const drawn: Record<string, unknown> = {}
  const shape = options.shape as Readonly<Record<string, z.ZodType>>
  for (const [option, schema] of Object.entries(shape)) {
    const choices = choicesOf(schema)
    if (option === 'period') drawn[option] = 1 + random.integer(5)
    else if (choices.length > 0 && random.integer(2) === 0) drawn[option] = choices[random.integer(choices.length)]
  }
  // The defaults are meant for long periods.
  if ('outer' in shape) drawn.outer = { name: 'sgd', rate: 0.7, momentum: 0.3 }
  if ('outerRate' in shape && 'momentum' in shape) drawn.momentum = 0.3
  return drawn
}

/** The words of an option that is one of some words, or else something that follows from the links. */
function choicesOf(schema: z.ZodType): readonly string[] {
  const inner = (schema as Partial<z.ZodDefault<z.ZodType>>).unwrap?.() ?? schema
  const { options = [] } = inner as { readonly options?: readonly unknown[] }
  return options.flatMap((choice) => (typeof choice === 'string' ? choice : choicesOf(choice as z.ZodType)))
}

/** Links from which options follow: every peer's line has a rate of its own. */
function drawLinks(seed: number, peers: readonly PeerName[]): Links {
  const random = createRandom(seed, 'lines')
  const lines = new Map(peers.map((peer) => [peer, 1e6 * (1 + random.integer(9))]))
  const { path } = uniformLinks({ latency: 5 })
  return { path, access: (peer) => ({ up: lines.get(peer) ?? 1e6, down: 1e7 }) }
}

interface RunPeers {
  readonly workers: readonly PeerName[]
  readonly servers: readonly PeerName[]
  readonly options: Readonly<Record<string, unknown>>
}

/** A graph of any kind that the algorithm accepts. */
function drawGraph(algorithm: Algorithm, { workers: peers, servers, options }: RunPeers, random: Random) {
  for (let tries = 0; tries < 60; tries++) {
    const { kind, schema, example } = graphKinds[random.integer(graphKinds.length)]
    try {
      const graph = schema.parse({ kind, ...example(peers) }) as unknown as GraphDescription
      const topology = createTopology({ peers, graph })
      if (refusals(algorithm, { topology, servers, options }).length === 0) return { graph, topology }
    } catch {
      continue
    }
  }
  const graph: GraphDescription = { kind: algorithm.needs.graph === 'tree' ? 'star' : 'complete' }
  return { graph, topology: createTopology({ peers, graph }) }
}

function drawCodec(
  algorithm: Algorithm,
  surroundings: { readonly topology: Topology } & Omit<RunPeers, 'workers'>,
  random: Random
): string {
  const codec = random.integer(8) === 0 ? 'float16' : 'float32'
  return refusals(algorithm, { ...surroundings, codec }).length === 0 ? codec : 'float32'
}

function drawStart(count: number, random: Random): Partial<MembershipSettings> {
  const half = Math.floor(count / 2) + 1
  const start = random.integer(4)
  if (start === 1) return { quorum: half + random.integer(count - half + 1) }
  return start === 2 ? { startWithin: 1500 } : {}
}

const kinds = [
  'crash',
  'crash',
  'two crashes',
  'first crashes',
  'restart',
  'restart',
  'quick restart',
  'early restart',
  'freeze',
  'freeze',
  'split',
  'minority',
  'cut',
  'hole',
  'leave',
  'quit',
  'late'
] as const

/**
 * One to three faults. Processes that are started anew are fewer than may begin a run: otherwise, where nobody is there
 * to know of their earlier lives, they begin another run.
 */
function drawTroubles(
  peers: readonly PeerName[],
  { quorum = peers.length, startWithin }: Partial<MembershipSettings>,
  random: Random
): { readonly events: readonly FaultEvent[]; readonly quits: ReadonlyMap<PeerName, Milliseconds> } {
  const events: FaultEvent[] = []
  const quits = new Map<PeerName, Milliseconds>()
  const touched = new Set<PeerName>()
  let late = startWithin === undefined ? peers.length - quorum : Math.ceil(peers.length / 2) - 1
  const mayBegin = startWithin === undefined ? quorum : Math.floor(peers.length / 2) + 1
  for (let count = 1 + random.integer(3); count > 0; count--) {
    const kind = kinds[random.integer(kinds.length)]
    const at = Math.round(troubleFrom + random.uniform() * (troubleUntil - troubleFrom))
    const until = Math.round(Math.min(healedBy, at + 200 + random.uniform() ** 2 * 12_000))
    const order = random.shuffle(peers)
    if (kind === 'split' || kind === 'minority') {
      const size = kind === 'split' ? Math.ceil(peers.length / 2) : 1 + random.integer(Math.ceil(peers.length / 2))
      events.push(
        { at, kind: 'partition', groups: [order.slice(0, size), order.slice(size)] },
        { at: until, kind: 'heal' }
      )
      continue
    }
    if (kind === 'cut' || kind === 'hole') {
      const [a, b] = order
      const ends = kind === 'cut' ? [order, [b, a]] : [order]
      for (const [from, to] of ends)
        events.push({ at, kind: 'clog', from, to }, { at: until, kind: 'unclog', from, to })
      continue
    }
    // A peer gets at most one such fault, so that each fault is what its name says.
    const free = (kind === 'first crashes' ? [...peers] : order).filter((peer) => !touched.has(peer))
    const [peer, other] = free
    if (peer === undefined || (kind === 'late' && late-- <= 0)) continue
    if (kind !== 'freeze' && touched.size + 1 >= mayBegin) continue
    touched.add(peer)
    if (kind === 'quit') quits.set(peer, at)
    else events.push(...eventsOf(kind, peer, at, until))
    if (kind !== 'two crashes' || other === undefined || touched.size + 1 >= mayBegin) continue
    touched.add(other)
    events.push({ at: at + random.integer(700), kind: 'crash', peer: other })
  }
  return { events: events.sort((left, right) => left.at - right.at), quits }
}

function eventsOf(
  kind: Exclude<(typeof kinds)[number], 'split' | 'minority' | 'cut' | 'hole' | 'quit'>,
  peer: PeerName,
  at: Milliseconds,
  until: Milliseconds
): readonly FaultEvent[] {
  const during = (end: Milliseconds, from = at): readonly FaultEvent[] => [
    { at: from, kind: 'crash', peer },
    { at: end, kind: 'restart', peer }
  ]
  switch (kind) {
    case 'restart':
      return during(until)
    case 'quick restart':
      return during(at + 1 + (until % 100))
    case 'early restart':
      return during(until, at % 200)
    case 'freeze':
      return [
        { at, kind, peer },
        { at: until, kind: 'thaw', peer }
      ]
    case 'late':
      return [{ at, kind: 'join', peer }]
    case 'leave':
      return [{ at, kind, peer }]
    default:
      return [{ at, kind: 'crash', peer }]
  }
}
