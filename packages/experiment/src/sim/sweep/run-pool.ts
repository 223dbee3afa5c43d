import { once } from 'node:events'
import { deferred, InputError, StoppedError } from '@murmuration/core'
import { Piscina } from 'piscina'
import type { RunResult } from '../run/run.js'
import type { RunAnswer, RunLimits, RunQuestion, ThreadLoaded } from './run-worker.js'
import type { Scenario } from '../scenario/scenario.js'

/**
 * Memory for short-lived objects, in MB. A collection copies the live ones, whose size grows with the number of peers;
 * with many peers, more memory makes collections rare. With few peers more memory is not faster, and all of it is
 * touched. Calibrated with 100 peers (96 is as fast as 384) and 1,000 peers (96 is slower); between and beyond these,
 * times differ by less than a tenth.
 *
 * @param peers - of the largest run
 */
export function youngGenerationMegabytes(peers: number): number {
  return Math.min(384, Math.max(96, Math.ceil(0.384 * peers)))
}

/** The number of peers in the largest run. */
function maxPeersOf({ topology, axes }: Scenario): number {
  const { peers } = topology
  const varied = axes.flatMap(({ values }) => values.flatMap((each) => (each.axis === 'peers' ? [each.value] : [])))
  return Math.max(typeof peers === 'number' ? peers : peers.length, ...varied)
}

/** How long ending the threads may wait until all are loaded, in milliseconds. */
const loadingLimit = 10_000

/** Threads that simulate the runs of one scenario. */
export class RunPool {
  /** Rejects when a thread fails outside a run. */
  readonly failed: Promise<never>
  readonly #pool: Piscina<RunQuestion, RunAnswer>
  readonly #loaded = new Set<number>()

  constructor(scenario: Scenario, maxThreads: number) {
    this.#pool = new Piscina<RunQuestion, RunAnswer>({
      filename: new URL('./run-worker.js', import.meta.url).href,
      minThreads: 1,
      maxThreads,
      concurrentTasksPerWorker: 1,
      idleTimeout: 1000,
      workerData: scenario,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMegabytes(maxPeersOf(scenario)) }
    })
    this.#pool.on('message', ({ loaded }: ThreadLoaded) => this.#loaded.add(loaded))
    const { promise, reject } = deferred<never>()
    promise.catch(() => {})
    this.failed = promise
    // The pool reports the answer to an abandoned run as an error. Without a listener, that would end the process.
    this.#pool.on('error', reject)
  }

  /** Simulates run number `index`. Rejects with an InputError when something that the scenario names does not exist. */
  async run(index: number, within: RunLimits = {}): Promise<RunResult> {
    return resultOf(await this.#pool.run({ index, within }, { name: 'run' }))
  }

  /** Ends all threads. Unfinished runs reject. */
  async end(): Promise<void> {
    await this.#allLoaded(AbortSignal.timeout(loadingLimit))
    await this.#pool.destroy()
  }

  /** Node 20 crashes when a thread is ended while it loads its modules (`v8::Module::IsGraphAsync`). */
  async #allLoaded(signal: AbortSignal): Promise<void> {
    const isLoading = () => this.#pool.threads.some(({ threadId }) => !this.#loaded.has(threadId))
    while (isLoading() && !signal.aborted) await once(this.#pool, 'message', { signal }).catch(() => {})
  }
}

function resultOf(answer: RunAnswer): RunResult {
  if (answer.ok) return answer.result
  const { name, message, stack } = answer
  if (name === 'InputError') throw new InputError(message)
  if (name === 'StoppedError') throw new StoppedError(message)
  throw Object.assign(new Error(message), { name, stack })
}
