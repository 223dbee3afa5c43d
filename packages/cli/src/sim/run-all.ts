import { InputError, StoppedError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Piscina } from 'piscina'
import type { RunResult } from './run.js'
import type { RunAnswer } from './run-worker.js'
import type { Scenario } from './scenario.js'
import { runCount } from './sweep.js'

/** How the runs of a scenario are done. */
export interface RunAllOptions {
  readonly threads: number
  /** Told after each run. */
  readonly onRun: (result: RunResult, done: number, all: number) => void
  readonly signal: AbortSignal
}

/** What all runs came to. */
export interface AllRuns {
  /** In the order of the scenario, whoever was done first; those that were done, if it was stopped. */
  readonly results: readonly RunResult[]
  /** How many were done twice, and what the second time was otherwise. */
  readonly repeated: number
  readonly differences: readonly string[]
  readonly isWhole: boolean
  /** What ended the sweep before all were done, unless it was stopped. */
  readonly error?: unknown
}

/** One run in so many is done twice and must come out the same. */
const repeatEvery = 20

/** Short-lived objects live in here; with Node's default of 48 MB the collector would run all the time. */
const youngGenerationMegabytes = 384

/** Simulates all runs of a scenario on threads. The threads share nothing, so their number changes nothing but the time. */
export async function runAll(scenario: Scenario, { threads, onRun, signal }: RunAllOptions): Promise<AllRuns> {
  const all = runCount(scenario)
  const repeats = Array.from({ length: Math.ceil(all / repeatEvery) }, (_, k) => k * repeatEvery)
  const pool = new Piscina<number, RunAnswer>({
    filename: new URL('./run-worker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: Math.max(1, Math.min(threads, all)),
    concurrentTasksPerWorker: 1,
    idleTimeout: 1000,
    workerData: scenario,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMegabytes }
  })
  const stop = () => void pool.destroy()
  signal.addEventListener('abort', stop)
  const results = new Map<number, RunResult>()
  const again = new Map<number, RunResult>()
  let done = 0
  const work = async (index: number, into: Map<number, RunResult>) => {
    const result = resultOf(await pool.run(index, { name: 'run' }))
    into.set(index, result)
    onRun(result, ++done, all + repeats.length)
  }
  // In drawn order, so that the time that is left can be told from the time that has gone.
  const order = createRandom(0, 'order').shuffle(Array.from({ length: all }, (_, index) => index))
  const jobs = [...order.map((index) => work(index, results)), ...repeats.map((index) => work(index, again))]
  const outcomes = Promise.allSettled(jobs)
  const failure = await Promise.all(jobs).then(
    () => ({}),
    (error: unknown) => (signal.aborted ? {} : { error })
  )
  signal.removeEventListener('abort', stop)
  await pool.destroy()
  await outcomes
  return {
    ...failure,
    results: [...results].sort(([left], [right]) => left - right).map(([, result]) => result),
    repeated: again.size,
    differences: [...again].flatMap(([index, second]) => differenceOf(results.get(index), second)),
    isWhole: results.size === all
  }
}

function resultOf(answer: RunAnswer): RunResult {
  if (answer.ok) return answer.result
  const { name, message, stack } = answer
  if (name === 'InputError') throw new InputError(message)
  if (name === 'StoppedError') throw new StoppedError(message)
  throw Object.assign(new Error(message), { name, stack })
}

/** Where two runs that should be the same differ first. */
export function differenceOf(first: RunResult | undefined, second: RunResult): string[] {
  if (first === undefined || first.record.logHash === second.record.logHash) return []
  const { contender, seed, settings, curve } = second.record
  const at = curve.findIndex((point, k) => JSON.stringify(point) !== JSON.stringify(first.record.curve[k]))
  const where =
    at < 0
      ? 'in events that the curve does not show'
      : `first at evaluation ${at + 1}: ${JSON.stringify(first.record.curve[at])} and then ${JSON.stringify(curve[at])}`
  return [`${contender}, seed ${seed}, ${JSON.stringify(settings)}: the same run came out otherwise, ${where}`]
}
