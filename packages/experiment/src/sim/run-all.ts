import { createRandom } from '@murmuration/random'
import { ofPart, type SweepPart } from '@murmuration/results'
import type { RunResult } from './run.js'
import { RunPool } from './run-pool.js'
import type { Scenario } from './scenario.js'
import { runCount } from './sweep.js'

/** How the runs of a scenario are done. */
export interface RunAllOptions {
  readonly threads: number
  /** Which part of the runs; all when absent. */
  readonly part?: SweepPart | undefined
  /** Told after each run. */
  readonly onRun: (result: RunResult, done: number, all: number) => void
  /** Given each result once, as soon as there is nothing more to find out about it. The sweep ends when this throws. */
  readonly keep: (result: RunResult) => void
  readonly signal: AbortSignal
}

/** What all runs came to. */
export interface AllRuns {
  /** In the order of the scenario, whoever was done first; those that were done, if it was stopped, and those of the part. */
  readonly results: readonly RunResult[]
  /** How many were done twice. What came out otherwise is a finding of the run. */
  readonly repeated: number
  readonly isWhole: boolean
  /** What ended the sweep before all were done, unless it was stopped. */
  readonly error?: unknown
}

/** One run in so many is done twice and must come out the same. */
const repeatEvery = 20

/** Simulates all runs of a scenario on threads. The threads share nothing, so their number changes nothing but the time. */
export async function runAll(
  scenario: Scenario,
  { threads, part = { number: 1, of: 1 }, onRun, keep, signal }: RunAllOptions
): Promise<AllRuns> {
  // In drawn order, so that the time that is left can be told from the time that has gone, and parts take about as long.
  const drawn = createRandom(0, 'order').shuffle(Array.from({ length: runCount(scenario) }, (_, index) => index))
  const order = ofPart(drawn, part)
  const all = order.length
  const repeats = order.filter(isRepeated).length
  const pool = new RunPool(scenario, Math.max(1, Math.min(threads, all)))
  const stop = () => void pool.end()
  signal.addEventListener('abort', stop)
  const progress = new Progress(keep)
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

/** The results that there are. A run that is repeated is kept when it was done twice. */
class Progress {
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

  /** Keeps also those whose repetition did not come any more. */
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

/** Where two runs that should be the same differ first. */
export function differenceOf(first: RunResult, second: RunResult): string[] {
  if (first.record.logHash === second.record.logHash) return []
  const { settings, curve } = second.record
  const at = curve.findIndex((point, k) => JSON.stringify(point) !== JSON.stringify(first.record.curve[k]))
  const where =
    at < 0
      ? 'in events that the curve does not show'
      : `first at evaluation ${at + 1}: ${JSON.stringify(first.record.curve[at])} and then ${JSON.stringify(curve[at])}`
  return [`${JSON.stringify(settings)}: the same run came out otherwise, ${where}`]
}
