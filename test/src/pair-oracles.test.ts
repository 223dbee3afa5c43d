/**
 * Algorithms whose peers meet in pairs, at their own pace, replayed in float64 from what each peer has sent and
 * received: every model and every reply is what its paper's rules give.
 */
import { type Algorithm, algorithms, train } from '@murmuration/algorithms'
import { type Fabric, fabricWith, type PeerName } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { peersOf, quadraticsOf } from './recursion.js'

type Row = readonly number[]
/** The kinds of an ask and of its reply. */
const ask = 1
const reply = 2
const rate = (round: number) => 0.3 / (1 + round / 10)
const rounds = 24

/** A record with its options, and η and α̃: with 0 and ½ both copies are one, as in AD-PSGD. */
interface Rule {
  readonly name: string
  readonly options: Readonly<Record<string, number>>
  readonly η: number
  readonly α: number
  readonly period: number
}

/** One peer's x, and its second copy x̃. */
class Replayed {
  x: Row
  #copy: Row
  readonly #rule: Rule
  /** What this peer has asked with, and what others have asked it with. */
  sent: Row = []
  readonly asks = new Map<PeerName, Row>()

  constructor(start: Row, rule: Rule) {
    this.x = start
    this.#copy = start
    this.#rule = rule
  }

  /** A meeting: x moves by half of the difference, x̃ by α̃ of it (Lian 2018; Nabli 2023, equation 4). */
  meet(mine: Row, theirs: Row): void {
    const difference = theirs.map((value, d) => value - mine[d])
    this.x = this.x.map((value, d) => value + difference[d] / 2)
    this.#copy = this.#copy.map((value, d) => value + this.#rule.α * difference[d])
  }

  /** The copies mix for the time of a step, and both take it. */
  step(γ: number, g: Row): void {
    const m = (1 - Math.exp(-2 * this.#rule.η)) / 2
    const x = this.x
    const copy = this.#copy
    this.x = x.map((value, d) => value + m * (copy[d] - value) - γ * g[d])
    this.#copy = copy.map((value, d) => value + m * (x[d] - value) - γ * g[d])
  }
}

/** Replays a run of five peers on a ring, of which each goes at its own pace. */
async function replay(t: ExecutionContext, rule: Rule) {
  const { name, options, period } = rule
  const topology = createTopology({ peers: peersOf(5), graph: { kind: 'ring' } })
  const { peers } = topology
  const tasks = quadraticsOf(topology, 3)
  const algorithm = algorithms.find((each) => each.name === name) as Algorithm
  const paces = [3, 11, 17, 29, 40]
  let meetings = 0
  let between = 0
  const near = (found: Row, expected: Row, what: string) =>
    t.true(Math.max(...found.map((value, d) => Math.abs(value - expected[d]))) < 2e-5, `${what}: ${found}, ${expected}`)
  const cost = (_: unknown, peer: PeerName) => paces[peers.indexOf(peer)]
  const world = { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost }
  await simulate(world, async (fabric) => {
    const { self } = fabric
    const task = tasks[peers.indexOf(self)]
    const state = new Replayed([0, 0, 0, 0, 0, 0], rule)
    let round = 0
    let asked = 0
    let begun = state.x
    const watch = (given: Fabric<VectorMessage>): Fabric<VectorMessage> =>
      fabricWith(given, {
        spawn: (activity) => given.spawn((spawned) => activity(watch(spawned))),
        send: (to, message) => {
          const vector = [...message.vector]
          if (message.kind === ask && round < rounds) {
            near(vector, begun, `${self} asks in round ${round}`)
            state.sent = begun
            asked++
          }
          if (message.kind === reply) {
            near(vector, state.x, `${self} replies in round ${round}`)
            if (state.x !== begun) between++
            state.meet(state.x, state.asks.get(to) ?? [])
          }
          return given.send(to, message)
        },
        receive: async (until, _receiver, waitsFor) => {
          const envelope = await given.receive(until, undefined, waitsFor)
          if (envelope === undefined) return envelope
          const { from, message } = envelope
          if (message.kind === ask) state.asks.set(from, [...message.vector])
          if (message.kind === reply) state.meet(state.sent, [...message.vector])
          if (message.kind === reply) meetings++
          return envelope
        }
      })
    const settings = { algorithm, options, seed: 1, batchSize: 1, rounds, rate, timeout: 1000, workers: peers }
    for await (const step of train(watch(fabric), task, settings)) {
      if (step.phase !== 'train') break
      const g = await task.gradient(Float32Array.from(begun), Uint32Array.of(0)).run()
      state.step(rate(round), [...g.vector])
      near([...step.parameters], state.x, `${self} after round ${round}`)
      t.is(asked, (round + 1) % period === 0 ? 1 : 0, `asks of round ${round}`)
      round++
      asked = 0
      begun = state.x
    }
  })
  t.true(meetings > (3 * rounds) / period, `${meetings} replies`)
  t.true(between > 0, 'some peer was asked while it waited')
}

for (const period of [1, 3]) {
  test(`AD-PSGD with a period of ${period}: both ends move by half of the difference, and then a step along the gradient at the begin (Lian 2018)`, (t) =>
    replay(t, { name: 'ad-psgd', options: { period }, η: 0, α: 0.5, period }))
}

test('A²CiD²: x̃ moves by α̃ of the difference, and mixes with x for each step (Nabli 2023)', (t) =>
  replay(t, { name: 'a2cid2', options: { mixing: 0.3, pull: 0.8 }, η: 0.3, α: 0.8, period: 1 }))
