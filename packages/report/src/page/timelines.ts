/** Events of a run: a row per peer, what it did, and the messages between the rows. */
import type { PageTimeline } from '../shared/page-data.js'
import { secondsText } from '../shared/units.js'
import { timeTicks } from '../shared/ticks.js'
import { patchLegend } from './method-style.js'
import { element, figure, widthIn } from './elements.js'
import { picker, pickers } from './pickers.js'
import { tipMark } from './tip.js'
import type { PageStore } from './store.js'

type DrawnSpan = PageTimeline['spans'][number]
type DrawnMessage = PageTimeline['messages'][number]
type DrawnMark = PageTimeline['marks'][number]

const colours = new Map([
  ['gradient', 'var(--gradient)'],
  ['waiting', 'var(--waiting)'],
  ['crashed', 'var(--wrong)'],
  ['gone', 'var(--wrong)']
])
const kindColour = (kind: string) => colours.get(kind) ?? 'var(--other)'
const zooms = [1, 1 / 2, 1 / 5, 1 / 10, 1 / 20]

export function mountTimelines(store: PageStore, part: HTMLElement): void {
  const { timelines } = store.data
  const host = element('div')
  part.append(
    pickers(...(timelines.length > 1 ? [timelinePicker(store)] : []), zoomPicker(store), beginSlider(store)),
    host
  )
  const draw = () => {
    const timeline = timelines[store.view.timeline]
    const [from, to] = windowOf(store, timeline)
    const label = `Timeline of ${timeline.title}`
    const chart = timelineChart(timeline, from, to, widthIn(host))
    const { title } = timeline
    host.replaceChildren(
      figure({ chart, label, caption: captionOfTimeline(timeline), title, legend: legendOf(timeline) })
    )
  }
  store.listen(['timeline', 'zoom', 'begin'], draw)
}

function timelinePicker(store: PageStore): HTMLElement {
  return picker(store, {
    title: 'run',
    options: store.data.timelines.map(({ title }) => title),
    read: ({ timeline }) => timeline,
    change: (index) => ({ timeline: index, zoom: 1, begin: 0 })
  })
}

function zoomPicker(store: PageStore): HTMLElement {
  return picker(store, {
    title: 'show',
    options: zooms.map((zoom) => (zoom === 1 ? 'all of it' : `1/${Math.round(1 / zoom)} of it`)),
    read: ({ zoom }) => zooms.indexOf(zoom),
    change: (index) => ({ zoom: zooms[index] })
  })
}

function beginSlider(store: PageStore): HTMLElement {
  const slider = element('input', { 'type': 'range', 'aria-label': 'from', 'min': '0', 'max': '1', 'step': '0.01' })
  const label = element('label', {}, 'from', slider)
  slider.addEventListener('input', () => store.change({ begin: Number(slider.value) }))
  store.listen('all', () => {
    slider.value = String(store.view.begin)
    label.hidden = store.view.zoom === 1
  })
  return label
}

function windowOf({ view }: PageStore, { from, to }: PageTimeline): readonly [number, number] {
  const begin = from + (to - from) * (1 - view.zoom) * view.begin
  return [begin, begin + (to - from) * view.zoom]
}

function legendOf({ spans, messages, marks }: PageTimeline): HTMLElement {
  const kinds = [...new Set(spans.map(({ kind }) => kind))].sort()
  return patchLegend([
    ...kinds.map((kind) => ({ label: kind, colour: kindColour(kind) })),
    ...(messages.length > 0 ? [{ label: 'message', colour: 'var(--text)' }] : []),
    ...(messages.some(({ dropped }) => dropped) ? [{ label: 'dropped message (×)', colour: 'var(--wrong)' }] : []),
    ...(marks.some(({ isFailure }) => isFailure) ? [{ label: 'failure (▼)', colour: 'var(--wrong)' }] : []),
    ...(marks.some(({ isFailure }) => !isFailure) ? [{ label: 'other event (▼)', colour: 'var(--text)' }] : [])
  ])
}

