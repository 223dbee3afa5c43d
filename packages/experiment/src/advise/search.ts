import { InputError, StoppedError } from '@murmuration/core'
import type { SimulatedRecord } from '@murmuration/results'
import type { RunPool } from '../sim/sweep/run-pool.js'
import type { RunLimits } from '../sim/sweep/run-worker.js'
import type { Scenario } from '../sim/scenario/scenario.js'
import { type Judged, measuredAfresh } from './afresh.js'
import { AveragingTimes } from './averaging-times.js'
import type { Candidate } from './candidates.js'
import { periodOf } from './choices.js'
import {
  type Advice,
  type AdvisedPlan,
  comparePlans,
  missesOf,
  planOf,
  reachedOf,
  type SearchProgress,
  totalOf
} from './plans.js'
import { notReached, tooShort } from './search-errors.js'
import {
  bestOfEach,
  type SearchedPlan,
  isWithin,
  learnsLess,
  notApart,
  otherRates,
  periodOfEntry,
  ranked,
  type SeedReference,
  scaleOf,
  type PlanOutcome,
  standingOf,
  trainingWithin
} from './standing.js'

/** η: each rung has so many times as many rounds as the one before. */
const eta = 3
/** The maximum number of plans that are simulated with all seeds. */
const finalists = 5
/** A plan is dropped if its estimated training time is so many times that of the best, after a ninth of the rounds. */
const hopeless = 2
/** The same after a third of the rounds. */
const hopelessLater = 1.5
/** The first of these seeds decides which plans continue, the others which of them is the best. */
export const choosingSeeds = 3
/** Further seeds, which only measure. */
export const freshSeeds = 5
const endless = Number.POSITIVE_INFINITY

/** The result of a search. */
export type SearchResult = Pick<Advice, 'plans' | 'targets' | 'freshSeeds' | 'isWhole'>

/** The limits of runs, and how often they are evaluated. */
interface Rung {
  readonly rounds: number
  /** Rounds between two evaluations. */
  readonly evaluate?: number
  /** Virtual seconds, with final averaging. */
  readonly bound?: number
}

/** Plans with the seeds for choosing, and the loss to reach for each of these. */
interface Judgement extends Pick<SearchResult, 'targets'> {
  readonly plans: readonly Judged[]
}

/**
 * Successive halving (Jamieson and Talwalkar, AISTATS 2016) over rounds. All plans are simulated for a ninth of the
 * rounds; the best of each kind for a third, which shows how much each loses to the links; the best few of those for
 * all rounds, and with other seeds. In the first rung, plans at the file's learning rate come first: a kind that is far
 * behind is not tried at other rates.
 *
 * After each rung the best plan is simulated to its end at once. With this seed, every other plan is given up once it
 * has trained 1.25 times as long as a plan that reached the loss, whatever it might still learn.
 */
export class Search {
  readonly #pool: Pick<RunPool, 'run'>
  readonly #scenario: Scenario
  readonly #candidates: readonly Candidate[]
  readonly #loss: number | undefined
  readonly #averaging = new AveragingTimes((method, within) => this.#simulate(method, 0, within))
  /** Runs with the first seed that more rounds would not change. */
  readonly #ended = new Map<SearchedPlan, SimulatedRecord>()
  /** Shared runs of plans that do not exchange within their rounds, and so are the same; by rate and rounds. */
  readonly #apart = new Map<string, Promise<SimulatedRecord | undefined>>()
  /** Plain SGD with the fresh seeds. */
  readonly #freshTargets: Promise<SeedReference | undefined>[] = []
  #isWhole = true

  constructor(pool: Pick<RunPool, 'run'>, scenario: Scenario, candidates: readonly Candidate[], loss?: number) {
    this.#pool = pool
    this.#scenario = scenario
    this.#candidates = candidates
    this.#loss = loss
  }

