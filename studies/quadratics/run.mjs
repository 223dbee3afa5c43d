// One run of a record in the simulator, on quadratics without noise, looked at from outside.
import { algorithms, train } from '@murmuration/algorithms'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { mean } from '@murmuration/vectors'
import { pooledVectorWire } from '@murmuration/wire'
import { looks, maxSteps } from './tuning.mjs'

/**
 * Which record, and its options. What the published runs do otherwise than the records by default: gossip is
 * adapt-then-combine.
 */
const methods = {
  'Gossip': ['dpsgd', { order: 'adapt-then-combine' }],
  'All-reduce': ['all-reduce', {}],
  'D2': ['d2', {}],
  'Gradient tracking': ['gradient-tracking', {}],
  'RelaySum/Model': ['relay-sgd', {}],
  'RelaySum/Grad': ['relay-sgd', { sums: 'gradients' }],
  'SGP': ['sgp', {}]
}

class Ended extends Error {}

/** Runs with a rate until `look(steps, loss)` returns an outcome, and returns that. */
export async function runQuadratics({ algorithm, topology, tasks }, rate, look) {
  const [name, options] = methods[algorithm]
  const { peers } = topology
  const seen = new Map()
  let outcome
  const note = (place, steps, x) => {
    if (!seen.has(steps)) seen.set(steps, [])
    const all = seen.get(steps)
    all[place] = x.slice()
    if (Object.keys(all).length < peers.length) return
    seen.delete(steps)
    outcome = look(steps, tasks[0].evaluate(mean(all)).run().loss)
    if (outcome !== undefined) throw new Ended()
  }
  const settings = {
    algorithm: algorithms.find((each) => each.name === name),
    options,
    seed: 1,
    batchSize: 1,
    rounds: maxSteps,
    rate: () => rate,
    timeout: 1e9,
    workers: peers
  }
  try {
    await simulate(
      { topology, seed: 1, wire: pooledVectorWire(), links: uniformLinks({ latency: 1 }), cost: () => 1 },
      async (fabric) => {
        const place = peers.indexOf(fabric.self)
        for await (const { round, parameters } of train(fabric, tasks[place], settings))
          if (looks.has(round + 1)) note(place, round + 1, parameters)
      }
    )
  } catch (error) {
    if (error.name === 'DivergedError') return 'too large'
    if (!(error instanceof Ended)) throw error
  }
  return outcome
}
