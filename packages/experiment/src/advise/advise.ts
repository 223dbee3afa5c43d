/** The plan for some links: many are simulated a little, and the best of them more. */
import { availableParallelism } from 'node:os'
import { InputError } from '@murmuration/core'
import { fillLinks, linksBefore, readLinksFiles } from '@murmuration/files'
import { calibrate } from '../sim/calibrate.js'
import { RunPool } from '../sim/run-pool.js'
import type { Scenario } from '../sim/scenario.js'
import type { Computing } from '../sim/scenario-computing.js'
import { scenarioOfPlan } from '../sim/scenario-of-run.js'
import { makePlan } from '../training/make-plan.js'
import type { Plan, RunRequest } from '../training/plan.js'
import { type Candidate, candidatesOf } from './candidates.js'
import type { Advice, SearchProgress } from './plans.js'
import { type Found, Search } from './search.js'

/** What advice is for, and how much may be spent on it. */
export interface AdviceOptions {
  /** What computing takes; measured on this machine when absent. */
  readonly computing?: Computing | undefined
  /** The loss to be reached; when absent, that at which plain SGD has gained 95 % of what it gains. */
  readonly loss?: number | undefined
  /** How long may be simulated, in seconds of this machine. The advice comes from what was done by then. */
  readonly budget: number
  readonly threads?: number | undefined
  /** Links files, and folders of them, such as real peers have measured: what they say goes before the links of the topology file. */
  readonly links?: readonly string[] | undefined
  /** Told whenever another stage begins. */
  readonly emit?: (progress: SearchProgress) => void
  readonly signal: AbortSignal
}

/** The first decides which plans are tried on; the others show how much is chance. */
const seedCount = 3

/**
 * Finds a plan for the links of a topology file. Throws an InputError for files that are wrong, or say nothing of links, and where the budget is not enough to
 * compare anything.
 */
export function advise(request: RunRequest, options: AdviceOptions): Promise<Advice> {
  return searching(request, options, (search) => search.run(options.emit ?? (() => {})))
}

/** All plans to the end with all seeds, or, where it `mayStop`, until they have lost: what {@link advise} saves. */
export function sweepOfPlans(request: RunRequest, options: AdviceOptions, mayStop = false): Promise<Advice> {
  return searching(request, options, (search) => search.sweep(mayStop))
}

async function searching(
  request: RunRequest,
  options: AdviceOptions,
  act: (search: Search) => Promise<Found>
): Promise<Advice> {
  const { budget, loss, signal, threads = availableParallelism() } = options
  const plan = await makePlan(request)
  if (plan.training.algorithm.name === 'sgd')
    throw new InputError('sgd exchanges nothing, so that no link matters; name another algorithm')
  const { assumed, ...given } = await withLinks(await scenarioOfPlan(plan, request), plan, options.links)
  const { computing = await measured(given) } = options
  const candidates = candidatesOf(plan, given)
  const scenario = scenarioFor({ ...given, computing }, candidates, plan.training.seed)
  const pool = new RunPool(scenario, threads)
  let hasEnded = false
  const end = () => {
    hasEnded = true
    void pool.end()
  }
  // Runs that are given up are errors to the pool.
  const failed = pool.failed.catch((error: unknown) =>
    hasEnded ? new Promise<never>(() => {}) : Promise.reject(error)
  )
  const timer = setTimeout(end, Math.min(maxTimer, 1000 * budget))
  signal.addEventListener('abort', end)
  try {
    const found = await Promise.race([act(new Search(pool, scenario, candidates, loss)), failed])
    signal.throwIfAborted()
    const links = options.links?.length ? given.topology.links : undefined
    return { ...found, tried: candidates.length, computing, links, assumed }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    await pool.end()
  }
}

/** Of setTimeout, in milliseconds. */
const maxTimer = 2 ** 31 - 1

/** A scenario with the links of files before those of its topology, and what was assumed of what neither says. */
async function withLinks(
  scenario: Scenario,
  { file }: Plan,
  paths: readonly string[] = []
): Promise<Scenario & Pick<Advice, 'assumed'>> {
  const { topology, path } = scenario
  const peers = [...file.peers, ...file.servers].map(({ name }) => name)
  const said = linksBefore(await readLinksFiles(paths, peers), topology.links ?? {})
  if (Object.keys(said).length === 0)
    throw new InputError(
      `${path} says nothing of links, so that there is nothing to choose by; expected "links: { default: { bandwidth: 20 Mbit/s, latency: 15 ms } }", a preset, or --links with what "murmur measure" has found`
    )
  const { links, assumed } = paths.length === 0 ? { links: said, assumed: [] } : fillLinks(said, peers)
  return { ...scenario, topology: { ...topology, links }, assumed }
}

async function measured(scenario: Scenario): Promise<Computing> {
  const { perSample, perStep } = await calibrate(scenario, () => performance.now())
  return { ...scenario.computing, perSample, perStep }
}

/** Plain SGD on all data first, by which the others are judged. */
function scenarioFor(given: Scenario, candidates: readonly Candidate[], seed: number): Scenario {
  const { rounds } = given.training
  const plain = { algorithm: { name: 'sgd' }, fusion: 'fused', label: 'plain SGD', training: given.training } as const
  return {
    ...given,
    methods: [plain, ...candidates.map(({ method }) => method)],
    seeds: Array.from({ length: seedCount }, (_, k) => seed + k),
    evaluate: Math.max(1, Math.floor(rounds / 100))
  }
}
