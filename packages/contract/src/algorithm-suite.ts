import {
  type Algorithm,
  checkpointProblem,
  optionsOn,
  type OptimiserSettings,
  type Saved,
  Session,
  type State,
  type TrainingSettings,
  Vector
} from '@murmuration/algorithms'
import {
  hypot,
  type Fabric,
  fabricWith,
  MemoryStore,
  type Mixing,
  type PeerName,
  peerName,
  type Topology
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { ExecutionContext } from 'ava'
import type { AlgorithmCase } from './algorithm-case.js'
import { checkpointing, type Drive, pausing, resuming, straight } from './drives.js'
import type { FabricWorld } from './fabric-world.js'
import { quadratics } from './quadratic.js'
import type { TestFunction } from './test-function.js'
import { timeLimit } from './time-limit.js'

export type { AlgorithmCase } from './algorithm-case.js'

/** What every algorithm promises, as tests in `world`, on quadratics whose optimum is known. */
export function testAlgorithm(test: TestFunction, world: FabricWorld, tested: AlgorithmCase): void {
  const { algorithm, rounds = 100 } = tested
  const name = tested.variant === undefined ? algorithm.title : `${algorithm.title} (${tested.variant})`
  const titled = (title: string) => `${world.name}: ${name}: ${title}`
  if (tested.isTestedElsewhere === true && checkpointProblem(algorithm) === undefined)
    return testCheckpoint(test, titled, world, tested, { name: 'sgd', momentum: 0.9 }, 7)

  test(titled('reaches the optimum of all peers, as the rate falls'), async (t) => {
    const run = await runOf(world, tested, { rounds, finalRounds: 30, rate: (k) => 0.4 / (1 + k / 8) })
    const { optimum } = quadratics(run.topology, tested.spread)
    for (const [peer, { model }] of run.ends) {
      t.true(
        distance(model, optimum) < 0.02 * distance(optimum, [0, 0, 0, 0]),
        `${peer}: ${model}, and the optimum is ${optimum}`
      )
    }
  })

  if (algorithm.keeps !== 'nothing') {
    test(titled(`keeps in every round: ${algorithm.keeps}`), async (t) => {
      const { topology, ends } = await runOf(world, tested, { rounds: 12 })
      if (algorithm.answers !== undefined) return checkKeptAtEnd(t, [...ends.values()])
      let previous: readonly CheckedRound[] = topology.peers.map(() => ({ x: [0, 0, 0, 0], w: 1, moved: [] }))
      for (let k = 0; k < 12; k++) {
        const rounds = topology.peers.map((peer) => ends.get(peer)?.rounds[k] as CheckedRound)
        checkKept(t, algorithm, previous, rounds)
        previous = rounds
      }
    })
  }

  test(titled('a state that all peers hand over, or one does, gives the same bits as not stopping'), async (t) => {
    const settings = { rounds: 16, finalRounds: 4, optimiser: { name: 'sgd', momentum: 0.9 } }
    const whole = await runOf(
      world,
      tested,
      settings,
      pausing(() => 'keep')
    )
    const all = await runOf(
      world,
      tested,
      settings,
      pausing(() => 'replace')
    )
    const one = await runOf(
      world,
      tested,
      settings,
      pausing((self) => (self === 'p1' ? 'replace' : 'keep'))
    )
    t.deepEqual([...all.ends.keys(), ...one.ends.keys()].sort(), [...whole.ends.keys(), ...whole.ends.keys()].sort())
    if (tested.isAsynchronous === true && !world.isDeterministic) return
    for (const [peer, { model }] of whole.ends) {
      t.deepEqual(all.ends.get(peer)?.model, model, `${peer}, all replaced`)
      t.deepEqual(one.ends.get(peer)?.model, model, `${peer}, one replaced`)
    }
  })

  const problem = checkpointProblem(algorithm)
  if (problem === undefined) {
    testCheckpoint(test, titled, world, tested, { name: 'sgd', momentum: 0.9 }, 7)
    testCheckpoint(test, titled, world, tested, { name: 'adam' }, 12)
  } else {
    test(titled('refuses checkpoints, since they would not fit together'), async (t) => {
      const checkpoints = new Map<PeerName, Saved>()
      const error = await t.throwsAsync(runOf(world, tested, { rounds: 8 }, checkpointing(4, checkpoints)))
      t.is(error.message, problem)
    })
  }

  test(titled('uses no more vectors after its first rounds, and releases those that it does not need'), async (t) => {
    const { ends } = await runOf(world, tested, { rounds: 40 })
    // Over real links a message of each peer may be early in any round, and was in none of the first. A vector lost in
    // each round would be 19.
    const early = world.isDeterministic ? 0 : ends.size
    for (const [peer, { maxAcquired }] of ends) {
      const first = maxAcquired.slice(0, 20)
      const rest = maxAcquired.slice(20, -1)
      t.true(Math.max(...rest) <= Math.max(...first) + early, `${peer}: ${maxAcquired}`)
    }
  })
}

/** Saves all peers before round `at`, and continues from there in a new run. */
function testCheckpoint(
  test: TestFunction,
  titled: (title: string) => string,
  world: FabricWorld,
  tested: AlgorithmCase,
  optimiser: OptimiserSettings,
  round: number
): void {
  const title = `checkpoints of round ${round} continue in a new run, with the same bits: ${optimiser.name}`
  test(titled(title), async (t) => {
    const settings = { rounds: 16, finalRounds: 4, optimiser }
    const checkpoints = new Map<PeerName, Saved>()
    const whole = await runOf(world, tested, settings, checkpointing(round, checkpoints))
    t.is(checkpoints.size, whole.topology.peers.length + (tested.algorithm.needs.servers ?? 0))
    const resumed = await runOf(world, tested, settings, resuming(checkpoints))
    for (const [peer, { model }] of whole.ends) t.deepEqual(resumed.ends.get(peer)?.model, model, peer)
  })
}

/** The result of one peer. */
interface PeerEnd {
  readonly model: number[]
  readonly rounds: CheckedRound[]
  /** For each round, the largest number of vectors acquired at once. */
  readonly maxAcquired: number[]
  /** The state's x at the end. */
  last: number[]
}

/** What is checked of a round. */
interface CheckedRound {
  readonly x: number[]
  readonly w: number
  /** What the optimiser has added. */
  readonly moved: number[]
}

interface SuiteRun {
  readonly topology: Topology
  readonly ends: ReadonlyMap<PeerName, PeerEnd>
}

/** Runs an algorithm to its end on five peers. */
async function runOf(
  world: FabricWorld,
  { algorithm, options = {}, links, spread, isComplete }: AlgorithmCase,
  changes: Partial<TrainingSettings>,
  drive: Drive = straight
): Promise<SuiteRun> {
  const topology = topologyFor(algorithm, isComplete)
  const { taskOf } = quadratics(topology, spread)
  const servers = ['s0'].slice(0, algorithm.needs.servers ?? 0).map(peerName)
  const settings: TrainingSettings = {
    algorithm,
    options: optionsOn(algorithm, topology, options, links),
    seed: 1,
    batchSize: 4,
    rounds: 1,
    rate: () => 0.1,
    timeout: timeLimit(20_000),
    workers: topology.peers,
    servers,
    store: new MemoryStore(),
    ...changes
  }
  const ends = new Map<PeerName, PeerEnd>()
  const run = async (fabric: Fabric<VectorMessage>) => {
    const end: PeerEnd = { model: [], rounds: [], maxAcquired: [], last: [] }
    if (topology.peers.includes(fabric.self)) ends.set(fabric.self, end)
    const meter = metered(fabric)
    const open = (saved?: Saved) => {
      const task = taskOf(fabric.self)
      return saved === undefined
        ? new Session(meter.fabric, task, settings)
        : Session.resume(meter.fabric, task, settings, saved)
    }
    let last: Session | undefined
    for await (const [session, { parameters, moves }] of drive(fabric, open)) {
      last = session
      end.model.splice(0, Number.POSITIVE_INFINITY, ...parameters)
      end.maxAcquired.push(meter.takePeak())
      const { x, w } = session.state
      const moved = moves.reduce(
        (sum, { from, to }) => sum.map((value, d) => value + to.values[d] - from.values[d]),
        parameters.length === 0 ? [] : Array.from(parameters, () => 0)
      )
      end.rounds.push({ x: valuesOf(x) ?? Array.from(parameters), w: typeof w === 'number' ? w : 1, moved })
    }
    end.last = valuesOf(last?.state.x) ?? []
  }
  await world.run(topology, run, servers)
  return { topology, ends }
}

/** A tree for algorithms that need one, else a ring or the complete graph; doubly stochastic. */
function topologyFor({ needs }: Algorithm, isComplete = false): Topology {
  const peers = ['p0', 'p1', 'p2', 'p3', 'p4'].map(peerName)
  const isEdge = (i: number, j: number) => {
    if (needs.graph === 'tree') return Math.abs(i - j) === 1
    return isComplete || Math.abs(i - j) === 1 || Math.abs(i - j) === peers.length - 1
  }
  const mixing = (peer: PeerName): Mixing => {
    const index = peers.indexOf(peer)
    if (index < 0) throw new RangeError(`"${peer}" is not a peer of this topology`)
    const others = peers.filter((_, other) => other !== index && isEdge(index, other))
    const weight = needs.graph === 'tree' ? 1 / 3 : 1 / (others.length + 1)
    const neighbours = others.map((other) => ({ name: other, weight }))
    return { selfWeight: 1 - weight * others.length, receiveFrom: neighbours, sendTo: neighbours }
  }
  const rows = new Map(peers.map((peer) => [peer, mixing(peer)]))
  return { peers, period: 1, mixing: (peer) => rows.get(peer) ?? mixing(peer) }
}

/** Counts the vectors that are acquired from a fabric and not yet released. */
function metered(fabric: Fabric<VectorMessage>) {
  let count = 0
  let peak = 0
  const change = (delta: number) => {
    count += delta
    peak = Math.max(peak, count)
  }
  const counted = fabricWith(fabric, {
    allocate: (length) => {
      change(1)
      return fabric.allocate(length)
    },
    free: (vector) => {
      change(-1)
      fabric.free(vector)
    },
    receive: async (until) => {
      const envelope = await fabric.receive(until)
      if (envelope !== undefined && envelope.message.vector.length > 0) change(1)
      return envelope
    },
    recycle: (message) => {
      change(-1)
      fabric.recycle(message)
    }
  })
  const takePeak = () => {
    const previousPeak = peak
    peak = count
    return previousPeak
  }
  return { fabric: counted, takePeak }
}

/** Checks that what the algorithm keeps is unchanged from one round to the next, except for what the optimiser adds. */
function checkKept(
  t: ExecutionContext,
  { keeps }: Algorithm,
  last: readonly CheckedRound[],
  now: readonly CheckedRound[]
): void {
  if (keeps === 'equality') for (const { x } of now) t.deepEqual(x, now[0].x)
  if (keeps !== 'mean' && keeps !== 'weighted mean') return
  const sum = (rounds: readonly CheckedRound[], valueOf: (round: CheckedRound) => number) =>
    rounds.reduce((total, round) => total + valueOf(round), 0)
  for (const d of now[0].x.keys()) {
    const x = sum(last, (round) => round.x[d])
    const y = sum(now, (round) => round.x[d] - round.moved[d])
    t.true(Math.abs(x - y) < 1e-5, `Σ x[${d}] was ${x}, and is ${y} without what the optimiser has added`)
  }
  t.true(Math.abs(sum(now, ({ w }) => w) - now.length) < 1e-9)
}

/**
 * Where every peer has rounds of its own: once nothing is in flight, the sum over the peers is the sum of what was
 * added.
 */
function checkKeptAtEnd(t: ExecutionContext, ends: readonly PeerEnd[]): void {
  for (const d of ends[0].last.keys()) {
    const added = ends
      .flatMap(({ rounds }) => rounds.map(({ moved }) => moved[d]))
      .reduce((sum, value) => sum + value, 0)
    const sum = ends.reduce((total, { last }) => total + last[d], 0)
    t.true(Math.abs(sum - added) < 1e-4, `Σ x[${d}] is ${sum}, and the optimiser has added ${added}`)
  }
}

function valuesOf(x: State[string] | undefined): number[] | undefined {
  return x instanceof Vector ? Array.from(x.values) : undefined
}

function distance(x: readonly number[], y: readonly number[]): number {
  return hypot(...x.map((value, d) => value - y[d]))
}
