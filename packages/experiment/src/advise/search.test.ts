/** Tests which plans a search simulates, with runs that compute their losses by a formula. */
import type { SimulatedRecord } from '@murmuration/results'
import test from 'ava'
import type { RunLimits } from '../sim/sweep/run-worker.js'
import type { Method, Scenario } from '../sim/scenario/scenario.js'
import type { Candidate } from './candidates.js'
import { isTie } from '../base/ratio-interval.js'
import { timesAsLong, totalOf } from './plans.js'
import { Search } from './search.js'
import { isWithin, standingOf } from './standing.js'

const rounds = 90
/** The first three choose. */
const seeds = [1, 2, 3, 4, 5, 6, 7, 8]
const choosing = 3
const fresh = 5
const lossAfter = (steps: number) => 2 * Math.exp(-steps / 20)

interface Paced {
  readonly period: number
  /** Virtual seconds per round. */
  readonly pace: number
  readonly isGiven?: boolean
  readonly rate?: number
  /** A loss that it never falls below. */
  readonly floor?: number
  /** How many times as long a round takes with each of the fresh seeds. */
  readonly afresh?: readonly number[]
  /** The index of a seed with which it does not fall below 1. */
  readonly missing?: number
  readonly name?: string
}

const candidateOf = ({ period, isGiven = false, rate = 0.1, name = 'ad-psgd' }: Paced): Candidate => ({
  choice: { algorithm: { name, period }, codec: 'int8', rate },
  algorithm: name === 'ad-psgd' ? `period ${period}` : `${name} ${period}`,
  graph: 'ring',
  method: {} as Method,
  isGiven
})

/** Runs of plain SGD, and of plans that learn like it, each at its pace. */
function poolOf(plans: readonly Paced[]) {
  const calls: { plan: number; seed: number; rounds: number; within: RunLimits }[] = []
  const run = async (index: number, within: RunLimits) => {
    const place = Math.floor(index / seeds.length) - 1
    const pace = (plans[place]?.pace ?? 1) * (plans[place]?.afresh?.[(index % seeds.length) - choosing] ?? 1)
    const { loss, time = Number.POSITIVE_INFINITY, rounds: most = rounds } = within.stop ?? {}
    const { missing, floor = missing === index % seeds.length ? 1 : 0 } = plans[place] ?? {}
    const need = loss === undefined || floor > loss ? Number.POSITIVE_INFINITY : Math.ceil(-20 * Math.log(loss / 2))
    const taken = Math.min(most, need, Math.floor(time / 1000 / pace))
    calls.push({ plan: place, seed: index % seeds.length, rounds: taken, within })
    const curve = Array.from({ length: taken }, (_, k) => ({ loss: Math.max(floor, lossAfter(k + 1)) }))
    const seconds = taken * pace
    const messages = taken >= (plans[place]?.period ?? 1) ? 1 : 0
    const toTarget = loss !== undefined && taken === need ? { seconds, bytes: 1, samples: 1 } : undefined
    const record = { outcome: 'limit', curve, seconds, messages, toTarget, rounds: taken, peers: 2 }
    return { record: record as unknown as SimulatedRecord }
  }
  return { calls, run }
}

async function searched(plans: readonly Paced[]) {
  const pool = poolOf(plans)
  const scenario = { training: { rounds }, seeds } as unknown as Scenario
  const search = new Search(pool, scenario, plans.map(candidateOf))
  return { found: await search.run(() => {}), calls: pool.calls }
}

const plans = [
  { period: 1, pace: 50, isGiven: true },
  { period: 1, pace: 40 },
  { period: 3, pace: 2 },
  { period: 9, pace: 1 },
  { period: 27, pace: 1.5 },
  { period: 81, pace: 3 },
  { period: rounds, pace: 4 }
]

test('the plan that is best with all seeds for choosing comes first, and that of the files is told of', async (t) => {
  const { found } = await searched(plans)
  t.is(found.plans[0].algorithm, 'period 9')
  t.is(found.plans[0].reached.length, choosing)
  t.true(found.plans.some(({ isGiven }) => isGiven))
  t.true(found.isWhole)
})

