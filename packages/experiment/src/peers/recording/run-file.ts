import { messageOf } from '@murmuration/core'
import { removeResults, type RunRecord, type Sweep, writeResults, writeRuns } from '@murmuration/results'
import type { RunEvent } from '../../base/events.js'

/** Writes the record of one run repeatedly while it grows. Each write is atomic. */
export class RunFile {
  readonly #directory: string
  readonly #emit: (event: RunEvent) => void
  #sweep: Sweep | undefined
  #writes: Promise<void> = Promise.resolve()
  #isPending = false
  #hasFailed = false

  constructor(directory: string, emit: (event: RunEvent) => void) {
    this.#directory = directory
    this.#emit = emit
  }

  /** Writes the description of the run. Only the first call has an effect. */
  begin(sweep: Sweep): void {
    if (this.#sweep !== undefined) return
    this.#sweep = sweep
    this.#then(() => writeResults(this.#directory, { sweep, runs: [], timelines: [] }))
  }

  /** Writes the record soon, with its content at that time. */
  write(record: () => RunRecord): void {
    if (this.#isPending) return
    this.#isPending = true
    this.#then(() => {
      this.#isPending = false
      return writeRuns(this.#directory, [record()])
    })
  }

  /**
   * Writes everything for the last time; without a record, removes the files. Rejects with an OutputError on failure.
   */
  async end(record: RunRecord | undefined): Promise<void> {
    await this.#writes
    const sweep = this.#sweep
    if (sweep === undefined) return
    await (record === undefined
      ? removeResults(this.#directory)
      : writeResults(this.#directory, { sweep, runs: [record], timelines: [] }))
  }

  /** Writes in sequence. The first failure is reported as a note. */
  #then(write: () => Promise<void>): void {
    this.#writes = this.#writes.then(write).catch((error: unknown) => {
      if (!this.#hasFailed) this.#emit({ kind: 'note', text: `${messageOf(error)}; the run continues and tries again` })
      this.#hasFailed = true
    })
  }
}
