/** Methods of one kind, which differ in how they exchange: fused or per tensor, streamed or blocking. */
import { median } from 'simple-statistics'
import type { Form, Sweep } from '@murmuration/results'
import { measures } from '../shared/measures.js'
import { changes, places } from '../shared/form-text.js'
import type { FormPair, PageData } from '../shared/page-data.js'
import { factorText } from '../shared/units.js'
import { factorIn } from '../shared/verdicts.js'

type SweepMethod = Sweep['methods'][number]

/** The kind of each method; its own label if it has no form. */
export function kindsOf(methods: readonly SweepMethod[]): readonly string[] {
  return methods.map(({ label, form }) => form?.kind ?? label)
}

/**
 * All pairs of one kind that differ either in fusion or in calls. Of several methods with the same form, the first
 * counts.
 */
export function formPairs(methods: readonly SweepMethod[]): readonly FormPair[] {
  const forms = methods.map(({ form }) => form)
  const find = (wanted: Form) => forms.findIndex((form) => form !== undefined && isSame(form, wanted))
  return forms.flatMap((form, before): FormPair[] => {
    if (form === undefined || find(form) !== before) return []
    const { kind, fusion, calls } = form
    const fused = fusion === 'per-tensor' ? find({ ...form, fusion: 'fused' }) : -1
    const streamed = calls === 'blocking' ? find({ ...form, calls: 'streamed' }) : -1
    return [
      ...(fused === -1 ? [] : [{ kind, change: 'fusing', where: calls, before, after: fused } as const]),
      ...(streamed === -1 ? [] : [{ kind, change: 'streaming', where: fusion, before, after: streamed } as const])
    ]
  })
}

const isSame = (one: Form, other: Form) =>
  one.kind === other.kind && one.fusion === other.fusion && one.calls === other.calls

/**
 * The effects of fusing and streaming: a sentence for each pair, and one for each kind on which of the two matters
 * more.
 */
export function formSentences(data: PageData): string[] {
  const found = data.pairs.flatMap((pair) => {
    const factors = data.cases.flatMap((of) => factorIn(of, pair.before, pair.after, data.measures[0]) ?? [])
    return factors.length === 0 ? [] : [{ ...pair, factors, middle: median(factors) }]
  })
  const kinds = [...new Set(found.map(({ kind }) => kind))]
  return kinds.flatMap((kind) => {
    const ofKind = found.filter((pair) => pair.kind === kind)
    return [...ofKind.map((pair) => pairSentence(data, pair)), ...whichMatters(kind, ofKind)]
  })
}

interface Found extends FormPair {
  readonly factors: readonly number[]
  readonly middle: number
}

function pairSentence({ measures: [key] }: PageData, { kind, change, where, factors, middle }: Found): string {
  const { relation } = measures[key]
  const { before, after } = changes[change]
  const [least, greatest] = [Math.min(...factors), Math.max(...factors)].map(factorText)
  const range = least === greatest ? least : `${least} to ${greatest}`
  const middleText = factors.length === 1 ? '' : ` (median ${factorText(middle)})`
  return `“${kind}”, ${places[where]}: ${before} ${relation[0]} ${range} ${relation[1]} ${after}${middleText}.`
}

/** Compares fusing among streamed methods, and streaming among per-tensor methods, so that each effect is isolated. */
function whichMatters(kind: string, pairs: readonly Found[]): string[] {
  const fusing = pairs.find(({ change, where }) => change === 'fusing' && where === 'streamed')
  const streaming = pairs.find(({ change, where }) => change === 'streaming' && where === 'per-tensor')
  if (fusing === undefined || streaming === undefined) return []
  const [more, less] = fusing.middle > streaming.middle ? ['fusing', 'streaming'] : ['streaming', 'fusing']
  return [`For “${kind}”, ${more} matters more than ${less}.`]
}
