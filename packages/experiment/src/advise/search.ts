import { InputError, StoppedError } from '@murmuration/core'
import type { SimulatedRecord } from '@murmuration/results'
import type { RunPool } from '../sim/run-pool.js'
import type { RunLimits } from '../sim/run-worker.js'
import type { Scenario } from '../sim/scenario.js'
import type { Candidate } from './candidates.js'
import { type Advice, type AdvisedPlan, type SearchProgress, totalOf } from './plans.js'

/** η: how many times as long those are simulated that go on. */
const eta = 3
/** How many plans are simulated with all seeds. */
const finalists = 5
/** Of what plain SGD gains. */
const gained = 0.95

/** What a search comes to. */
export type Found = Pick<Advice, 'plans' | 'targets' | 'isWhole'>

interface Entry {
  readonly candidate: Candidate
  /** Its place in the scenario. */
  readonly method: number
  /** Virtual seconds of final averaging. */
  readonly averaging: number
}

/** How an entry did when it was simulated for some rounds. */
interface Standing {
  readonly entry: Entry
  /** When it has the loss, and averaging after that; as it seems where it was cut off before. */
  readonly total: number
  readonly record: SimulatedRecord
}

/** Losses that a run of a seed is judged by. */
interface Scale {
  /** Soon after the start. */
  readonly first: number
  readonly target: number
}

/**
 * Successive halving (Jamieson and Talwalkar, AISTATS 2016) over rounds: all plans are simulated for a ninth of them; the best of each way to exchange for a third, which says how much
 * each loses to the links; and the best few of those for all, and with other seeds.
 */
export class Search {
  readonly #pool: Pick<RunPool, 'run'>
  readonly #scenario: Scenario
  readonly #candidates: readonly Candidate[]
  readonly #loss: number | undefined
  #isWhole = true

  constructor(pool: Pick<RunPool, 'run'>, scenario: Scenario, candidates: readonly Candidate[], loss?: number) {
    this.#pool = pool
    this.#scenario = scenario
    this.#candidates = candidates
    this.#loss = loss
  }

