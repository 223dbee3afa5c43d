import { existsSync, readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join } from 'node:path'
import { InputError } from '@murmuration/core'
import { type Results, reportHtml, writeResults } from '@murmuration/report'
import { SimulationError } from '../exit-codes.js'
import { calibrate } from './calibrate.js'
import { type AllRuns, runAll } from './run-all.js'
import type { Scenario } from './scenario.js'
import { readScenario } from './scenario-file.js'
import type { SimOutput } from './sim-output.js'
import { sweepOf } from './sweep-facts.js'

/** What `murmur sim` is given. */
export interface SimRequest {
  /** The scenario file. */
  readonly path: string
  /** Where results go; a new folder in `results/` when absent. */
  readonly out?: string
  readonly threads?: number
  /** Measure what computing takes on this machine, in place of what the scenario says. */
  readonly calibrate?: boolean
}

/**
 * Simulates all runs of a scenario and writes the results and the report. What was done when `signal` is aborted, or when a run
 * fails to be simulated, is written as well. Throws a SimulationError when a run broke a promise, after all has been written.
 */
export async function runSim(request: SimRequest, output: SimOutput, signal: AbortSignal): Promise<void> {
  const threads = request.threads ?? availableParallelism()
  const given = await readScenario(request.path)
  const scenario = request.calibrate === true ? await calibrated(given, output) : given
  const directory = directoryFor(request)
  output.start(scenario, threads)
  const start = performance.now()
  const all = await runAll(scenario, { threads, onRun: output.run, signal })
  const results = resultsOf(scenario, all, commandOf(request))
  if (all.results.length > 0) await write(directory, results)
  const seconds = (performance.now() - start) / 1000
  output.end(results, { directory, seconds, repeated: all.repeated, isWhole: all.isWhole })
  signal.throwIfAborted()
  if (all.error !== undefined) throw all.error
  const broken = [...all.differences, ...all.results.flatMap(({ record }) => record.findings)]
  if (broken.length > 0) throw new SimulationError(`broken promises: ${broken.length}, as told above`)
}

async function calibrated(scenario: Scenario, output: SimOutput): Promise<Scenario> {
  const { perSample, perStep } = await calibrate(scenario, () => performance.now())
  output.note(
    `computing: ${perSample.toPrecision(3)} ms per sample and ${perStep.toPrecision(3)} ms per step, as measured on this machine`
  )
  return { ...scenario, computing: { ...scenario.computing, perSample, perStep } }
}

function resultsOf(scenario: Scenario, { results }: AllRuns, command: string): Results {
  return {
    sweep: sweepOf(scenario, command),
    runs: results.map(({ record }) => record),
    timelines: results.flatMap(({ timeline }) => timeline ?? [])
  }
}

async function write(directory: string, results: Results): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeResults(directory, results)
  await writeFile(join(directory, 'scenario.yaml'), results.sweep.scenario)
  await writeFile(join(directory, 'report.html'), await reportHtml(results))
}

/** Nothing that is there already is written over. */
function directoryFor({ path, out }: SimRequest): string {
  if (out !== undefined) {
    if (existsSync(out) && readdirSync(out).length > 0) {
      throw new InputError(`--out ${out}: the folder is not empty; give another, or empty it`)
    }
    return out
  }
  const name = basename(path, extname(path))
  for (let number = 1; ; number++) {
    const directory = join('results', number === 1 ? name : `${name}-${number}`)
    if (!existsSync(directory)) return directory
  }
}

/** `npm run sim -- …`, as it is typed in the repository. Threads and folders change no result. */
function commandOf({ path, calibrate: isCalibrated }: SimRequest): string {
  return `npm run sim -- ${path}${isCalibrated === true ? ' --calibrate' : ''}`
}
