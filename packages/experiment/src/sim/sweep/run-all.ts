import { createRandom } from '@murmuration/random'
import { ofPart, type SweepPart } from '@murmuration/results'
import type { RunResult } from '../run/run.js'
import { RunPool } from './run-pool.js'
import type { Scenario } from '../scenario/scenario.js'
import { runCount } from '../scenario/sweep.js'

/** Options for the runs of a scenario. */
export interface RunAllOptions {
  readonly threads: number
  /** The part of the runs; all if absent. */
  readonly part?: SweepPart | undefined
  /** Called after each run. */
  readonly onRun: (result: RunResult, done: number, all: number) => void
  /** Called once with each result, as soon as it is final. An exception ends the sweep. */
  readonly keep: (result: RunResult) => void
  readonly signal: AbortSignal
}

/** The results of all runs. */
export interface AllRuns {
  /**
   * In the order of the scenario. If the sweep was stopped, only the completed runs; if it was a part, only the runs of
   * the part.
   */
  readonly results: readonly RunResult[]
  /** The number of runs that were repeated. A different result of a repetition is a finding of the run. */
  readonly repeated: number
  readonly isWhole: boolean
  /** The error that ended the sweep early; absent if it was stopped. */
  readonly error?: unknown
}

/** One run in so many is repeated, and must give the same result. */
const repeatEvery = 20

/** Simulates all runs of a scenario on threads. The threads share nothing, so their number changes only the time. */
export async function runAll(
  scenario: Scenario,
  { threads, part = { number: 1, of: 1 }, onRun, keep, signal }: RunAllOptions
): Promise<AllRuns> {
  // In random order, so that the remaining time can be estimated, and all parts take about the same time.
  const shuffled = createRandom(0, 'order').shuffle(Array.from({ length: runCount(scenario) }, (_, index) => index))
  const order = ofPart(shuffled, part)
  const all = order.length
  const repeats = order.filter(isRepeated).length
  const pool = new RunPool(scenario, Math.max(1, Math.min(threads, all)))
  const stop = () => void pool.end()
  signal.addEventListener('abort', stop)
  const progress = new SweepProgress(keep)
  const work = async (index: number) => {
    const result = await pool.run(index)
    progress.add(index, result)
    onRun(result, progress.done, all + repeats)
  }
  const jobs = order.flatMap((index) => (isRepeated(index) ? [work(index), work(index)] : [work(index)]))
  const outcomes = Promise.allSettled(jobs)
  const failure = await Promise.race([Promise.all(jobs), pool.failed]).then(
    () => ({}),
    (error: unknown) => (signal.aborted ? {} : { error })
  )
  signal.removeEventListener('abort', stop)
  await pool.end()
  await outcomes
  return { ...progress.end(), isWhole: progress.runs === all, ...failure }
}

const isRepeated = (index: number) => index % repeatEvery === 0

/** The results so far. A run that is repeated is kept after both runs. */
class SweepProgress {
  readonly #keep: (result: RunResult) => void
  readonly #results = new Map<number, RunResult>()
  readonly #unkept = new Set<number>()
  #repeated = 0

  constructor(keep: (result: RunResult) => void) {
    this.#keep = keep
  }

  get runs(): number {
    return this.#results.size
  }

  get done(): number {
    return this.#results.size + this.#repeated
  }

  add(index: number, result: RunResult): void {
    const first = this.#results.get(index)
    if (first !== undefined) this.#repeated++
    this.#results.set(index, first === undefined ? result : withFindings(first, differenceOf(first, result)))
    this.#unkept.add(index)
    if (first !== undefined || !isRepeated(index)) this.#keepNow(index)
  }

  /** Also keeps runs with an incomplete repetition. */
  end(): Pick<AllRuns, 'results' | 'repeated' | 'error'> {
    const done = [...this.#results].sort(([left], [right]) => left - right).map(([, result]) => result)
    try {
      for (const index of this.#unkept) this.#keepNow(index)
    } catch (error) {
      return { results: done, repeated: this.#repeated, error }
    }
    return { results: done, repeated: this.#repeated }
  }

  #keepNow(index: number): void {
    const result = this.#results.get(index)
    if (result !== undefined) this.#keep(result)
    this.#unkept.delete(index)
  }
}

function withFindings(result: RunResult, found: readonly string[]): RunResult {
  return { ...result, record: { ...result.record, findings: [...result.record.findings, ...found] } }
}

/** The first difference of two runs that should be the same. */
export function differenceOf(first: RunResult, second: RunResult): string[] {
  if (first.record.logHash === second.record.logHash) return []
  const { settings, curve } = second.record
  const at = curve.findIndex((point, k) => JSON.stringify(point) !== JSON.stringify(first.record.curve[k]))
  const where =
    at < 0
      ? 'in events that are not in the curve'
      : `first at evaluation ${at + 1}: ${JSON.stringify(first.record.curve[at])}, then ${JSON.stringify(curve[at])}`
  return [`${JSON.stringify(settings)}: the repeated run gave another result, ${where}`]
}