test('a plan that misses the loss with a seed comes after those that reach it with all', async (t) => {
  const { found } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 2 },
    { period: 3, pace: 1.8, missing: 1, name: 'divshare' }
  ])
  t.deepEqual(
    found.plans.map(({ algorithm }) => algorithm),
    ['period 3', 'period 1', 'divshare 3']
  )
})

test('fresh seeds measure the first two plans and that of the files, and choose none of them', async (t) => {
  const { found, calls } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 1.9, afresh: [1.3, 1, 1.2, 0.8, 1.2], name: 'divshare' },
    { period: 3, pace: 2, name: 'gasloc' },
    { period: 3, pace: 2.2, name: 'choco' }
  ])
  const [best, second, third, given] = found.plans
  t.deepEqual([best, second, third].map(({ choice }) => choice.algorithm.name), ['divshare', 'gasloc', 'choco']) // oxfmt-ignore
  t.deepEqual(found.plans.map((plan) => plan.fresh.length), [fresh, fresh, 0, fresh]) // oxfmt-ignore
  t.is(found.freshSeeds, fresh)
  t.true(calls.every(({ plan, seed }) => seed < choosing || plan < 3))
  // It was lucky with the seeds that chose it: its time is that of the others, and its lead a tie.
  t.is(totalOf(best), 1.2 * Math.max(...best.reached))
  const lead = timesAsLong(second, best)
  t.true(lead !== undefined && isTie(lead))
  t.is(timesAsLong(third, best), undefined)
  const gain = timesAsLong(given, best)
  t.true(gain !== undefined && !isTie(gain) && gain.low > 15 && gain.high < 40)
})

test('a plan that misses the loss with a fresh seed falls behind, and the next one is measured with these seeds, too', async (t) => {
  const { found } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 1.9, missing: 5, name: 'divshare' },
    { period: 3, pace: 2, missing: 6, name: 'gasloc' },
    { period: 3, pace: 2.1, name: 'choco' },
    { period: 3, pace: 2.2, name: 'slowmo' },
    { period: 3, pace: 2.3, name: 'hop' }
  ])
  t.deepEqual(
    found.plans.map(({ choice: { algorithm }, isGiven, fresh: { length } }) => [
      isGiven ? 'given' : algorithm.name,
      length
    ]),
    [['choco', fresh], ['slowmo', fresh], ['hop', 0], ['given', fresh], ['divshare', fresh], ['gasloc', fresh]] // oxfmt-ignore
  )
})

test('if the best few all miss the loss with a seed, others are tried with all seeds, until one reaches it', async (t) => {
  const missing = ['divshare', 'gasloc', 'diloco', 'choco', 'moniqua']
  const sure = ['dpsgd', 'slowmo', 'hop', 'a2cid2', 'overlap-merge', 'overlap-sgp']
  const { found } = await searched([
    { period: 1, pace: 50, isGiven: true },
    ...missing.map((name, k) => ({ period: 3, pace: 1.5 + k / 100, missing: 1 + (k % 2), name })),
    ...sure.map((name, k) => ({ period: 3, pace: 1.8 + k / 100, name }))
  ])
  t.deepEqual(
    found.plans.map(({ choice: { algorithm }, isGiven }) => (isGiven ? 'given' : algorithm.name)),
    [...sure.slice(0, 5), 'given', ...missing]
  )
})

test('plans that exchange nothing in the first rounds are simulated once there', async (t) => {
  const { calls } = await searched(plans)
  const first = calls.filter(({ within }) => within.stop?.rounds === 10)
  t.deepEqual(first.map(({ plan }) => plan).toSorted(), [0, 1, plans.length - 1])
})

