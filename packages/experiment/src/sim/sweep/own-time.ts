import type { Milliseconds, Schema, Task, TaskDual } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { TaskSet } from '@murmuration/tasks'
import { lengthOf } from '@murmuration/vectors'
import { type AlgorithmChoice, givenOptions, recordOf } from '../../training/algorithm-choice.js'
import { simulateRun } from '../run/run.js'
import type { Method, Scenario } from '../scenario/scenario.js'
import { type SimRun, topologyOf } from '../scenario/sweep.js'

/** Rounds that are measured in the first run, in which code is compiled. */
const fewRounds = 3
/** Each run has four times as many rounds as the one before, up to this number, or until one took a while. */
const manyRounds = 192
const longEnough: Milliseconds = 100

/** The largest number of a gradient: models stay near each other, so that no method gives up. */
const gradientSize = 1e-4

/** Periods of local steps of which the costs of a step and of an exchange follow. */
const short = 2
const long = 8

/** Processor times in milliseconds. */
export interface OwnCosts {
  /** For each gradient: the optimiser's step, and, without periods of local steps, the exchange. */
  readonly step: Milliseconds
  /** For each exchange after a period of local steps. */
  readonly exchange: Milliseconds
}

/** What a method itself takes for each gradient, from the costs of its steps and exchanges. */
export function ownTime({ step, exchange }: OwnCosts, { algorithm }: Pick<Method, 'algorithm'>): Milliseconds {
  return step + exchange / (periodOf(algorithm) ?? 1)
}

/**
 * The processor time that a method itself takes: the optimiser's step, mixing, encoding, and its share of what servers
 * do, whatever its period of local steps is. Measured over all peers of runs in this thread, with gradients that cost
 * nothing. Receiving a message takes what it takes in the simulator, not on a real link. 0 where rows of the parameters
 * have keys, whose accesses differ from batch to batch.
 */
export async function ownCostsOf(
  scenario: Scenario,
  run: SimRun,
  taskSet: TaskSet,
  now: () => number
): Promise<OwnCosts> {
  const { algorithm } = run.method
  if (recordOf(algorithm).kind === 'rows') return { step: 0, exchange: 0 }
  const measure = (period?: number) => {
    const chosen = period === undefined ? algorithm : { ...algorithm, period }
    return measured(scenario, { ...run, method: { ...run.method, algorithm: chosen } }, taskSet, now)
  }
  if (periodOf(algorithm) === undefined) return { step: await measure(), exchange: 0 }
  const often = await measure(short)
  const rarely = await measure(long)
  const exchange = Math.max(0, (often - rarely) / (1 / short - 1 / long))
  return { step: Math.max(0, often - exchange / short), exchange }
}

/** How many local steps lie between two exchanges, for algorithms that have that option. */
function periodOf(algorithm: AlgorithmChoice): number | undefined {
  return (recordOf(algorithm).options.parse(givenOptions(algorithm)) as { readonly period?: number }).period
}

/** The time per gradient, over whole periods of local steps. */
async function measured(scenario: Scenario, run: SimRun, taskSet: TaskSet, now: () => number): Promise<Milliseconds> {
  const { topology } = topologyOf(scenario, run)
  const every = periodOf(run.method.algorithm) ?? 1
  const { traffic } = scenario
  const schema = traffic?.map((size, tensor): Schema[0] => ({ name: `${tensor}`, shape: [size] })) ?? taskSet.schema
  for (let least = fewRounds; ; least *= 4) {
    const gradients = new FreeGradients(taskSet, schema, every * topology.peers.length, now)
    // From the beginning of the second period to that of the last.
    const rounds = every * (2 + Math.ceil(least / every))
    const brief = { ...scenario, ...undisturbed, training: { ...scenario.training, rounds }, evaluate: rounds }
    await simulateRun(brief, { ...run, timeline: undefined }, gradients, now)
    if (least > fewRounds && (least >= manyRounds || gradients.passed > longEnough)) return gradients.time
  }
}

/** Without what ends a run early, what lets peers miss each other, and the traffic, whose size the vectors have. */
const undisturbed = {
  stop: {},
  faults: { rules: [], events: [] },
  membership: undefined,
  timeline: undefined,
  traffic: undefined
}

/** Gradients that are there already, and the time between them; for networks of the size that messages have. */
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

  constructor(tasks: TaskSet, schema: Schema, perPeriod: number, now: () => number) {
    this.schema = schema
    this.peers = tasks.peers
    this.#tasks = tasks
    this.#perPeriod = perPeriod
    this.#now = now
    const random = createRandom(1, 'free gradients')
    const length = lengthOf(schema) + tasks.peers.length
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

  #free({ samples, about, dual }: Task, offset: number): Task {
    const { schema } = this
    const vector = this.#numbers.subarray(offset, offset + lengthOf(schema))
    const start = this.#numbers.subarray(0, vector.length)
    const count = () => {
      if (this.#count++ % this.#perPeriod === 0) this.#begins.push(this.#now())
      return { loss: 0, vector }
    }
    const gradient: Task['gradient'] = (_, { length }) => ({ kind: 'gradient', samples: length, run: count })
    const step: TaskDual['step'] = (_, a, { length }) => ({
      kind: 'dual',
      samples: length,
      run: () => ({ ...count(), a, gap: { value: 0, slope: 0, curvature: 0 } })
    })
    const initialise: Task['initialise'] = () => ({ kind: 'initialise', samples: 0, run: () => start.slice() })
    const evaluate: Task['evaluate'] = () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) })
    const free = dual && { width: dual.width, step }
    return { schema, samples, about, rows: undefined, dual: free, initialise, gradient, evaluate }
  }
}
