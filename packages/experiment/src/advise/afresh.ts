import { type AdvisedPlan, comparePlans } from './plans.js'
import type { SearchedPlan } from './standing.js'

/** A plan that was simulated with all seeds for choosing. */
export interface Judged {
  readonly entry: SearchedPlan
  readonly plan: AdvisedPlan
}

/**
 * Measures with fresh seeds what is compared in the end: the first two plans and that of the files. A best of many is
 * partly the luckiest, and takes longer with seeds that have not chosen it. If a plan misses the loss with a fresh
 * seed, it falls behind, and the next is measured, too. The best first.
 */
export async function measuredAfresh(
  judged: readonly Judged[],
  measure: (entries: readonly SearchedPlan[]) => Promise<readonly (readonly number[])[]>
): Promise<readonly AdvisedPlan[]> {
  let all = judged.toSorted((left, right) => comparePlans(left.plan, right.plan))
  const measured = new Set<SearchedPlan>()
  for (;;) {
    const next = all.filter(({ entry, plan }, place) => (place < 2 || plan.isGiven) && !measured.has(entry))
    if (next.length === 0) return all.map(({ plan }) => plan)
    const entries = next.map(({ entry }) => entry)
    const times = await measure(entries)
    for (const entry of entries) measured.add(entry)
    const freshOf = ({ entry, plan }: Judged) => (entries.includes(entry) ? times[entries.indexOf(entry)] : plan.fresh)
    all = all
      .map((each) => ({ ...each, plan: { ...each.plan, fresh: freshOf(each) } }))
      .toSorted((left, right) => comparePlans(left.plan, right.plan))
  }
}
