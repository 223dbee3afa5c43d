// One run of one method: computed once on ideal links, and replayed in each cell.
import { algorithms, optionsOn, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { computingCost, noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { codedWire, pooledVectorWire, weighed } from '@murmuration/wire'
import { lengthOf, mean } from '@murmuration/vectors'
import { recordingWire, replayedTimes } from '@murmuration/experiment/sim'
import { digitTasks } from './digits.mjs'
import { tensorflowTasks } from './tensorflow-tasks.mjs'

export const peersOf = (count) => Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(2, '0')}`))

const taskSets = new Map()
/** The tasks of a seed, over TensorFlow.js if `rest` has a model; created once. */
export function tasksOf(peers, seed, rest = {}) {
  const key = JSON.stringify([peers, seed, rest])
  const create = rest.model === undefined ? digitTasks : tensorflowTasks
  if (!taskSets.has(key)) taskSets.set(key, create({ peers, seed, ...rest }))
  return taskSets.get(key)
}

const topologies = new Map()
export function topologyFor(peers, graph) {
  const key = JSON.stringify([peers, graph])
  if (!topologies.has(key)) topologies.set(key, createTopology({ peers, graph }))
  return topologies.get(key)
}

export class Ended extends Error {}

export function settingsOf({ method, topology, peers, seed, batch, rounds }) {
  const algorithm = algorithms.find(({ name }) => name === method.algorithm)
  const { rate } = method
  const options = optionsOn(algorithm, topology, method.options)
  const optimiser = { name: 'sgd', momentum: 0.9 }
  return { algorithm, options, seed, batchSize: batch, rounds, rate: () => rate, optimiser, timeout: 1e12, workers: peers } // oxfmt-ignore
}

function costOf({ perStep, slow = {} }, seed) {
  return computingCost(
    { perStep, perSample: 0, slow: new Map(Object.entries(slow)), stragglers: { kind: 'none' } },
    seed
  )
}

/**
 * Whether the mean accuracy of the peers' own models reaches the target; stops as soon as the other models cannot make
 * up for what is missing.
 */
async function haveReached(union, models, target) {
  let missing = 0
  for (const model of models) {
    missing += 1 - (await union.evaluate(model).run()).accuracy
    if (missing > (1 - target) * models.length) return false
  }
  return true
}

/**
 * A wire with the method's codec that records message sizes. Messages weigh those of a larger network, if the setup has
 * one: in proportion to its parameters, unless the method has a factor of its own, or weighs its messages.
 */
function wireOf({ codec = 'float32', factor, weigh }, seed, { lengths }, { schema }) {
  const elements = lengthOf(schema)
  const random = (peer) => createRandom(seed, peer)
  const plain = codedWire({ ...pooledVectorWire(), ...weighed(elements) }, { codec, elements, random })
  if (lengths.trained === lengths.message) return recordingWire(plain)
  const usual = lengths.message / lengths.trained
  const own = factor?.(lengths) ?? usual
  return recordingWire(plain, weigh?.(usual) ?? ((bytes) => bytes * own))
}

const diverges = new Set(['DivergedError'])

/**
 * Runs until the peers' own models have the target accuracy on average, or until all rounds are over. The mean model,
 * which `judge: 'mean'` evaluates, would need an exchange whose time is not included here. Evaluates after every
 * `every` rounds. Unless `isPatient`, a run that stays far below the target ends early.
 *
 * @returns without `round` if the target was not reached; with `hasDiverged` if the parameters were no longer finite
 */
export async function compute({ method, seed, setup, target }) {
  const { peers, batch, rounds, every, judge } = setup
  const tasks = await tasksOf(peers, seed, setup.data)
  const { wire, recording } = wireOf(method, seed, setup, tasks.union)
  const links = uniformLinks({ latency: 1 })
  const topology = topologyFor(peers, method.graph ?? { kind: 'ring' })
  const options = { topology, seed, links, wire, cost: costOf({ perStep: 1 }, seed) }
  const settings = settingsOf({ method, topology, peers, seed, batch, rounds })
  const byRound = []
  const curve = []
  let best = 0
  let bytes = 0
  const look = async (models, round) => {
    const { accuracy } = await tasks.union.evaluate(mean(models)).run()
    curve.push([round + 1, accuracy])
    if (accuracy >= target && (judge === 'mean' || (await haveReached(tasks.union, models, target))))
      throw new Ended(JSON.stringify({ round: round + 1 }))
    // The run has diverged or stalled too far below the target.
    best = Math.max(best, accuracy)
    if (setup.isPatient) return
    if (accuracy < best - 0.25 || (round >= rounds / 2 && accuracy < 0.7 * target)) throw new Ended('{}')
  }
  const note = async (round, x) => {
    if ((round + 1) % every !== 0) return
    const all = (byRound[round] ??= [])
    all.push(x.slice())
    if (all.length < peers.length) return
    delete byRound[round]
    await look(all, round)
  }
  let reached = {}
  try {
    await simulate(options, async (fabric) => {
      for await (const { round, parameters } of train(fabric, tasks.of.get(fabric.self), settings))
        await note(round, parameters)
    })
  } catch (error) {
    if (error instanceof Ended) reached = JSON.parse(error.message)
    else if (diverges.has(error.name)) reached = { hasDiverged: true }
    else throw error
  }
  const all = recording.bytesByRound
  for (let k = 0; k < (reached.round ?? 0); k++) bytes += all[k] ?? 0
  return { ...reached, bytes, curve, sizes: recording.sizes }
}

/**
 * The servers of a method: with `hasServers`, one on each peer's machine; with `server`, one on that peer's machine.
 */
function serversOf({ hasServers, server }, peers) {
  const machines = hasServers === true ? peers : server === undefined ? [] : [peerName(server)]
  return machines.map((on, place) => ({ name: peerName(`s${place}`), on }))
}

/**
 * Evaluates the latest models of the present peers each time that the fastest have had time for `every` steps; with
 * servers, the server's model, which is the one that a worker has just received. `sees` takes a peer's model at a time
 * in ms, and resolves with whether the target is reached.
 */
class Judge {
  #latest = new Map()
  #gone = new Set()
  #next
  #options

  constructor(options) {
    this.#options = options
    this.#next = options.setup.every * options.cell.perStep
  }

  lose(peer) {
    this.#gone.add(peer)
    this.#latest.delete(peer)
  }

  async sees(now, self, parameters) {
    const { setup, cell, union, target, hasServers } = this.#options
    const { peers, every, judge } = setup
    if (hasServers && this.#latest.get(self)?.every((value, i) => value === parameters[i])) return false
    this.#latest.set(self, parameters.slice())
    if (now < this.#next || peers.some((peer) => !this.#gone.has(peer) && !this.#latest.has(peer))) return false
    this.#next = now + every * cell.perStep
    const models = hasServers && judge === 'mean' ? [parameters] : [...this.#latest.values()]
    const { accuracy } = await union.evaluate(mean(models)).run()
    return accuracy >= target && (judge === 'mean' || haveReached(union, models, target))
  }
}

/**
 * A run in one cell. A peer that misses necessary neighbours gives up, as a real one does, and the others continue.
 *
 * @returns `ms`: when the target was reached, and the bytes that all peers had sent until then; or the `reason` why it
 *   was not reached, and `end`: the time at which a peer had taken all its steps, or of the cell's end if it diverged
 *   or peers gave up
 */
export async function computeIn({ method, seed, setup, target, cell }) {
  const { peers, batch, rounds } = setup
  const tasks = await tasksOf(peers, seed, setup.data)
  const { wire, recording } = wireOf(method, seed, setup, tasks.union)
  const servers = serversOf(method, peers)
  const topology = topologyFor(peers, method.graph ?? { kind: 'ring' })
  const hasServers = servers.length > 0
  const judge = new Judge({ setup, cell, union: tasks.union, target, hasServers })
  const lost = new Map()
  let end = 0
  const observer = { fault({ kind, peer }) { if (kind === 'crash') judge.lose(peer) } } // oxfmt-ignore
  const options = { topology, servers, seed, links: cell.links ?? uniformLinks(cell), wire, cost: costOf(cell, seed), faults: cell.faultsOf?.(seed) ?? noFaults, observer } // oxfmt-ignore
  const settings = { ...settingsOf({ method, topology, peers, seed, batch, rounds }), servers: servers.map(({ name }) => name), timeout: cell.timeout ?? 1e12 } // oxfmt-ignore
  const look = async (now, self, parameters) => {
    end = Math.min(now, cell.until ?? Infinity)
    if (now > end) throw new Ended(JSON.stringify({ reason: `not within ${cell.until / 1000} s`, end }))
    if (!(await judge.sees(now, self, parameters))) return
    const bytes = recording.bytesByRound.reduce((sum, each) => sum + (each ?? 0), 0)
    throw new Ended(JSON.stringify({ ms: now, bytes }))
  }
  const act = async (fabric) => {
    const { self } = fabric
    const task = tasks.of.get(self) ?? tasks.union
    for await (const { round, parameters } of train(fabric, task, settings)) {
      if (!tasks.of.has(self)) continue
      await look(fabric.now(), self, parameters)
      // From here on the others would train without this peer, as they would not with more steps.
      if (round === rounds - 1) throw new Ended(JSON.stringify({ reason: `not within ${rounds} steps`, end }))
    }
  }
  try {
    await simulate(options, async (fabric) => {
      try {
        await act(fabric)
      } catch (error) {
        if (error.name !== 'NeighboursMissingError') throw error
        lost.set(fabric.self, error.message)
        judge.lose(fabric.self)
      }
    })
  } catch (error) {
    if (error instanceof Ended) return JSON.parse(error.message)
    if (!diverges.has(error.name)) throw error
    return { reason: error.message, end: cell.until ?? end }
  }
  const [first] = lost.values()
  return {
    end: lost.size > 0 ? (cell.until ?? end) : end,
    reason: first === undefined ? `not within ${rounds} steps` : `${lost.size} gave up: ${first}`
  }
}

/**
 * After so many rounds an all-reduce has a constant pace: each round waits for all peers, and messages and steps are
 * the same.
 */
const pacedAfter = 6

/** When round `round` has ended in a cell, in ms: the last peer's time. */
export async function replay({ method, seed, setup, cell, round, sizes }) {
  const { peers, batch } = setup
  const isPaced = method.algorithm === 'all-reduce' && round > pacedAfter
  const rounds = isPaced ? pacedAfter : round
  const topology = topologyFor(peers, method.graph ?? { kind: 'ring' })
  const settings = settingsOf({ method, topology, peers, seed, batch, rounds })
  const options = { topology, seed, links: uniformLinks(cell), cost: costOf(cell, seed) }
  const { schema } = (await tasksOf(peers, seed, setup.data)).union
  const ends = (await replayedTimes({ sizes }, settings, options, method.isLowRank ? schema : undefined)).map((times) =>
    Math.max(...times)
  )
  if (!isPaced) return ends[round - 1]
  const before = ends[rounds - 2] - ends[rounds - 3]
  const pace = ends[rounds - 1] - ends[rounds - 2]
  if (Math.abs(pace - before) > 1e-6) throw new Error(`rounds of ${before} and ${pace} ms are not paced`)
  return ends[rounds - 1] + (round - rounds) * pace
}
