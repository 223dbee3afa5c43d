/** All data that the page draws. */
import type { Results, World } from '@murmuration/results'
import type { Case, PageData } from '../shared/page-data.js'
import { type MeasureKey, measureKeys, needsTarget } from '../shared/measures.js'
import { type MethodVerdict, verdictIn } from '../shared/verdicts.js'
import { mapAxesOf, pageAxis, varyingAxes } from './axes.js'
import { casesOf, pointsFor } from './cases.js'
import { formPairs, kindsOf } from './forms.js'
import { pageTimeline } from './timelines.js'

/** Throws an InputError when a run does not belong to the sweep. */
export function pageData(results: Results): PageData {
  const { sweep, runs, timelines } = results
  const axes = varyingAxes(sweep)
  const methods = sweep.methods.map(({ label }) => label)
  const maxPoints = pointsFor(Math.max(1, runs.length / Math.max(1, sweep.seeds.length)))
  const cases = casesOf(results, maxPoints)
  const measures = measuresOf(results)
  const kinds = kindsOf(sweep.methods)
  return {
    axes: axes.map(pageAxis),
    mapAxes: mapAxesOf(axes),
    methods,
    kinds,
    pairs: formPairs(sweep.methods),
    originalLabels: sweep.methods.map(({ label, originalLabel = label }) => originalLabel),
    worlds: worldsOf(results),
    peers: [...new Set(runs.flatMap(({ peer }) => peer ?? []))],
    seeds: seedsOf(cases, sweep),
    ...(sweep.targetLoss !== undefined && { targetLoss: sweep.targetLoss }),
    measures,
    cases,
    ...summaryOf({ kinds, cases }, methods.length, measures[0]),
    maxPoints,
    timelines: timelines.map((timeline) =>
      pageTimeline(
        timeline,
        axes.map(({ name }) => name)
      )
    )
  }
}

/** All runs of a method took place in one world. */
function worldsOf({ sweep, runs }: Results): World[] {
  const worlds = new Map(runs.map(({ method, world }) => [method, world]))
  return sweep.methods.map(({ label }) => worlds.get(label) ?? 'simulator')
}

/** Merged folders may have different seeds. */
function seedsOf(cases: readonly Case[], { seeds }: Results['sweep']): number {
  const counts = cases.flatMap(({ entries }) => entries.map((entry) => entry?.runs ?? 0))
  return counts.length === 0 ? seeds.length : Math.max(...counts)
}

/** Measures with a target come first if some run reached it, else last. */
function measuresOf({ sweep, runs }: Results): MeasureKey[] {
  const withTarget = measureKeys.filter(needsTarget)
  const without = measureKeys.filter((key) => !needsTarget(key))
  if (sweep.targetLoss === undefined) return without
  return runs.some(({ toTarget }) => toTarget !== undefined) ? [...withTarget, ...without] : [...without, ...withTarget]
}

/** What is shown at first. */
function summaryOf(data: Pick<PageData, 'kinds' | 'cases'>, methods: number, key: MeasureKey) {
  const verdicts = data.cases.map((of) => verdictIn(data, of, key))
  return { telling: tellingCase(data.cases, verdicts, key), leader: leaderOf(verdicts, methods) }
}

/** The case in which most methods reach the target, and of those the one with the greatest lead. */
function tellingCase(cases: readonly Case[], verdicts: readonly MethodVerdict[], key: MeasureKey): number {
  const scores = cases.map(({ entries }, index) => {
    const verdict = verdicts[index]
    return {
      arrived: entries.filter((entry) => entry !== null && entry.measures[key].middle !== null).length,
      lead: 'factor' in verdict ? verdict.factor : 0
    }
  })
  return scores.reduce((best, { arrived, lead }, index) => {
    const until = scores[best]
    return arrived > until.arrived || (arrived === until.arrived && lead > until.lead) ? index : best
  }, 0)
}

/** The method that wins most often; of equals, the first in the list. */
function leaderOf(verdicts: readonly MethodVerdict[], methods: number): number {
  const wins = Array.from({ length: methods }, () => 0)
  for (const verdict of verdicts) {
    if (verdict.kind === 'win' || verdict.kind === 'alone') wins[verdict.winner]++
  }
  return wins.indexOf(Math.max(...wins))
}
