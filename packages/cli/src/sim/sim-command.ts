import { availableParallelism } from 'node:os'
import { InputError, messageOf, OutputError } from '@murmuration/core'
import {
  partText,
  type Results,
  ResultsWriter,
  type SimulatedRecord,
  type Sweep,
  type SweepPart
} from '@murmuration/results'
import { writeReport } from '@murmuration/report'
import { SimulationError } from '@murmuration/experiment/errors'
import type { RunRequest } from '@murmuration/experiment'
import {
  type AllRuns,
  calibrate,
  readScenario,
  runAll,
  runCount,
  type RunResult,
  type Scenario,
  scenarioOfRun,
  sweepOf
} from '@murmuration/experiment/sim'
import { resultsFolder } from '../results-folder.js'
import type { SimOutput } from './sim-output.js'

/** What `murmur sim` is given. */
export interface SimRequest {
  /** The scenario file. */
  readonly path: string
  /** How the file, or a sample, was named on the command line. */
  readonly given: string
  /** A topology and a training, to be simulated as "murmur swarm" runs them, in place of a scenario. */
  readonly run?: RunRequest
  /** Where results go; a new folder in `results/` when absent. */
  readonly out?: string
  readonly threads?: number
  /** Which part of the runs; all when absent. */
  readonly part?: SweepPart
  /** Measure what computing takes on this machine, in place of what the scenario says. */
  readonly calibrate?: boolean
}

/**
 * Simulates all runs of a scenario. Results are written as they come, and the report at the end, also when `signal` is aborted or a
 * run cannot be simulated. Throws, after all has been written and printed, an OutputError when something could not be
 * written, and a SimulationError when a run broke a promise or all of them failed.
 */
export async function runSim(request: SimRequest, output: SimOutput, signal: AbortSignal): Promise<void> {
  const given = await (request.run === undefined ? readScenario(request.path) : scenarioOfRun(request.run))
  checkPart(request, given)
  const folder = await resultsFolder(request)
  try {
    const scenario = request.calibrate === true ? await calibrated(given, output) : given
    if (request.run !== undefined && request.calibrate !== true) output.note(assumed)
    await simulate(scenario, folder.directory, request, output, signal)
  } finally {
    await folder.removeIfEmpty()
  }
}

/** Parts are those of one sweep on many machines: each has runs, and all assume the same of computing. */
function checkPart({ part, calibrate: isCalibrated }: SimRequest, scenario: Scenario): void {
  if (part === undefined) return
  const runs = runCount(scenario)
  if (part.of > runs)
    throw new InputError(`--part ${partText(part)}: found ${runs} runs, expected as many as parts, or more`)
  if (isCalibrated === true)
    throw new InputError(
      '--part: does not go with --calibrate, which would measure each machine; calibrate once, and write "computing" into the scenario'
    )
}

async function simulate(
  scenario: Scenario,
  directory: string,
  request: SimRequest,
  output: SimOutput,
  signal: AbortSignal
): Promise<void> {
  const { part } = request
  const sweep: Sweep = { ...sweepOf(scenario, commandOf(request)), ...(part && { part }) }
  const writer = await ResultsWriter.open(directory, sweep).catch((error: unknown) => {
    throw new InputError(`--out ${messageOf(error)}`)
  })
  const threads = request.threads ?? availableParallelism()
  output.start(sweep, threads)
  const start = performance.now()
  const keep = ({ record, timeline }: RunResult) => writer.add(record, timeline)
  const all = await runAll(scenario, { threads, part, onRun: output.run, keep, signal })
  const results = resultsOf(sweep, all)
  const written = await writeAll(writer, directory, results)
  const seconds = (performance.now() - start) / 1000
  output.end(results, { directory, ...written, seconds, repeated: all.repeated, isWhole: all.isWhole })
  signal.throwIfAborted()
  throwFirst([withPlace(all.error, directory, writer.count), written.error, verdictOn(results)])
}

/** The report is tried also when the results did not all find room: it may be for less. */
async function writeAll(
  writer: ResultsWriter,
  directory: string,
  results: Results
): Promise<{ readonly report?: string; readonly error?: unknown }> {
  try {
    await writer.close()
    return results.runs.length === 0 ? {} : { report: await writeReport(directory, results) }
  } catch (error) {
    return { error }
  }
}

/** What is left when writing ended a sweep. */
function withPlace(error: unknown, directory: string, runs: number): unknown {
  if (!(error instanceof OutputError)) return error
  return new OutputError(`${error.message}; ${runs} runs are there, and "murmur report ${directory}" reads them`)
}

function verdictOn({ runs }: Results): SimulationError | undefined {
  const broken = runs.flatMap(({ findings }) => findings)
  if (broken.length > 0) return new SimulationError(`broken promises: ${broken.length}, as told above`)
  const [first] = runs
  if (runs.length === 0 || runs.some(({ outcome }) => outcome !== 'failed')) return undefined
  return new SimulationError(`all ${runs.length} runs failed; ${first.method}, seed ${first.seed}: ${first.reason}`)
}

function throwFirst(errors: readonly unknown[]): void {
  for (const error of errors) if (error !== undefined) throw error
}

const assumed = 'computing: 1 ms per sample is assumed; --calibrate measures it on this machine'

async function calibrated(scenario: Scenario, output: SimOutput): Promise<Scenario> {
  const { perSample, perStep } = await calibrate(scenario, () => performance.now())
  output.note(
    `computing: ${perSample.toPrecision(3)} ms per sample and ${perStep.toPrecision(3)} ms per step, as measured on this machine`
  )
  return { ...scenario, computing: { ...scenario.computing, perSample, perStep } }
}

function resultsOf(sweep: Sweep, { results }: AllRuns): Results<SimulatedRecord> {
  return {
    sweep,
    runs: results.map(({ record }) => record),
    timelines: results.flatMap(({ timeline }) => timeline ?? [])
  }
}

/** As it is typed where the package is installed, also in the repository. Threads and folders change no result. */
function commandOf({ given, calibrate: isCalibrated }: SimRequest): string {
  return `npx murmur sim ${given}${isCalibrated === true ? ' --calibrate' : ''}`
}
