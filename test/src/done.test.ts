/** A record that is done ends the run for all, in the same round and with the same bits, whatever happens meanwhile. */
import { algorithm, ElasticSession, mean, Members, type Saved, Session } from '@murmuration/algorithms'
import { quadratics, timeLimit } from '@murmuration/contract'
import { type Fabric, NeighboursMissingError, type PeerName, peerName, type Topology } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { hashVector } from '@murmuration/vectors'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test from 'ava'
import * as z from 'zod'
import { inSimulator, overLibp2p } from './worlds.js'

const peers = ['a', 'b', 'c', 'd'].map(peerName)
const topology = createTopology({ peers, graph: { kind: 'complete' } })
const { taskOf } = quadratics(topology)
const length = 4

/** Gradient steps on the mean of all gradients, done after `last` rounds of the run. */
const counting = (last: number) =>
  algorithm({
    name: 'counting',
    title: 'Counting',
    source: 'this test',
    options: z.strictObject({}),
    needs: { reach: 'everyone', delivery: 'reliable' },
    keeps: 'equality',
    channels: { all: { g: 'vector' } },
    start: ({ x }, { first }) => ({ x, n: first }),
    async round(node, { x }, k) {
      const g = await node.gradient(x)
      const all = node.route(k)
      node.all.send(all, { g })
      const { g: joint } = mean(all, { g }, await node.all.collect(all))
      return { x: node.step(x, joint), n: node.first + k + 1 }
    },
    done: ({ n }) => n >= last
  })

const settings = {
  algorithm: counting(7),
  seed: 1,
  batchSize: 4,
  rounds: 400,
  finalRounds: 2,
  rate: () => 0.1,
  timeout: timeLimit(20_000),
  workers: peers
}

/** Trains to the end. Returns the rounds that ended, with why training did. */
async function train(session: Session, models: Map<PeerName, string>, self: PeerName) {
  const ended: (readonly [number, string?])[] = []
  for await (const { round, ends, parameters } of session.steps()) {
    ended.push(ends === undefined ? [round] : [round, ends])
    models.set(self, hashVector(parameters))
  }
  return ended
}

const upTo = (last: number) => Array.from({ length: last }, (_, round) => [round])

for (const [name, world] of [
  ['simulator', inSimulator],
  ['libp2p', overLibp2p]
] as const)
  test.serial(
    `${name}: a record that is done skips the rounds that are left, and a checkpoint of then resumes at the end`,
    async (t) => {
      t.timeout(timeLimit(60_000))
      const saved = new Map<PeerName, Saved>()
      const [whole, resumed] = [new Map<PeerName, string>(), new Map<PeerName, string>()]
      await world({ topology, seed: 1, length }, async (fabric: Fabric<VectorMessage>) => {
        const { self } = fabric
        const session = new Session(fabric, taskOf(self), settings)
        for await (const { round, ends } of session.steps(7)) t.is(ends, round === 6 ? 'Counting is done' : undefined)
        t.is(session.round, 400)
        const { tree, vectors } = session.checkpoint()
        saved.set(self, { tree, vectors: new Map([...vectors].map(([key, vector]) => [key, vector.slice()])) })
        t.deepEqual(await train(session, whole, self), [[400], [401]])
      })
      await world({ topology, seed: 1, length }, async (fabric: Fabric<VectorMessage>) => {
        const { self } = fabric
        const session = Session.resume(fabric, taskOf(self), settings, saved.get(self) as Saved)
        t.deepEqual(await train(session, resumed, self), [[400], [401]])
      })
      t.is(new Set([...whole.values(), ...resumed.values()]).size, 1)
      t.is(whole.size, peers.length)
    }
  )

test('a record that is done in the last round, or never, ends no run early', async (t) => {
  for (const last of [12, 13])
    await inSimulator({ topology, seed: 1, length }, async (fabric) => {
      const session = new Session(fabric, taskOf(fabric.self), { ...settings, rounds: 12, algorithm: counting(last) })
      t.deepEqual(await train(session, new Map(), fabric.self), upTo(14))
    })
})

/** In epochs nobody asks members for their neighbours. */
const everyone: Topology = { peers, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
const [first, second] = peers

/** The rounds of training of those that finish a run in epochs, and the hashes of their models. */
async function inEpochs(events: readonly FaultEvent[]) {
  const rounds = new Map<PeerName, number>()
  const models = new Map<PeerName, string>()
  const wait = { start: 30_000, pause: 30_000 }
  const program = async (fabric: Fabric<VectorMessage>) => {
    const { self } = fabric
    const members = new Members(fabric, { topology: everyone, signer: trustingSigner, wait })
    const epochs = { topology, areEqual: true }
    const given = { ...settings, algorithm: counting(20), finalRounds: 0, timeout: 2000, members, epochs }
    const session = new ElasticSession(fabric, taskOf(self), given)
    models.delete(self)
    try {
      const steps = session.steps()
      let step = await steps.next()
      for (; step.done !== true; step = await steps.next()) rounds.set(self, step.value.round)
      models.set(self, hashVector(step.value))
    } catch (error) {
      if (!(error instanceof NeighboursMissingError)) throw error
    }
    members.end()
  }
  const cost = ({ kind }: { readonly kind: string }) => (kind === 'gradient' ? 50 : 0)
  const links = uniformLinks({ latency: 5 })
  await simulate({ topology, seed: 1, wire: vectorWire, links, cost, faults: { ...noFaults, events } }, program)
  return { rounds, models }
}

test('in epochs: whoever is lost, or comes back, about the round in which the record is done: all others end in it', async (t) => {
  const { rounds: calm } = await inEpochs([])
  t.deepEqual(new Set(calm.values()), new Set([19]))
  for (const peer of [first, second])
    for (let at = 1000; at < 1500; at += 71)
      for (const isBack of [false, true]) {
        const crash: FaultEvent = { at, kind: 'crash', peer }
        const { rounds, models } = await inEpochs([
          crash,
          ...(isBack ? [{ at: at + 30, kind: 'restart', peer } as const] : [])
        ])
        const others = peers.filter((name) => name !== peer)
        t.true(
          others.every((name) => models.has(name)),
          `${peer} at ${at}: ${[...models.keys()].join()}`
        )
        t.is(new Set(models.values()).size, 1, `${peer} at ${at}`)
        t.deepEqual(new Set(others.map((name) => rounds.get(name) ?? 0)), new Set([19]), `${peer} at ${at}`)
      }
})