  /** When the pool ends, ends early with the results until then. */
  async run(emit: (progress: SearchProgress) => void): Promise<SearchResult> {
    const { rounds } = this.#scenario.training
    emit({ plans: 1, rounds, seeds: 1 })
    const scale = await this.#scaleOf(0)
    if (scale === undefined) throw tooShort()
    const entries = await this.#entries()
    const climb = (alive: readonly SearchedPlan[], fraction: number, bound: number, looks: number) => {
      const limit = Math.ceil(fraction * rounds)
      emit({ plans: alive.length, rounds: limit, seeds: 1 })
      return this.#simulateAll(alive, { rounds: limit, bound, evaluate: Math.ceil(looks * limit) }, scale)
    }
    const begin = (alive: readonly SearchedPlan[], bound = endless) => climb(alive, 1 / eta ** 2, bound, endless)
    const { rate: fileRate } = this.#candidates[0].choice
    const begun = await begin(entries.filter(({ candidate }) => candidate.choice.rate === fileRate))
    if (begun.length === 0) throw tooShort()
    let bound = await this.#lead(begun.filter(hasExchanged), scale)
    const others = otherRates(begun, entries, bound, hopeless)
    const first = ranked([...begun, ...(await begin(others, bound))])
    bound = await this.#lead(first.filter(hasExchanged), scale, bound)
    const second = await climb(bestOfEach(this.#open(first).filter(mayWin(bound, hopeless))), 1 / eta, bound, 0.1)
    bound = await this.#lead(second, scale, bound)
    const near = this.#open(second).filter(mayWin(bound, hopelessLater))
    const few = entriesOf(near.slice(0, 3 * finalists))
    emit({ plans: few.length, rounds, seeds: 1 })
    await this.#simulateAll(few, { rounds, bound }, scale)
    const last = this.#reached(entries, scale)
    const chosen = last.length > 0 ? last : (second.length > 0 ? second : first).slice(0, 1)
    const close = chosen.slice(0, finalists).filter((standing) => isClose(standing, chosen[0].total))
    const { plans, targets } = await this.#judged(this.#inTurn(close, chosen, entries), scale, emit)
    return this.#found(await measuredAfresh(plans, (some) => this.#afresh(some, emit)), targets)
  }

  /** The plans that reached the loss, the best first. */
  #reached(entries: readonly SearchedPlan[], scale: SeedReference): readonly PlanOutcome[] {
    const ended = entries.flatMap((entry) => {
      const record = this.#ended.get(entry)
      return record?.toTarget === undefined ? [] : [standingOf(entry, record, scale)]
    })
    return ranked(ended)
  }

  /** The plans that are close to the best and the plan of the files; then the others, a few at a time. */
  #inTurn(
    close: readonly PlanOutcome[],
    all: readonly PlanOutcome[],
    entries: readonly SearchedPlan[]
  ): readonly (readonly SearchedPlan[])[] {
    const given = entries.filter(({ candidate }) => candidate.isGiven)
    const first = [...new Set([...entriesOf(close), ...given])]
    const rest = entriesOf(all).filter((entry) => !first.includes(entry))
    const turns = Array.from({ length: Math.ceil(rest.length / finalists) }, (_, k) => k * finalists)
    return [first, ...turns.map((turn) => rest.slice(turn, turn + finalists))]
  }

  /**
   * Simulates all plans with all seeds to the end. With `mayStop`, each plan only until it has lost to an earlier one,
   * and with all seeds only those that are close to the best.
   */
  async sweep(mayStop: boolean): Promise<SearchResult> {
    const scale = await this.#scaleOf(0)
    if (scale === undefined) throw tooShort()
    const entries = await this.#entries()
    if (!mayStop) return this.#ofSweep(await this.#judged([entries], scale))
    const { rounds } = this.#scenario.training
    let bound = endless
    for (const entry of entries) {
      const record = await this.#trial(entry, { rounds, bound }, scale)
      if (record?.toTarget !== undefined) bound = Math.min(bound, record.toTarget.seconds + entry.averaging)
    }
    const reached = this.#reached(entries, scale)
    const close = reached.filter((standing) => isClose(standing, bound))
    return this.#ofSweep(await this.#judged(this.#inTurn(close, reached, entries), scale))
  }

