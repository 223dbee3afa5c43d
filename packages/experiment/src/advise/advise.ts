/** Finds the best plan for given links: many plans are simulated briefly, and the best of them longer. */
import { availableParallelism } from 'node:os'
import { InputError } from '@murmuration/core'
import { fillLinks, linksBefore, readLinksFiles } from '@murmuration/files'
import { calibrated } from '../sim/sweep/calibrate.js'
import { RunPool } from '../sim/sweep/run-pool.js'
import type { Scenario } from '../sim/scenario/scenario.js'
import type { Computing } from '../sim/scenario/computing.js'
import { scenarioOfPlan } from './scenario-of-run.js'
import { makePlan } from '../make-plan.js'
import type { RunPlan, RunRequest } from '../training/plan.js'
import { type Candidate, candidatesOf } from './candidates.js'
import type { Advice, SearchProgress } from './plans.js'
import { choosingSeeds, type SearchResult, freshSeeds, Search } from './search.js'

/** The goal of the advice, and its budget. */
export interface AdviceOptions {
  /** The time of computing; measured on this machine if absent. */
  readonly computing?: Computing | undefined
  /** The loss to reach; by default, the loss at which plain SGD has made 95 % of its progress. */
  readonly loss?: number | undefined
  /** The time for simulating, in real seconds. The advice uses the results until then. */
  readonly budget: number
  readonly threads?: number | undefined
  /**
   * Links files, and folders with such files, for example measured by real peers. They have precedence over the links
   * of the topology file.
   */
  readonly links?: readonly string[] | undefined
  /** Called at the beginning of each stage. */
  readonly emit?: (progress: SearchProgress) => void
  readonly signal: AbortSignal
}

/**
 * Finds a plan for the links of a topology file. Throws an InputError for files that are wrong or do not describe
 * links, and if the budget is too small to compare anything.
 */
export function advise(request: RunRequest, options: AdviceOptions): Promise<Advice> {
  return searching(request, options, (search) => search.run(options.emit ?? (() => {})))
}

/**
 * Simulates all plans with the seeds for choosing to the end, or, with `mayStop`, only until they have lost; for
 * measuring what {@link advise} saves.
 */
export function sweepOfPlans(request: RunRequest, options: AdviceOptions, mayStop = false): Promise<Advice> {
  return searching(request, options, (search) => search.sweep(mayStop))
}

async function searching(
  request: RunRequest,
  options: AdviceOptions,
  act: (search: Search) => Promise<SearchResult>
): Promise<Advice> {
  const { budget, loss, signal, threads = availableParallelism() } = options
  const plan = await makePlan(request)
  if (plan.training.algorithm.name === 'sgd')
    throw new InputError('sgd exchanges nothing, so no link matters; name another algorithm')
  if (plan.file.pipeline !== undefined)
    throw new InputError(
      `${request.topology}: found stages, expected none: plans are compared for whole models; "murmur sim" simulates this one`
    )
  const { assumed, ...fileScenario } = await withLinks(await scenarioOfPlan(plan, request), plan, options.links)
  const candidates = candidatesOf(plan, fileScenario)
  const uncalibrated = scenarioFor(fileScenario, candidates, plan.training.seed)
  const scenario =
    options.computing === undefined
      ? await calibrated(uncalibrated, signal)
      : { ...uncalibrated, computing: options.computing }
  const { computing } = scenario
  const pool = new RunPool(scenario, threads)
  let hasEnded = false
  const end = () => {
    hasEnded = true
    void pool.end()
  }
  // Ending the pool makes it report unfinished runs as errors.
  const failed = pool.failed.catch((error: unknown) =>
    hasEnded ? new Promise<never>(() => {}) : Promise.reject(error)
  )
  const timer = setTimeout(end, Math.min(maxTimer, 1000 * budget))
  signal.addEventListener('abort', end)
  try {
    const found = await Promise.race([act(new Search(pool, scenario, candidates, loss)), failed])
    signal.throwIfAborted()
    const links = options.links?.length ? fileScenario.topology.links : undefined
    const { rounds, batch } = plan.training
    const computed = rounds * (computing.perStep + batch * computing.perSample) * slowestOf(computing)
    return { ...found, tried: candidates.length, computing, computed: computed / 1000, links, assumed }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    await pool.end()
  }
}

/** The maximum of setTimeout, in milliseconds. */
const maxTimer = 2 ** 31 - 1

/**
 * The scenario with the links of files before those of its topology, and with what was assumed for links that neither
 * describes.
 */
async function withLinks(
  scenario: Scenario,
  { file }: RunPlan,
  paths: readonly string[] = []
): Promise<Scenario & Pick<Advice, 'assumed'>> {
  const { topology, path } = scenario
  const peers = [...file.peers, ...file.servers].map(({ name }) => name)
  const described = linksBefore(await readLinksFiles(paths, peers), topology.links ?? {})
  if (Object.keys(described).length === 0)
    throw new InputError(
      `${path}: found no links; expected "links: { default: { bandwidth: 20 Mbit/s, latency: 15 ms } }", a preset, or --links with a file from "murmur measure"`
    )
  const { links, assumed } = paths.length === 0 ? { links: described, assumed: [] } : fillLinks(described, peers)
  return { ...scenario, topology: { ...topology, links }, assumed }
}

/** How many times as long as others the slowest peer takes. */
function slowestOf({ slow }: Computing): number {
  return Math.max(1, ...Object.values(slow))
}

/** The first method is plain SGD on all data, the reference for the others. */
function scenarioFor(scenario: Scenario, candidates: readonly Candidate[], seed: number): Scenario {
  const { rounds } = scenario.training
  const plain = {
    algorithm: { name: 'sgd' },
    fusion: 'fused',
    label: 'plain SGD',
    training: scenario.training
  } as const
  return {
    ...scenario,
    methods: [plain, ...candidates.map(({ method }) => method)],
    seeds: Array.from({ length: choosingSeeds + freshSeeds }, (_, k) => seed + k),
    evaluate: Math.max(1, Math.floor(rounds / 100))
  }
}