test('a plan that has taken 1.25 times as long as another is given up, and one that begins so slowly is not begun again', async (t) => {
  const { calls, found } = await searched(plans)
  const [best] = found.plans[0].reached
  const bounds = calls.flatMap(({ within: { stop } }) => stop?.time ?? [])
  t.true(bounds.length > 0 && bounds.every((time) => time >= 1250 * best * (1 - 1e-9)))
  t.is(Math.min(...bounds), 1250 * best)
  t.true(calls.filter(({ plan }) => plan === 1).reduce((sum, call) => sum + call.rounds, 0) <= 10)
})

test('plans whose final averaging is most of their time are compared by the rest', (t) => {
  const entry = { candidate: candidateOf(plans[0]), method: 1, averaging: 16 }
  const standing = (total: number) => ({ entry, total, record: {} as SimulatedRecord })
  t.true(isWithin(standing(20.9), 20, 1.25))
  t.false(isWithin(standing(21.1), 20, 1.25))
  t.true(isWithin(standing(21.1), Number.POSITIVE_INFINITY, 1.25))
})

test('what is far behind at the rate of the file is not tried at others', async (t) => {
  const { calls } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 2 },
    { period: 1, pace: 50, rate: 0.3 },
    { period: 3, pace: 2, rate: 0.3 }
  ])
  t.deepEqual([...new Set(calls.map(({ plan }) => plan))].toSorted(), [-1, 0, 1, 3])
})

test('where the best at first stays above the loss, one that exchanges more often says what has lost', async (t) => {
  const { calls, found } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 9, pace: 1, floor: 1 },
    { period: 3, pace: 2 },
    { period: 1, pace: 40 }
  ])
  t.is(found.plans[0].algorithm, 'period 3')
  t.true(calls.filter(({ plan }) => plan === 3).every((call) => call.rounds <= 10))
})

test('a plan that did not reach the loss rules out those of its options that exchange less often, and no others', async (t) => {
  const { calls, found } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 1, floor: 1, name: 'divshare' },
    { period: 9, pace: 1.1, floor: 1, name: 'divshare' },
    { period: 9, pace: 2 },
    { period: 1, pace: 20 }
  ])
  t.is(found.plans[0].algorithm, 'period 9')
  const longestOf = (plan: number) => Math.max(...calls.filter((call) => call.plan === plan).map((call) => call.rounds))
  t.is(longestOf(1), rounds)
  t.true(longestOf(2) < rounds / 3)
  // Nor is the plan with the rarest exchanges skipped because another algorithm's frequent ones were not enough.
  t.true(calls.filter(({ plan }) => plan === 4).every((call) => call.rounds <= 10))
})

test('what is more than twice behind at the rate of the file is tried at a higher rate, and not at a lower one', async (t) => {
  const { calls } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 2 },
    { period: 1, pace: 6, name: 'dpsgd' },
    { period: 1, pace: 6, name: 'dpsgd', rate: 0.3 },
    { period: 1, pace: 6, name: 'dpsgd', rate: 0.03 }
  ])
  t.deepEqual([...new Set(calls.map(({ plan }) => plan))].toSorted(), [-1, 0, 1, 2, 3])
})

test('a kind is tried at other rates if one of its plans is near, although another is far behind', async (t) => {
  const { calls } = await searched([
    { period: 1, pace: 50, isGiven: true },
    { period: 3, pace: 50, name: 'choco' },
    { period: 3, pace: 2, name: 'choco' },
    { period: 3, pace: 1, rate: 0.3, name: 'choco' }
  ])
  t.true(calls.some(({ plan }) => plan === 3))
})

test('a run that was cut off is judged by the steps that plain SGD takes to its loss, not by the loss', (t) => {
  const entry = { candidate: candidateOf(plans[0]), method: 1, averaging: 3 }
  const scale = { target: 0.6, losses: [2, 1, 0.8, 0.7, 0.6] }
  const record = (loss: number) => ({ outcome: 'limit', curve: [{ loss }], seconds: 6 }) as unknown as SimulatedRecord
  t.is(standingOf(entry, record(0.8), scale).total, 10 + 3)
  t.is(standingOf(entry, record(0.9), scale).total, 12 + 3)
  t.is(standingOf(entry, record(2.1), scale).total, Number.POSITIVE_INFINITY)
})