  /** Ends early, with what is known by then, when the pool does. */
  async run(emit: (progress: SearchProgress) => void): Promise<Found> {
    const { rounds } = this.#scenario.training
    emit({ plans: 1, rounds, seeds: 1 })
    const scale = await this.#scaleOf(0)
    if (scale === undefined) throw tooShort()
    let alive = await this.#entries()
    const given = alive.find(({ candidate }) => candidate.isGiven)
    let standings: readonly Standing[] = []
    for (const [part, choose] of [
      [eta ** -2, bestOfEach],
      [1 / eta, bestNinth],
      [1, bestFew]
    ] as const) {
      if (!this.#isWhole) break
      const limit = Math.ceil(part * rounds)
      emit({ plans: alive.length, rounds: limit, seeds: 1 })
      const found = await this.#simulateAll(alive, limit, scale)
      if (found.length > 0) standings = ranked(found)
      alive = choose(standings)
    }
    if (standings.length === 0) throw tooShort()
    const isThere = given === undefined || alive.includes(given)
    const chosen = isThere ? alive : [given, ...alive]
    return this.#judged(chosen, standings, scale, emit)
  }

  /** All plans with all seeds, to the end. */
  async sweep(): Promise<Found> {
    const scale = await this.#scaleOf(0)
    if (scale === undefined) throw tooShort()
    return this.#judged(await this.#entries(), [], scale, () => {})
  }

  /** Plans with what their final averaging takes, which is the same whatever is learned. */
  async #entries(): Promise<readonly Entry[]> {
    const known = new Map<string, Promise<number>>()
    const entries = await Promise.all(
      this.#candidates.map(async (candidate, place) => {
        const { choice, graph, method } = candidate
        const key = JSON.stringify([choice.algorithm.name, choice.codec, graph, method.finalRounds])
        const seconds = known.get(key) ?? this.#averaging(place + 1, method.finalRounds)
        known.set(key, seconds)
        return { candidate, method: place + 1, averaging: await seconds }
      })
    )
    return entries.filter(({ averaging }) => averaging < Number.POSITIVE_INFINITY)
  }

  async #averaging(method: number, finalRounds = 0): Promise<number> {
    if (finalRounds === 0) return 0
    const record = await this.#simulate(method, 0, { rounds: 1, stop: {} })
    if (record === undefined || record.outcome === 'failed') return Number.POSITIVE_INFINITY
    return record.seconds - record.rounds * record.secondsPerRound
  }

  async #simulateAll(entries: readonly Entry[], rounds: number, scale: Scale): Promise<readonly Standing[]> {
    const standings = await Promise.all(
      entries.map(async (entry) => {
        const record = await this.#simulate(entry.method, 0, { stop: { loss: scale.target, rounds } })
        return record === undefined ? [] : [{ entry, record, total: soonest(record, entry, scale) }]
      })
    )
    return standings.flat()
  }

  /** With all seeds, in the order of what came out. */
  async #judged(
    chosen: readonly Entry[],
    standings: readonly Standing[],
    scale: Scale,
    emit: (progress: SearchProgress) => void
  ): Promise<Found> {
    const { seeds, training } = this.#scenario
    emit({ plans: chosen.length, rounds: training.rounds, seeds: seeds.length })
    const targets = await Promise.all(
      seeds.map(async (_, seed) => (seed === 0 ? scale.target : (await this.#scaleOf(seed))?.target))
    )
    const plans = await Promise.all(
      chosen.map(async (entry) => {
        const known = standings.find(
          (standing) => standing.entry === entry && hasEnded(standing, training.rounds)
        )?.record
        const records = await Promise.all(
          targets.map((loss, seed) => {
            if (seed === 0 && known !== undefined) return Promise.resolve(known)
            return loss === undefined
              ? Promise.resolve(undefined)
              : this.#simulate(entry.method, seed, { stop: { loss } })
          })
        )
        return planOf(
          entry,
          records.flatMap((record) => record ?? [])
        )
      })
    )
    const known = plans.filter(({ reached }) => reached.length > 0)
    const best = Math.min(...known.map(totalOf))
    if (known.length === 0 || best === Number.POSITIVE_INFINITY) throw notReached(scale.target, this.#isWhole)
    return {
      plans: known.toSorted((left, right) => compare(totalOf(left), totalOf(right))),
      targets: targets.flatMap((loss) => loss ?? []),
      isWhole: this.#isWhole
    }
  }

  async #scaleOf(seed: number): Promise<Scale | undefined> {
    const record = await this.#simulate(0, seed, {})
    if (record === undefined) return undefined
    if (record.outcome === 'failed')
      throw new InputError(`plain SGD on all the data fails: ${record.reason}; mend that first`)
    const losses = record.curve.map(({ loss }) => loss)
    const last = losses.slice(-Math.ceil(losses.length / 10))
    const end = last.reduce((sum, loss) => sum + loss, 0) / last.length
    const [first] = losses
    return { first, target: this.#loss ?? first - gained * (first - end) }
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

/** Whether more rounds would change nothing. */
const hasEnded = ({ record }: Standing, rounds: number) =>
  record.toTarget !== undefined || record.outcome === 'failed' || record.rounds >= rounds

/** Where the loss was not reached, the time that it took so far is divided by how much of the way that was. */
function soonest(
  { outcome, toTarget, curve, seconds }: SimulatedRecord,
  { averaging }: Entry,
  { first, target }: Scale
): number {
  if (outcome === 'failed') return Number.POSITIVE_INFINITY
  if (toTarget !== undefined) return toTarget.seconds + averaging
  const way = (first - (curve.at(-1)?.loss ?? first)) / (first - target)
  return way > 0 ? seconds / way + averaging : Number.POSITIVE_INFINITY
}

const ranked = (standings: readonly Standing[]) => standings.toSorted((left, right) => compare(left.total, right.total))

/** As numbers, of which two may be infinite. */
const compare = (left: number, right: number) => (left === right ? 0 : left < right ? -1 : 1)

/** So many times as long as the best is no difference yet, after a few rounds. */
const notApart = 1.25

/** The best of those that exchange alike, and what cannot be told apart from it: by the same algorithm, on the same graph, in the same form and after as many steps. */
function bestOfEach(standings: readonly Standing[]): readonly Entry[] {
  const best = new Map<string, number>()
  return standings.flatMap(({ entry, total }) => {
    const { choice, graph } = entry.candidate
    const { name, module, period, collective } = choice.algorithm
    const key = JSON.stringify([name, module, period, collective, choice.codec, graph])
    const least = best.get(key)
    best.set(key, least ?? total)
    const isClose = total < Number.POSITIVE_INFINITY && total <= notApart * (least ?? total)
    return least === undefined || isClose ? entry : []
  })
}

const bestNinth = (standings: readonly Standing[]) =>
  standings.slice(0, Math.max(2 * finalists, Math.ceil(standings.length / eta ** 2))).map(({ entry }) => entry)

const bestFew = (standings: readonly Standing[]) => standings.slice(0, finalists).map(({ entry }) => entry)

function planOf({ averaging, candidate }: Entry, records: readonly SimulatedRecord[]): AdvisedPlan {
  const { method: _, ...shown } = candidate
  const [first] = records
  const bytes = first?.toTarget === undefined ? undefined : first.toTarget.bytes / first.peers
  return {
    ...shown,
    averaging,
    bytes,
    reached: records.map(({ toTarget }) => toTarget?.seconds ?? Number.POSITIVE_INFINITY)
  }
}

const tooShort = () =>
  new InputError('--budget: found too little to compare anything, expected more, or fewer rounds in the training file')

function notReached(target: number, isWhole: boolean): InputError {
  const reason = isWhole
    ? 'in the rounds of the training file; give it more rounds, or a higher --loss'
    : 'within the budget; give a larger --budget'
  return new InputError(`no plan came to a loss of ${target.toPrecision(3)} ${reason}`)
}
