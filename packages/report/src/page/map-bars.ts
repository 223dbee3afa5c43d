/** Bars instead of a map, if at most one axis varies. */
import type { PageData } from '../shared/page-data.js'
import { measures, valueText } from '../shared/measures.js'
import { timeTicks } from '../shared/ticks.js'
import { factorText, secondsText, sentence } from '../shared/units.js'
import { caseText, middleOf, verdictIn } from '../shared/verdicts.js'
import { isRanked } from '../shared/world-words.js'
import { colourOf } from './method-style.js'
import { figure, labelIn, labelMargin, widthIn } from './elements.js'
import type { PageStore, PageView } from './store.js'

interface Bar {
  readonly method: number
  /** The index of the case. */
  readonly group: number
  readonly value: number
  /** Over the seeds. A maximum that is never reached is the end of the chart. */
  readonly low: number
  readonly high: number
  readonly fill: string
  readonly text: string
}

const lineHeight = 24
/** Space above the bars of a setting for its title, if there are several settings. */
const groupTitleHeight = 30
/** Space next to a bar, for its text. */
const textMargin = 120
/** The width of a mark of the axis, with its text. */
const markWidth = 70

export function barMap({ data, view }: PageStore, host: HTMLElement): readonly HTMLElement[] {
  const { title } = measures[view.measure]
  const bars = barsOf(data, view)
  const groups = data.cases.map((_, place) => place)
  const titleHeight = data.axes.length === 0 ? 0 : groupTitleHeight
  const most = Math.max(...bars.flatMap(({ value, high }) => [value, Number.isFinite(high) ? high : value]))
  const width = widthIn(host)
  const chart = Plot.plot({
    width,
    height: groups.length * (data.methods.length * lineHeight + titleHeight) + 70,
    marginTop: Math.max(titleHeight, 8),
    marginBottom: 44,
    marginLeft: labelMargin(data.methods, width),
    marginRight: textMargin,
    style: { fontSize: '12px' },
    x: { domain: [0, most], label: null },
    y: { domain: data.methods.map((_, place) => place) },
    fy: { domain: groups, axis: null, padding: titleHeight / (data.methods.length * lineHeight + titleHeight) },
    marks: [
      ...valueAxis(view, most, width - labelMargin(data.methods, width) - textMargin),
      Plot.axisY({ tickSize: 0, label: null, tickFormat: labelIn(data.methods, width) }),
      Plot.barX(bars, {
        y: 'method',
        fy: 'group',
        x: 'value',
        fill: { value: 'fill', scale: null },
        insetTop: 2,
        insetBottom: 2
      }),
      ...whiskers(bars, most),
      Plot.text(bars, {
        y: 'method',
        fy: 'group',
        x: ({ value, high }: Bar) => Math.max(value, Math.min(high, most)),
        text: 'text',
        dx: 6,
        textAnchor: 'start',
        fontWeight: 600
      }),
      ...(data.axes.length === 0 ? [] : [groupTitles(data, groups)]),
      Plot.ruleX([0])
    ]
  })
  const caption =
    `${sentence(title)} of each method, ${data.seeds === 1 ? 'one seed' : `median over ${data.seeds} seeds`}${isRanked(data) ? '; less is better' : ''}. ` +
    `In brackets: relative to the minimum.${data.seeds === 1 ? '' : ' Whiskers: from the minimum to the maximum over the seeds.'}`
  return [figure({ chart, label: `Bars of ${title} by method`, caption })]
}

/** A line from the minimum to the maximum of each bar whose seeds differ, with an end where there is one. */
function whiskers(bars: readonly Bar[], most: number) {
  const spread = bars.filter(({ low, high }) => low < high)
  const ends = spread.flatMap((bar) => [bar.low, bar.high].filter(Number.isFinite).map((end) => ({ ...bar, end })))
  const stroke = { y: 'method', fy: 'group', stroke: 'var(--text)', strokeWidth: 1.5 } as const
  return [
    Plot.ruleY(spread, { ...stroke, x1: 'low', x2: ({ high }: Bar) => Math.min(high, most) }),
    Plot.tickX(ends, { ...stroke, x: 'end', insetTop: 7, insetBottom: 7 })
  ]
}

/** As many marks as fit into `room` pixels. */
function valueAxis({ measure }: PageView, most: number, room: number) {
  const count = Math.max(1, Math.min(6, Math.floor(room / markWidth)))
  const label = { label: `${measures[measure].title} →`, labelOffset: 40 }
  if (measures[measure].text !== secondsText) {
    const tickFormat = (value: number) => valueText(measure, value)
    return [Plot.gridX({ ticks: count }), Plot.axisX({ ...label, ticks: count, tickFormat })]
  }
  const ticks = timeTicks(0, most, count)
  const places = ticks.map(({ seconds }) => seconds)
  return [Plot.gridX(places), Plot.axisX(places, { ...label, text: ticks.map(({ text }) => text) })]
}

function groupTitles(data: PageData, groups: readonly number[]) {
  return Plot.text(groups, {
    fy: (group: number) => group,
    text: (group: number) => caseText(data, data.cases[group]),
    frameAnchor: 'top-left',
    dy: -14,
    fontWeight: 600,
    fontSize: 13
  })
}

function barsOf(data: PageData, { measure }: PageView): Bar[] {
  return data.cases.flatMap((of, group) => {
    const verdict = verdictIn(data, of, measure)
    const best = verdict.kind === 'none' ? null : middleOf(of, verdict.winner, measure)
    return data.methods.flatMap((_, method) => {
      if (of.entries[method] === null) return []
      const value = middleOf(of, method, measure)
      const factor = value === null || best === null || best === 0 ? '' : ` (${factorText(value / best)})`
      const text = valueText(measure, value) + factor
      const { low, high } = of.entries[method].measures[measure]
      const range = value === null ? { low: 0, high: 0 } : { low: low ?? value, high: high ?? Infinity }
      return [{ method, group, value: value ?? 0, ...range, fill: colourOf(method), text }]
    })
  })
}
