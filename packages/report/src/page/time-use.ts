/** Where the time of the chosen setting went. */
import type { Case, PageData } from '../shared/page-data.js'
import { percentText, secondsText } from '../shared/units.js'
import { caseText } from '../shared/verdicts.js'
import { patchLegend } from './contender-style.js'
import { element, figure, labelIn, labelMargin, widthIn } from './elements.js'
import type { Store } from './store.js'

const parts = [
  { key: 'working', label: 'working: computing gradients' },
  { key: 'sending', label: 'sending, and not computing' },
  { key: 'waiting', label: 'waiting for others, with neither' }
] as const

const captionText =
  'Mean shares of the peers’ time, over the seeds; servers are not counted. Right: how long a round takes, so that a share can be ' +
  'read as seconds. Where computing and sending overlap, the time counts as working.'

export function mountTimeUse(store: Store, part: HTMLElement): void {
  const host = element('div')
  part.append(host)
  store.listen(['places'], () => {
    const { data, chosen } = store
    if (chosen === undefined) return host.replaceChildren()
    const label = `Shares of time working, sending and waiting of each contender at ${caseText(data, chosen)}`
    const legend = patchLegend(parts.map((part) => ({ label: part.label, colour: `var(--${part.key})` })))
    const chart = timeChart(data, chosen, widthIn(host))
    host.replaceChildren(figure({ chart, label, caption: captionText, legend }))
  })
}

function timeChart({ contenders }: PageData, { entries }: Case, width: number) {
  const tried = contenders.flatMap((_, contender) => {
    const entry = entries[contender]
    return entry === null ? [] : [{ contender, entry }]
  })
  const shares = tried.flatMap(({ contender, entry: { time } }) => {
    const ends = [0, time.working, time.working + time.sending, time.working + time.sending + time.waiting]
    return parts.map(({ key }, place) => ({
      contender,
      key,
      start: ends[place],
      end: ends[place + 1],
      share: time[key]
    }))
  })
  const rounds = tried.map(({ contender, entry }) => {
    const { middle } = entry.measures.secondsPerRound
    return { contender, text: middle === null ? '' : `${secondsText(middle)} per round` }
  })
  return Plot.plot({
    width,
    height: 34 * tried.length + 60,
    marginBottom: 44,
    marginLeft: labelMargin(contenders),
    marginRight: 130,
    style: { fontSize: '12px' },
    x: { domain: [0, 1], label: 'share of the peers’ time →', labelOffset: 40, tickFormat: percentText, ticks: 5 },
    y: { domain: tried.map(({ contender }) => contender) },
    marks: [
      Plot.axisY({ tickSize: 0, label: null, tickFormat: labelIn(contenders) }),
      Plot.barX(shares, {
        y: 'contender',
        x1: 'start',
        x2: 'end',
        fill: { value: (d: { key: string }) => `var(--${d.key})`, scale: null },
        insetTop: 4,
        insetBottom: 4,
        insetRight: 1
      }),
      Plot.text(
        shares.filter(({ share }) => share * (width - 340) > 44),
        {
          y: 'contender',
          x: ({ start, end }: { start: number; end: number }) => (start + end) / 2,
          text: ({ share }: { share: number }) => percentText(share),
          fill: { value: (d: { key: string }) => `var(--on-${d.key})`, scale: null }
        }
      ),
      Plot.text(rounds, { y: 'contender', x: 1, dx: 8, text: 'text', textAnchor: 'start' })
    ]
  })
}