  /** The plans with the times of their final averaging. */
  async #entries(): Promise<readonly SearchedPlan[]> {
    const entries = await Promise.all(
      this.#candidates.map(async (candidate, index) => {
        const method = index + 1
        return { candidate, method, averaging: await this.#averaging.near(candidate, method) }
      })
    )
    return entries.filter(({ averaging }) => averaging < Number.POSITIVE_INFINITY)
  }

  /** The best first. */
  async #simulateAll(
    entries: readonly SearchedPlan[],
    rung: Rung,
    scale: SeedReference
  ): Promise<readonly PlanOutcome[]> {
    const standings = await Promise.all(
      entries.map(async (entry) => {
        const record = await this.#trial(entry, rung, scale)
        return record === undefined ? [] : [standingOf(entry, record, scale)]
      })
    )
    return ranked(standings.flat())
  }

  /**
   * Simulates the best plan to its end; if it does not reach the loss, the best of the others that may, and so on. The
   * result is the time until one has reached the loss and averaged, or `bound` if none seems faster.
   */
  async #lead(standings: readonly PlanOutcome[], scale: SeedReference, bound = endless): Promise<number> {
    for (let [best] = this.#open(standings); best !== undefined && best.total < bound; [best] = this.#open(standings)) {
      const { entry } = best
      const record = await this.#trial(entry, { rounds: this.#scenario.training.rounds }, scale)
      if (record === undefined) break
      if (record.toTarget !== undefined) return Math.min(bound, record.toTarget.seconds + entry.averaging)
    }
    return bound
  }

  /** Without plans that did not reach the loss in all rounds, and those that learn less than such a plan. */
  #open(standings: readonly PlanOutcome[]): readonly PlanOutcome[] {
    const failed = [...this.#ended].flatMap(([entry, { toTarget }]) => (toTarget === undefined ? [entry] : []))
    return standings.filter(({ entry }) => !failed.some((other) => learnsLess(entry, other)))
  }

  async #trial(entry: SearchedPlan, rung: Rung, { target }: SeedReference): Promise<SimulatedRecord | undefined> {
    const { rounds: all } = this.#scenario.training
    const { bound = Number.POSITIVE_INFINITY, evaluate } = rung
    const seconds = trainingWithin(bound, entry, notApart)
    if (seconds <= 0) return undefined
    const ended = this.#ended.get(entry)
    if (ended !== undefined) return ended
    const rounds = roundsFor(entry, rung.rounds, all)
    const stop = { loss: target, rounds, ...(seconds < Number.POSITIVE_INFINITY && { time: 1000 * seconds }) }
    const within = { stop, ...(evaluate !== undefined && { evaluate }) }
    const apart = rounds < periodOfEntry(entry) ? this.#apartLike(entry) : undefined
    if (apart !== undefined) return this.#sharedTrial(apart, within)
    const record = await this.#simulate(entry.method, 0, within)
    const isExact = evaluate === undefined && rounds === all && bound === Number.POSITIVE_INFINITY
    if (record !== undefined && (isExact || (evaluate === undefined && record.toTarget !== undefined)))
      this.#ended.set(entry, record)
    return record
  }

  /** The plan that trains separately at the same rate. */
  #apartLike({ candidate }: SearchedPlan): number | undefined {
    const { rounds } = this.#scenario.training
    const index = this.#candidates.findIndex(
      ({ choice, isGiven }) => !isGiven && choice.rate === candidate.choice.rate && periodOf(choice) === rounds
    )
    return index < 0 ? undefined : index + 1
  }

  #sharedTrial(method: number, within: RunLimits): Promise<SimulatedRecord | undefined> {
    const key = JSON.stringify([method, within.stop?.rounds])
    const record = this.#apart.get(key) ?? this.#simulate(method, 0, within)
    this.#apart.set(key, record)
    return record
  }

  /**
   * Simulates plans with the seeds for choosing. After the first group, others only until a plan has reached the loss
   * with all of them.
   */
  async #judged(
    groups: readonly (readonly SearchedPlan[])[],
    scale: SeedReference,
    emit: (progress: SearchProgress) => void = () => {}
  ): Promise<Judgement> {
    const seeds = Array.from({ length: choosingSeeds }, (_, k) => k)
    const targets = await Promise.all(
      seeds.map(async (seed) => (seed === 0 ? scale.target : (await this.#scaleOf(seed))?.target))
    )
    const plans: Judged[] = []
    for (const group of groups) {
      emit({ plans: group.length, rounds: this.#scenario.training.rounds, seeds: choosingSeeds })
      const judged = await Promise.all(
        group.map(async (entry) => ({ entry, plan: await this.#withAllSeeds(entry, targets) }))
      )
      plans.push(...judged.filter(({ plan: { reached } }) => reached.length > 0))
      if (plans.some(({ plan }) => !plan.isGiven && missesOf(plan) === 0)) break
    }
    if (plans.every(({ plan }) => totalOf(plan) === endless)) throw notReached(scale.target, this.#isWhole)
    return { plans, targets: targets.flatMap((loss) => loss ?? []) }
  }

  /** When plans reach the loss with each of the fresh seeds; empty for all if the pool has ended before. */
  async #afresh(
    entries: readonly SearchedPlan[],
    emit: (progress: SearchProgress) => void
  ): Promise<readonly (readonly number[])[]> {
    const { rounds } = this.#scenario.training
    emit({ plans: entries.length, rounds, seeds: freshSeeds })
    const seeds = Array.from({ length: freshSeeds }, (_, k) => choosingSeeds + k)
    const records = await Promise.all(
      seeds.map(async (seed) => {
        this.#freshTargets[seed] ??= this.#scaleOf(seed)
        const target = (await this.#freshTargets[seed])?.target
        return Promise.all(entries.map((entry) => this.#toEnd(entry, seed, target)))
      })
    )
    return entries.map((_, k) => (this.#isWhole ? reachedOf(records.flatMap((ofSeed) => ofSeed[k] ?? [])) : []))
  }

  #ofSweep({ plans, targets }: Judgement): SearchResult {
    const shown = plans.map(({ plan }) => plan)
    return this.#found(shown.toSorted(comparePlans), targets)
  }

  #found(plans: readonly AdvisedPlan[], targets: readonly number[]): SearchResult {
    return { plans, targets, freshSeeds: plans[0].fresh.length, isWhole: this.#isWhole }
  }

  async #withAllSeeds(entry: SearchedPlan, targets: readonly (number | undefined)[]): Promise<AdvisedPlan> {
    const records = await Promise.all(targets.map((loss, seed) => this.#toEnd(entry, seed, loss)))
    const averaging = await this.#averaging.after(entry.candidate, entry.method)
    return planOf(
      { ...entry, averaging },
      records.flatMap((record) => record ?? [])
    )
  }

  async #toEnd(entry: SearchedPlan, seed: number, loss: number | undefined): Promise<SimulatedRecord | undefined> {
    const ended = seed === 0 ? this.#ended.get(entry) : undefined
    if (ended !== undefined || loss === undefined) return ended
    return this.#simulate(entry.method, seed, { stop: { loss, rounds: this.#scenario.training.rounds } })
  }

  async #scaleOf(seed: number): Promise<SeedReference | undefined> {
    const record = await this.#simulate(0, seed, {})
    if (record === undefined) return undefined
    if (record.outcome === 'failed')
      throw new InputError(`plain SGD on all the data fails: ${record.reason}; fix that first`)
    return scaleOf(record, this.#loss)
  }

  /** `undefined` once the pool has ended. */
  async #simulate(method: number, seed: number, within: RunLimits): Promise<SimulatedRecord | undefined> {
    if (!this.#isWhole) return undefined
    try {
      const { record } = await this.#pool.run(method * this.#scenario.seeds.length + seed, within)
      return record
    } catch (error) {
      if (error instanceof InputError || error instanceof StoppedError) throw error
      this.#isWhole = false
      return undefined
    }
  }
}

const entriesOf = (standings: readonly PlanOutcome[]) => standings.map(({ entry }) => entry)

/** Whether a plan could still win, estimated from its first rounds. */
const mayWin = (bound: number, times: number) => (standing: PlanOutcome) => isWithin(standing, bound, times)

const isClose = (standing: PlanOutcome, best: number) => standing.total <= best || isWithin(standing, best, notApart)

const hasExchanged = ({ record }: PlanOutcome) => record.messages > 0

/**
 * Rounds up so that a run ends with an exchange, if the next rung has as many rounds: only then has the plan paid for
 * its progress.
 */
function roundsFor(entry: SearchedPlan, limit: number, all: number): number {
  const period = periodOfEntry(entry)
  const rounded = Math.ceil(limit / period) * period
  return rounded <= eta * limit ? Math.min(all, rounded) : limit
}