function captionOfTimeline({ leftOut, clocks, messages }: PageTimeline): string {
  const rest = leftOut === undefined ? '' : ` Incomplete: ${leftOut}.`
  if (clocks === undefined)
    return (
      'A row per peer: what it was doing. Each line is a message, from the moment at which its sender began to send to the arrival of its last ' +
      `byte; dropped ones are red and end in ×. Point at a bar for its figures.${rest}`
    )
  const lines =
    messages.length === 0
      ? ''
      : ' Each line is a vector, from the moment at which it was handed over to the moment at which its receiver took it.'
  return `A row per peer: what it did, according to the event logs.${lines} Point at a bar or a mark for its figures. ${clocks}.${rest}`
}

function timelineChart(timeline: PageTimeline, from: number, to: number, width: number) {
  const { peers, spans, messages, clocks } = timeline
  // What a peer does while it waits is drawn over the waiting.
  const bars = spans
    .filter(({ start, end }) => end > from && start < to)
    .sort((a, b) => Number(b.kind === 'waiting') - Number(a.kind === 'waiting'))
  const marks = timeline.marks.filter(({ at }) => at >= from && at <= to)
  const lines = messages.filter(({ sent, arrived }) => arrived > from && sent < to)
  const lost = lines.filter(({ dropped }) => dropped)
  const colour = ({ dropped }: DrawnMessage) => (dropped ? 'var(--wrong)' : 'var(--text)')
  const link = { x1: 'sent', y1: 'from', x2: 'arrived', y2: 'to', clip: true } as const
  const ticks = timeTicks(from, to, Math.floor(width / 100))
  const rowHeight = peers.length > 16 ? 26 : 44
  const inset = 0.3 * rowHeight
  return Plot.plot({
    width,
    height: Math.max(120, rowHeight * peers.length) + 58,
    marginBottom: 44,
    marginLeft: 24 + 7 * Math.min(20, Math.max(2, ...peers.map((peer) => peer.length))),
    style: { fontSize: '12px' },
    x: { domain: [from, to] },
    y: { type: 'band', domain: peers, label: null, padding: 0 },
    marks: [
      Plot.axisX(
        ticks.map(({ seconds }) => seconds),
        {
          text: ticks.map(({ text }) => text),
          label: clocks === undefined ? 'virtual time →' : 'time →',
          labelOffset: 40
        }
      ),
      Plot.axisY({ tickSize: 0, label: null }),
      Plot.barX(bars, {
        y: 'peer',
        x1: 'start',
        x2: 'end',
        fill: { value: ({ kind }: DrawnSpan) => kindColour(kind), scale: null },
        insetTop: inset,
        insetBottom: inset,
        clip: true
      }),
      Plot.arrow(lines, { ...link, stroke: { value: colour, scale: null }, strokeWidth: 1.1, headLength: 7 }),
      Plot.dot(lost, {
        x: 'arrived',
        y: 'to',
        symbol: 'times',
        stroke: 'var(--wrong)',
        strokeWidth: 2,
        r: 5,
        clip: true
      }),
      Plot.dot(marks, {
        x: 'at',
        y: 'peer',
        dy: -inset - 6,
        symbol: 'triangle2',
        rotate: 180,
        fill: { value: ({ isFailure }: DrawnMark) => (isFailure ? 'var(--wrong)' : 'var(--text)'), scale: null },
        r: 5,
        clip: true
      }),
      tipMark(
        [...bars.map((bar) => tipOfBar(bar, from, to)), ...marks.map(({ at, peer, text }) => ({ at, peer, text }))],
        ({ at }) => at,
        ({ peer }) => peer,
        ({ text }) => text
      )
    ]
  })
}

/** The position of a bar's text: the middle of its visible part. */
const tipOfBar = (span: DrawnSpan, from: number, to: number) => ({
  at: (Math.max(span.start, from) + Math.min(span.end, to)) / 2,
  peer: span.peer,
  text: spanText(span)
})

const spanText = ({ peer, kind, start, end }: DrawnSpan) =>
  `${peer}: ${kind} for ${secondsText(end - start)}\nfrom ${secondsText(start)}`
