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
import { scenarioOfRun } from '@murmuration/experiment/advise'
import {
  type AllRuns,
  calibrated,
  readScenario,
  runAll,
  runCount,
  type RunResult,
  type Scenario,
  sweepOf
} from '@murmuration/experiment/sim'
import { resultsFolder } from '../results-folder.js'
import type { SimOutput } from './sim-output.js'

/** The options of `murmur sim`. */
export interface SimRequest {
  /** The scenario file. */
  readonly path: string
  /** The file or sample, and the options for the training, as on the command line. */
  readonly args: string
  /** A topology and a training, simulated in place of a scenario as "murmur swarm" would run them. */
  readonly run?: RunRequest
  /** The folder for results; default: a new folder in `results/`. */
  readonly out?: string
  readonly threads?: number
  /** The part of the runs; all if absent. */
  readonly part?: SweepPart
  /** Measures the time of computing on this machine, instead of using the scenario's. */
  readonly calibrate?: boolean
}

/**
 * Simulates all runs of a scenario. Results are written as they arrive, and the report at the end, also when `signal`
 * is aborted or a run cannot be simulated. When all is written and printed, throws an OutputError if something could
 * not be written, or a SimulationError if a run violated an invariant or all runs failed.
 */
export async function runSim(request: SimRequest, output: SimOutput, signal: AbortSignal): Promise<void> {
  const uncalibrated = await (request.run === undefined ? readScenario(request.path) : scenarioOfRun(request.run))
  checkPart(request, uncalibrated)
  const folder = await resultsFolder(request)
  try {
    const scenario = request.calibrate === true ? await measured(uncalibrated, output) : uncalibrated
    if (request.run !== undefined && request.calibrate !== true) output.note(assumedText)
    await simulate(scenario, folder.directory, request, output, signal)
  } finally {
    await folder.removeIfEmpty()
  }
}

/**
 * The parts of a sweep may run on many machines: each part must have runs, and all must assume the same computing
 * times.
 */
function checkPart({ part, calibrate: isCalibrated }: SimRequest, scenario: Scenario): void {
  if (part === undefined) return
  const runs = runCount(scenario)
  if (part.of > runs)
    throw new InputError(`--part ${partText(part)}: found ${runs} runs, expected at least ${part.of}, one per part`)
  if (isCalibrated === true)
    throw new InputError(
      '--part: cannot be combined with --calibrate, which would measure each machine; calibrate once, and write "computing" into the scenario'
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

/** The report is attempted even if not all results could be written: it then covers fewer runs. */
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

/** Adds where the results are when writing ended a sweep. */
function withPlace(error: unknown, directory: string, runs: number): unknown {
  if (!(error instanceof OutputError)) return error
  return new OutputError(`${error.message}; ${runs} runs were written, and "murmur report ${directory}" reads them`)
}

function verdictOn({ runs }: Results): SimulationError | undefined {
  const violations = runs.flatMap(({ findings }) => findings)
  if (violations.length > 0) return new SimulationError(`violated invariants: ${violations.length}, listed above`)
  const [first] = runs
  if (runs.length === 0 || runs.some(({ outcome }) => outcome !== 'failed')) return undefined
  const all = runs.length === 1 ? 'the only run' : `all ${runs.length} runs`
  return new SimulationError(`${all} failed; ${first.method}, seed ${first.seed}: ${first.reason}`)
}

function throwFirst(errors: readonly unknown[]): void {
  for (const error of errors) if (error !== undefined) throw error
}

const assumedText = 'computing: assumes 1 ms per sample; --calibrate measures it on this machine'

async function measured(uncalibrated: Scenario, output: SimOutput): Promise<Scenario> {
  const scenario = await calibrated(uncalibrated)
  const { perSample, perStep } = scenario.computing
  output.note(
    `computing: ${perSample.toPrecision(3)} ms per sample and ${perStep.toPrecision(3)} ms per step, measured on this machine`
  )
  const own = scenario.methods.map(({ label, ownTime = 0 }) => `${label} ${ownTime.toPrecision(3)}`)
  output.note(`ms per step for mixing and encoding, measured too: ${own.join('; ')}`)
  return scenario
}

function resultsOf(sweep: Sweep, { results }: AllRuns): Results<SimulatedRecord> {
  return {
    sweep,
    runs: results.map(({ record }) => record),
    timelines: results.flatMap(({ timeline }) => timeline ?? [])
  }
}

/** The command as typed where the package is installed. Threads and folders change no result. */
function commandOf({ args, calibrate: isCalibrated }: SimRequest): string {
  return `npx murmur sim ${args}${isCalibrated === true ? ' --calibrate' : ''}`
}
