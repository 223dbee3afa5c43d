/** The findings of the sweep in computed sentences, which claim nothing beyond the medians. */
import { median } from 'simple-statistics'
import type { Case, PageData } from '../shared/page-data.js'
import { measures, needsTarget } from '../shared/measures.js'
import { factorText, sentence } from '../shared/units.js'
import { formSentences } from './forms.js'
import { isMixed, isRanked } from '../shared/world-words.js'
import { aloneSentence, predictionSentences } from './side-by-side.js'
import { caseText, factorIn, middleOf, type MethodVerdict, verdictIn } from '../shared/verdicts.js'

/** The leader against one rival, over all settings. A factor is the rival's value divided by the leader's. */
export interface Duel {
  readonly rival: number
  /** Settings in which both were run and at least one reached the target. */
  readonly settings: number
  readonly won: number
  /** Settings in which only the leader, or only the rival, reached the target. */
  readonly rivalNever: number
  readonly leaderNever: number
  /** Over the settings in which both reached the target; absent if there are none. */
  readonly factors?: { readonly least: Extreme; readonly middle: number; readonly greatest: Extreme }
}

export interface Extreme {
  readonly factor: number
  readonly where: string
}

const quoted = (label: string) => `“${label}”`
const settings = (count: number) => `${count} ${count === 1 ? 'setting' : 'settings'}`
const range = (factors: readonly number[]) => {
  const [least, greatest] = [Math.min(...factors), Math.max(...factors)].map(factorText)
  return least === greatest ? least : `${least} to ${greatest}`
}

const medianText = (factors: readonly number[]) =>
  factors.length === 1 ? '' : ` (median ${factorText(median([...factors]))})`

/**
 * The first says which method leads; the others where the leader loses and to which method, and what fusing and
 * streaming do.
 */
export function findingSentences(data: PageData): string[] {
  if (isMixed(data)) return predictionSentences(data)
  if (!isRanked(data)) return data.methods.map((_, index) => aloneSentence(data, index))
  const key = data.measures[0]
  const verdicts = data.cases.map((of) => verdictIn(data, of, key))
  if (verdicts.every(({ kind }) => kind === 'none')) return ['No method has a result that can be compared.']
  return [
    ...leaderSentences(data, verdicts),
    ...othersSentences(data, verdicts),
    ...lossSentences(data, verdicts),
    ...formSentences(data)
  ]
}

function leaderSentences(
  { methods, leader, kinds, measures: [key] }: PageData,
  verdicts: readonly MethodVerdict[]
): string[] {
  const { best, relation } = measures[key]
  const wins = verdicts.filter((verdict) => isWin(verdict) && verdict.winner === leader)
  if (wins.length === 0) return ['No method leads by more than 1 % anywhere.']
  const factors = wins.flatMap((verdict) => ('factor' in verdict ? verdict.factor : []))
  const alone = wins.length - factors.length
  const others = needsTarget(key) ? 'no other arrives' : 'all others failed'
  const undecided = wins.filter((verdict) => 'overlap' in verdict && verdict.overlap).length
  const where = verdicts.length === 1 ? 'the only setting' : `${wins.length} of ${settings(verdicts.length)}`
  const next = `: the next best${new Set(kinds).size < kinds.length ? ' of another kind' : ''} ${relation[0]} ${range(factors)} ${relation[1]} it`
  return [
    `${quoted(methods[leader])} is ${best} in ${where}${factors.length === 0 ? '' : next + medianText(factors)}.`,
    ...(alone === 0 ? [] : [verdicts.length === 1 ? `${sentence(others)}.` : `In ${alone} of these ${others}.`]),
    ...(undecided === 0
      ? []
      : [`In ${undecided} of these the ranges over the seeds overlap, so chance may have decided.`])
  ]
}

const isWin = (verdict: MethodVerdict): verdict is Extract<MethodVerdict, { readonly kind: 'win' | 'alone' }> =>
  verdict.kind === 'win' || verdict.kind === 'alone'

function othersSentences({ methods, leader }: PageData, verdicts: readonly MethodVerdict[]): string[] {
  const wins = methods.map(
    (_, index) => verdicts.filter((verdict) => isWin(verdict) && verdict.winner === index).length
  )
  const others = methods.flatMap((label, index) =>
    index === leader || wins[index] === 0 ? [] : [`${quoted(label)} wins in ${wins[index]}`]
  )
  const ties = verdicts.filter(({ kind }) => kind === 'tie').length
  const unreached = verdicts.filter(({ kind }) => kind === 'none').length
  const parts = [
    ...others,
    ...(ties === 0 ? [] : [`the best two are within 1 % of each other in ${ties}`]),
    ...(unreached === 0 ? [] : [`none arrives in ${unreached}`])
  ]
  if (parts.length === 0 || verdicts.length === 1) return []
  return [`${sentence(list(parts))}.`]
}

function lossSentences(data: PageData, verdicts: readonly MethodVerdict[]): string[] {
  const {
    methods,
    leader,
    measures: [key]
  } = data
  const lost = data.cases.flatMap((of, index) => {
    const verdict = verdicts[index]
    if (!isWin(verdict) || verdict.winner === leader || of.entries[leader] === null) return []
    return [{ of, winner: verdict.winner, factor: factorIn(of, leader, verdict.winner, key) ?? Infinity }]
  })
  const finite = lost.filter(({ factor }) => factor < Infinity)
  const never = lost.length - finite.length
  const name = quoted(methods[leader])
  const neverText = never === 0 ? [] : [`In ${settings(never)} ${name} does not arrive, though another does.`]
  if (finite.length === 0) return neverText
  const worst = finite.reduce((most, one) => (one.factor > most.factor ? one : most))
  const [does, than] = measures[key].relation
  return [
    `Where ${name} loses, it ${does} up to ${factorText(worst.factor)} ${than} ${quoted(methods[worst.winner])} ` +
      `(at ${caseText(data, worst.of)}).`,
    ...neverText
  ]
}

/** “a”, “a and b”, “a, b and c” */
function list(items: readonly string[]): string {
  return items.length <= 1 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`
}

/** The leader against each of the others. */
export function duelsOf(data: PageData): Duel[] {
  return data.methods.flatMap((_, rival) => (rival === data.leader ? [] : [duelOf(data, rival)]))
}

function duelOf(data: PageData, rival: number): Duel {
  const {
    leader,
    measures: [key]
  } = data
  const both = data.cases.filter(({ entries }) => entries[leader] !== null && entries[rival] !== null)
  const arrives = (of: Case, method: number) => middleOf(of, method, key) !== null
  const factors = both
    .flatMap((of) => {
      const factor = factorIn(of, rival, leader, key)
      return factor === undefined ? [] : [{ factor, where: caseText(data, of) }]
    })
    .sort((a, b) => a.factor - b.factor)
  const rivalNever = both.filter((of) => arrives(of, leader) && !arrives(of, rival)).length
  const leaderNever = both.filter((of) => !arrives(of, leader) && arrives(of, rival)).length
  return {
    rival,
    settings: factors.length + rivalNever + leaderNever,
    won: rivalNever + factors.filter(({ factor }) => factor > 1).length,
    rivalNever,
    leaderNever,
    ...(factors.length > 0 && {
      factors: {
        least: factors[0],
        middle: median(factors.map(({ factor }) => factor)),
        greatest: factors[factors.length - 1]
      }
    })
  }
}
