/**
 * A neighbour that sends wrong numbers is reported by the peers that receive them, and in ordinary training no peer is
 * reported.
 */
import { timeLimit } from '@murmuration/contract'
import { type Fabric, type Outlier, type PeerName, peerName, type Task } from '@murmuration/core'
import { createSoftmaxTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { countingTask } from './central-worlds.js'
import { type DpsgdOptions, dpsgd } from './gossip.js'
import { inSimulator, overLibp2p, simulated } from './worlds.js'

const peers = Array.from({ length: 8 }, (_, place) => peerName(`p${place}`))
const topology = createTopology({ peers, graph: { kind: 'ring' } })
const liar = peers[3]
const hearers = [peers[2], peers[4]]

/** The values that a liar sends instead of its parameters. */
type Lie = (value: number, round: number) => number

/** The fabric of a peer that sends other numbers than it computes. */
function lying(fabric: Fabric<VectorMessage>, lie: Lie): Fabric<VectorMessage> {
  return new Proxy(fabric, {
    get(target, key: keyof Fabric<VectorMessage>) {
      if (key === 'send') {
        return (to: PeerName, message: VectorMessage) =>
          target.send(to, { ...message, vector: message.vector.map((value) => lie(value, message.round)) })
      }
      const member: unknown = target[key]
      return typeof member === 'function' ? member.bind(target) : member
    }
  })
}

interface Named extends Outlier {
  readonly by: PeerName
}

interface Run extends Partial<DpsgdOptions> {
  readonly world?: (...given: Parameters<typeof inSimulator>) => Promise<unknown>
  readonly data?: number
  readonly lie?: Lie
  readonly taskOf?: (self: PeerName) => Task
}

/** Runs D-PSGD on a ring of eight, each of which sees other classes; returns the reported peers, by round. */
async function namedIn({ world = inSimulator, data = 1, lie, taskOf, ...options }: Run): Promise<readonly Named[]> {
  const named: Named[] = []
  const set = { data: { kind: 'digits', samples: 400 }, testFraction: 0.2, partition: { kind: 'label' } } as const
  const ownTask = (self: PeerName) => createSoftmaxTask({ localData: { ...set, peers, seed: data, self } })
  await world({ topology, seed: data, length: 7850 }, async (fabric) => {
    const own = lie !== undefined && fabric.self === liar ? lying(fabric, lie) : fabric
    const steps = dpsgd(own, await (taskOf ?? ownTask)(fabric.self), {
      seed: 1,
      batchSize: 16,
      rounds: 60,
      finalRounds: 30,
      rate: () => 0.1,
      order: 'combine-then-adapt',
      momentum: 0.9,
      nesterov: false,
      weightDecay: 1e-4,
      timeout: timeLimit(20_000),
      ...options
    })
    for await (const { outliers } of steps) named.push(...outliers.map((outlier) => ({ ...outlier, by: fabric.self })))
  })
  return named.sort((left, right) => left.round - right.round || (left.by < right.by ? -1 : 1))
}

/** The peers that are reported in the earliest round, and by which peers. */
function first(named: readonly Named[]): readonly string[] {
  return named.filter(({ round }) => round === named[0].round).map(({ by, neighbour }) => `${by}: ${neighbour}`)
}

/** Quadratics of this curvature, each peer's with a minimum of its own. */
function steep(curvature: number): (self: PeerName) => Task {
  return (self) => {
    const place = peers.indexOf(self)
    return countingTask([100], (x) => x.map((value, index) => curvature * (value - Math.sin(index + place))))
  }
}

const ofLiar = hearers.map((by) => `${by}: ${liar}`)

for (const data of [1, 2, 3]) {
  for (const order of ['combine-then-adapt', 'adapt-then-combine'] as const) {
    test.serial(`where all train as they should no peer is named: ${order}, seed ${data}`, async (t) => {
      t.deepEqual(await namedIn({ data, order }), [])
    })
  }

  test.serial(
    `a peer that adds 1e6 is named by its two neighbours at once, before any other peer is: seed ${data}`,
    async (t) => {
      for (const from of [0, 30]) {
        const named = await namedIn({ data, lie: (value, round) => (round < from ? value : value + 1e6) })
        t.is(named[0].round, from)
        t.deepEqual(first(named), ofLiar)
        t.deepEqual(
          named.filter(({ by, round }) => hearers.includes(by) && round < from + 16).map(({ neighbour }) => neighbour),
          [liar, liar]
        )
      }
    }
  )

  test.serial(
    `a peer that sends ten times its parameters is named by its two neighbours within three rounds: seed ${data}`,
    async (t) => {
      const named = await namedIn({
        data,
        rounds: 40,
        finalRounds: 0,
        lie: (value, round) => (round < 30 ? value : 10 * value)
      })
      t.true(named[0].round <= 32)
      t.deepEqual(first(named), ofLiar)
    }
  )
}

test.serial(
  'over libp2p a peer that adds 1e6 is named by its two neighbours, with its distance and the typical one',
  async (t) => {
    const named = await namedIn({
      world: overLibp2p,
      rounds: 25,
      finalRounds: 0,
      lie: (value, round) => (round < 20 ? value : value + 1e6)
    })
    t.deepEqual(first(named), ofLiar)
    const [{ round, distance, typical }] = named
    t.is(round, 20)
    t.true(Math.abs(distance / (1e6 * Math.sqrt(7850)) - 1) < 1e-3)
    t.true(typical > 0.01 && typical < 100)
  }
)

/** {@link steep}, with its loss. */
function steepWithLoss(curvature: number): (self: PeerName) => Task {
  return (self) => {
    const task = steep(curvature)(self)
    const lossOf = (vector: Float32Array) => vector.reduce((sum, each) => sum + each ** 2, 0) / (2 * curvature)
    const gradient: Task['gradient'] = (x, batch, round) => {
      const work = task.gradient(x, batch, round)
      const run = async () => {
        const { vector } = await work.run()
        return { loss: lossOf(vector), vector }
      }
      return { ...work, run }
    }
    return { ...task, gradient }
  }
}

test.serial(
  'a peer that diverges by the numbers of a neighbour says which neighbour sent what, and when',
  async (t) => {
    const lie: Lie = (value, round) => (round === 7 ? 1e6 : value)
    const options = { taskOf: steepWithLoss(100), lie, momentum: 0, rate: () => 1e-3 }
    const error = await t.throwsAsync(namedIn(options), { name: 'DivergedError' })
    t.regex(
      error?.message ?? '',
      /diverged in round 8 after p3 sent parameters at a distance of 10000000 in round 7 \(typical: [\d.]+\)/
    )
  }
)

for (const size of [3e38, -1e30, 1e10, Number.NaN]) {
  test.serial(`one vector of ${size} is mixed by no neighbour, and all peers finish`, async (t) => {
    const lie: Lie = (value, round) => (round === 7 ? size : value)
    const faults = new Map<PeerName, number>()
    const world: NonNullable<Run['world']> = async (...given) => {
      for (const [name, count] of (await simulated(...given)).rejected) faults.set(name, count)
    }
    const named = await namedIn({ taskOf: steepWithLoss(100), world, lie, momentum: 0, rate: () => 1e-3 })
    t.deepEqual(first(named), ofLiar)
    // Another could have sent 1e10 to the liar: it is not mixed either, and is no fault.
    t.deepEqual([...faults], size === 1e10 ? [] : [[liar, hearers.length]])
  })
}

test.serial('where all diverge alike the error says to lower the rate, and names no peer', async (t) => {
  const taskOf = steep(1)
  const error = await t.throwsAsync(namedIn({ taskOf, momentum: 0, rate: () => 50, rounds: 1000 }), {
    name: 'DivergedError'
  })
  t.regex(error?.message ?? '', /the parameters grew to \d+e\+\d+, at a learning rate of 50; lower the rate$/)
})
