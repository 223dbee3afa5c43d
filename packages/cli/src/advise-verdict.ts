import { type AdvisedPlan, timesAsLong, totalOf } from '@murmuration/experiment/advise'
import { isTie } from '@murmuration/experiment/sim'

/** How a plan compares with the best, with fresh seeds; nothing of a plan without them. */
export function verdictOn(plan: AdvisedPlan, best: AdvisedPlan): readonly string[] {
  const { algorithm, choice, fresh, isGiven } = plan
  const name = isGiven
    ? 'The plan of the files'
    : `The plan ${algorithm}, ${choice.codec}, rate ${rateText(choice.rate)},`
  if (fresh.length === 0)
    return isGiven && totalOf(plan) === Number.POSITIVE_INFINITY
      ? [`${name} does not reach this loss in its rounds.`]
      : []
  const misses = fresh.filter((seconds) => !Number.isFinite(seconds)).length
  if (misses > 0)
    return [`${name} does not reach this loss in its rounds with ${misses} of ${fresh.length} fresh seeds.`]
  if (plan === best) return isGiven ? ['The plan of the files is the best.'] : []
  const times = timesAsLong(plan, best)
  if (times === undefined) return []
  const [ratio, low, high] = [times.ratio, times.low, times.high].map(timesText)
  const isFaster = times.high < 1 ? ', so it is the faster one with these seeds' : ''
  const tie = isTie(times) ? ', which is a tie' : isFaster
  return [`${name} takes ${ratio} times as long as the first (95 % interval ${low} to ${high})${tie}.`]
}

/** Three digits before 10, so that an interval that excludes 1 shows it, and at least two otherwise. */
const timesText = (times: number) => times.toPrecision(times < 10 ? 3 : Math.max(2, Math.ceil(Math.log10(times))))

export const rateText = (rate: number) => String(Number(rate.toPrecision(3)))
