/** Writes results to files. */
import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, OutputError } from '@murmuration/core'
import type { Results, RunRecord, Sweep, Timeline } from '../results.js'
import { format, names } from './names.js'
import { replaceFile } from './replace.js'
import { curvesTable, summaryTable } from './tables.js'

/**
 * Writes results as they arrive: sweep.json and scenario.yaml at once, a line of runs.jsonl for each run. However the
 * process ends, `readResults` reads what was written until then. All methods throw an OutputError when a file cannot be
 * written.
 */
export class ResultsWriter {
  readonly #directory: string
  readonly #runs: number
  readonly #timelines: number
  #count = 0
  #isBroken = false

  private constructor(directory: string) {
    this.#directory = directory
    this.#runs = openSync(join(directory, names.runs), 'w')
    this.#timelines = openSync(join(directory, names.timelines), 'w')
  }

  /** Creates the directory if necessary, and overwrites existing files of results. */
  static async open(directory: string, sweep: Sweep): Promise<ResultsWriter> {
    return await writing(directory, async () => {
      await writeSweep(directory, sweep)
      return new ResultsWriter(directory)
    })
  }

  /** How many runs are written. */
  get count(): number {
    return this.#count
  }

  /**
   * Adds a run, and its timeline if it has one. After a failure nothing is appended, since the last line may be
   * incomplete.
   */
  add(run: RunRecord, timeline?: Timeline): void {
    if (this.#isBroken) throw unwritable(this.#directory, new Error('an earlier write failed'))
    try {
      appendFileSync(this.#runs, lineOf(run))
      this.#count++
      if (timeline !== undefined) appendFileSync(this.#timelines, lineOf(timeline))
    } catch (error) {
      this.#isBroken = true
      throw unwritable(this.#directory, error)
    }
  }

  /** Closes the files. Without any run, the files are removed. */
  async close(): Promise<void> {
    await writing(this.#directory, async () => {
      for (const file of [this.#runs, this.#timelines]) {
        if (this.#count > 0) fsyncSync(file)
        closeSync(file)
      }
      if (this.#count === 0) await removeResults(this.#directory)
    })
  }
}

/** Writes complete results, file by file. Throws an OutputError when one cannot be written. */
export async function writeResults(directory: string, { sweep, runs, timelines }: Results): Promise<void> {
  await writing(directory, async () => {
    await writeSweep(directory, sweep)
    await replaceFile(join(directory, names.timelines), timelines.map(lineOf))
    await writeRuns(directory, runs)
  })
}

/** Replaces the runs of existing results. Throws an OutputError when that fails. */
export async function writeRuns(directory: string, runs: readonly RunRecord[]): Promise<void> {
  await replaceFile(join(directory, names.runs), runs.map(lineOf))
}

/** Removes all files of results. */
export async function removeResults(directory: string): Promise<void> {
  for (const name of Object.values(names)) await rm(join(directory, name), { force: true })
}

async function writeSweep(directory: string, sweep: Sweep): Promise<void> {
  await mkdir(directory, { recursive: true })
  await replaceFile(join(directory, names.sweep), [sweepText(sweep)])
  await replaceFile(join(directory, names.scenario), [sweep.scenario])
}

const lineOf = (item: RunRecord | Timeline): string => `${JSON.stringify(item)}\n`

/** The sweep with the version of the files' format, so that a reader can refuse a version that it does not know. */
const sweepText = (sweep: Sweep): string => `${JSON.stringify({ format, ...sweep }, undefined, 2)}\n`

/** Writes summary.csv and curves.csv, for other programs. Throws an OutputError when a file cannot be written. */
export async function writeTables(directory: string, { sweep, runs }: Results): Promise<void> {
  await replaceFile(join(directory, names.summary), summaryTable(sweep, runs))
  await replaceFile(join(directory, names.curves), curvesTable(sweep, runs))
}

async function writing<T>(directory: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    throw error instanceof OutputError ? error : unwritable(directory, error)
  }
}

function unwritable(directory: string, error: unknown): OutputError {
  return new OutputError(`${directory}: cannot write the results there: ${messageOf(error)}`)
}
