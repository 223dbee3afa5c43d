/** The content of the cells of the map. */
import type { Case, PageData } from '../shared/page-data.js'
import { measures, needsTarget, valueText } from '../shared/measures.js'
import { factorText } from '../shared/units.js'
import { caseAt, caseText, factorIn, middleOf, verdictIn } from '../shared/verdicts.js'
import { colourOf, textColourOn } from './method-style.js'
import { wrapped } from './elements.js'
import { moved, type PageStore, type PageView } from './store.js'

export interface MapCell {
  /** Its indices in the axes of the map. */
  readonly column: number
  readonly row: number
  readonly places: readonly number[]
  readonly fill: string
  readonly stroke: string
  readonly text: string
  /** Above the figure: the winner. */
  readonly name: string
  readonly textFill: string
  readonly tip: string
  readonly chosen: boolean
}

/** Settings without a winner have an outline, since pale colours have a meaning. */
export const open = { fill: 'var(--page)', stroke: 'var(--line)', textFill: 'var(--text)' }

/** The cells of the map as chosen. Names get up to two lines of `letters` letters; none if that is 0. */
export function cellsOf({ data, view }: PageStore, letters: number): MapCell[] {
  const { across = 0, down = 0 } = view
  const factors = view.map === 'factor' ? data.cases.flatMap((of) => factorOf(of, view) ?? []) : []
  const span = Math.max(2, ...factors.map((factor) => Math.max(factor, 1 / factor)))
  return data.axes[down].values.flatMap((_, row) =>
    data.axes[across].values.flatMap((_, column) => {
      const places = moved(moved(view.places, across, column), down, row)
      const of = caseAt(data, places)
      if (of === undefined) return []
      const face =
        view.map === 'winner' ? winnerFace(of, data, view, letters) : factorFace(of, data, view, span, letters)
      const chosen = places.every((place, axis) => place === view.places[axis])
      return [{ column, row, places, chosen, tip: tipOf(of, data, view), name: '', stroke: 'none', ...face }]
    })
  )
}

function winnerFace(of: Case, data: PageData, { measure }: PageView, letters: number) {
  const verdict = verdictIn(data, of, measure)
  if (verdict.kind === 'none')
    return { ...open, text: '', name: wrapped(needsTarget(measure) ? 'none arrives' : 'all failed', letters, 2) }
  if (verdict.kind === 'tie') return { ...open, name: wrapped('tie', letters, 1), text: factorText(verdict.factor) }
  return {
    fill: colourOf(verdict.winner),
    textFill: textColourOn(verdict.winner),
    name: wrapped(data.methods[verdict.winner], letters, 2),
    text: verdict.kind === 'alone' ? 'alone' : `${verdict.overlap ? '~' : ''}${factorText(verdict.factor)}`
  }
}

const factorOf = (of: Case, { over, under, measure }: PageView) => factorIn(of, over, under, measure)

function factorFace(of: Case, { methods }: PageData, view: PageView, span: number, letters: number) {
  const factor = factorOf(of, view)
  if (factor !== undefined) return { ...shade(Math.log(factor) / Math.log(span)), text: factorText(factor) }
  const arrived = [view.over, view.under].filter((method) => middleOf(of, method, view.measure) !== null)
  const name = arrived.length === 0 ? 'neither arrives' : `only ${methods[arrived[0]]}`
  return { ...open, text: '', name: wrapped(name, letters, 2) }
}

/**
 * From orange (−1) over near white (0) to violet (1), with readable text on it. The power of 0.6 makes small factors
 * visible.
 */
export function shade(place: number): { readonly fill: string; readonly textFill: string } {
  const strength = Math.sign(place) * Math.abs(place) ** 0.6
  const fill = Plot.scale({
    color: { type: 'diverging', scheme: 'PuOr', reverse: true, domain: [-1.15, 1.15] }
  })?.apply(strength) as string
  const [red, green, blue] = (fill.match(/\d+/g) ?? []).map(Number)
  return { fill, textFill: 0.3 * red + 0.59 * green + 0.11 * blue > 135 ? '#111' : '#fff' }
}

function tipOf(of: Case, data: PageData, { measure }: PageView): string {
  const ranked = data.methods
    .flatMap((label, method) => (of.entries[method] ? [{ label, value: middleOf(of, method, measure) }] : []))
    .sort((a, b) => (a.value ?? Number.MAX_VALUE) - (b.value ?? Number.MAX_VALUE))
  const lines = ranked.map(({ label, value }) => `${valueText(measure, value)}  ${label}`)
  return [caseText(data, of), measures[measure].title, ...lines].join('\n')
}
