/** How the peers' time was used in the chosen setting. */
import type { Case, MethodOutcome, PageData } from '../shared/page-data.js'
import { percentText, secondsText } from '../shared/units.js'
import { caseText } from '../shared/verdicts.js'
import { patchLegend } from './method-style.js'
import { element, figure, labelIn, labelMargin, widthIn } from './elements.js'
import type { PageStore } from './store.js'

const parts = [
  { key: 'working', label: 'working: computing gradients' },
  { key: 'sending', label: 'sending, and not computing' },
  { key: 'waiting', label: 'waiting for others, without either' },
  { key: 'other', label: 'not computing: a real run does not distinguish sending, waiting and averaging' }
] as const

const captionText =
  'Mean fractions of the peers’ time, over the seeds; servers are not counted. Right: the time of a round, so that a fraction can be ' +
  'read as seconds. Where computing and sending overlap, the time counts as working.'

export function mountTimeUse(store: PageStore, part: HTMLElement): void {
  const host = element('div')
  part.append(host)
  store.listen(['places'], () => {
    const { data, chosen } = store
    if (chosen === undefined) return host.replaceChildren()
    const label = `Fractions of time working, sending and waiting of each method at ${caseText(data, chosen)}`
    const rows = timedRows(chosen)
    if (rows.length === 0) return host.replaceChildren(element('p', {}, 'This is not known for unfinished runs.'))
    const shown = parts.filter(({ key }) => rows.some(({ time }) => time[key] > 0))
    const legend = patchLegend(shown.map((part) => ({ label: part.label, colour: `var(--${part.key})` })))
    const chart = timeChart(data, rows, widthIn(host))
    host.replaceChildren(figure({ chart, label, caption: captionText, legend }))
  })
}

interface Row {
  readonly method: number
  readonly entry: MethodOutcome
  readonly time: NonNullable<MethodOutcome['time']>
}

/** The methods with known use of time. */
const timedRows = ({ entries }: Case): readonly Row[] =>
  entries.flatMap((entry, method) => (entry?.time === undefined ? [] : [{ method, entry, time: entry.time }]))

function timeChart({ methods }: PageData, tried: readonly Row[], width: number) {
  const bars = tried.flatMap(({ method, time }) => {
    let end = 0
    return parts.map(({ key }) => {
      const start = end
      end += time[key]
      return { method, key, start, end, fraction: time[key] }
    })
  })
  const rounds = tried.map(({ method, entry }) => {
    const { middle } = entry.measures.secondsPerRound
    return { method, text: middle === null ? '' : `${secondsText(middle)} per round` }
  })
  return Plot.plot({
    width,
    height: 34 * tried.length + 60,
    marginBottom: 44,
    marginLeft: labelMargin(methods, width),
    marginRight: 130,
    style: { fontSize: '12px' },
    x: {
      domain: [0, 1],
      label: 'fraction of the peers’ time →',
      labelOffset: 40,
      tickFormat: percentText,
      ticks: width < 600 ? 1 : 5
    },
    y: { domain: tried.map(({ method }) => method) },
    marks: [
      Plot.axisY({ tickSize: 0, label: null, tickFormat: labelIn(methods, width) }),
      Plot.barX(bars, {
        y: 'method',
        x1: 'start',
        x2: 'end',
        fill: { value: (d: { key: string }) => `var(--${d.key})`, scale: null },
        insetTop: 4,
        insetBottom: 4,
        insetRight: 1
      }),
      Plot.text(
        bars.filter(({ fraction }) => fraction * (width - 340) > 44),
        {
          y: 'method',
          x: ({ start, end }: { start: number; end: number }) => (start + end) / 2,
          text: ({ fraction }: { fraction: number }) => percentText(fraction),
          fill: { value: (d: { key: string }) => `var(--on-${d.key})`, scale: null }
        }
      ),
      Plot.text(rounds, { y: 'method', x: 1, dx: 8, text: 'text', textAnchor: 'start' })
    ]
  })
}
