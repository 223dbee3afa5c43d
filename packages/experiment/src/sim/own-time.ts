import type { Milliseconds, Schema, Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { TaskSet } from '@murmuration/tasks'
import { lengthOf } from '@murmuration/vectors'
import { givenOptions, recordOf } from '../training/algorithm-choice.js'
import { simulateRun } from './run.js'
import type { Scenario } from './scenario.js'
import { type SimRun, topologyOf } from './sweep.js'

/** Periods of a run: more where those that are measured took less than a while, up to so many. */
const [leastPeriods, mostPeriods] = [3, 192]
const longEnough: Milliseconds = 500

/** The largest number of a gradient: models stay near each other, so that no method gives up. */
const gradientSize = 1e-4

/**
 * The processor time that a method itself takes for each gradient, in milliseconds: the optimiser's step, mixing,
 * encoding, and its share of what servers do. Measured over all peers of a run in this thread, with gradients that cost
 * nothing, over whole periods of local steps, without the first. Receiving a message takes what it takes in the
 * simulator, not on a real link. 0 where rows of the parameters have keys, whose accesses differ from batch to batch.
 */
export async function ownTimeOf(
  scenario: Scenario,
  run: SimRun,
  taskSet: TaskSet,
  now: () => number
): Promise<Milliseconds> {
  const { algorithm } = run.method
  const record = recordOf(algorithm)
  if (record.keys !== undefined) return 0
  const { period: every = 1 } = record.options.parse(givenOptions(algorithm)) as { readonly period?: number }
  const { topology } = topologyOf(scenario, run)
  const most = Math.max(leastPeriods, Math.min(mostPeriods, Math.ceil(scenario.training.rounds / every)))
  for (let periods = leastPeriods; ; periods *= 4) {
    const gradients = new FreeGradients(taskSet, every * topology.peers.length, now)
    const rounds = Math.min(periods, most) * every
    const short = { ...scenario, ...undisturbed, training: { ...scenario.training, rounds }, evaluate: rounds }
    await simulateRun(short, { ...run, timeline: undefined }, gradients, now)
    if (periods >= most || gradients.passed > longEnough) return gradients.time
  }
}

/** Without what ends a run early, and what lets peers miss each other. */
const undisturbed = { stop: {}, faults: { rules: [], events: [] }, membership: undefined, timeline: undefined }

/** Gradients that are there already, and the time between them. */
class FreeGradients implements TaskSet {
  readonly schema: Schema
  readonly peers: readonly string[]
  readonly union: Task
  readonly #tasks: TaskSet
  readonly #perPeriod: number
  readonly #now: () => number
  /** Each peer has another part of it. */
  readonly #numbers: Float32Array
  /** When each period began. */
  readonly #begins: Milliseconds[] = []
  #count = 0

  constructor(tasks: TaskSet, perPeriod: number, now: () => number) {
    this.schema = tasks.schema
    this.peers = tasks.peers
    this.#tasks = tasks
    this.#perPeriod = perPeriod
    this.#now = now
    const random = createRandom(1, 'free gradients')
    const length = lengthOf(tasks.schema) + tasks.peers.length
    this.#numbers = Float32Array.from({ length }, () => gradientSize * (2 * random.uniform() - 1))
    this.union = this.#free(tasks.union, 0)
  }

  of(peer: string): Task {
    return this.#free(this.#tasks.of(peer), this.peers.indexOf(peer))
  }

  /** How long the periods took that are measured. */
  get passed(): Milliseconds {
    const [, first = 0] = this.#begins
    return (this.#begins.at(-1) ?? first) - first
  }

  /** The time per gradient. */
  get time(): Milliseconds {
    const periods = this.#begins.length - 2
    return periods < 1 ? 0 : this.passed / (periods * this.#perPeriod)
  }

  #free(task: Task, offset: number): Task {
    const vector = this.#numbers.subarray(offset, offset + lengthOf(this.schema))
    const gradient: Task['gradient'] = (_, { length }) => ({
      kind: 'gradient',
      samples: length,
      run: () => {
        if (this.#count++ % this.#perPeriod === 0) this.#begins.push(this.#now())
        return { loss: 0, vector }
      }
    })
    const evaluate: Task['evaluate'] = () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) })
    const { schema, samples, about } = task
    return { schema, samples, about, rows: undefined, initialise: (seed) => task.initialise(seed), gradient, evaluate }
  }
}
