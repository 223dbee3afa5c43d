/** The curves, drawn by uPlot. */
import type UPlot from 'uplot'
import type { CurveRow, Known, RunFacts } from '../messages.js'
import { colour, element, found } from './elements.js'
import { percentText, rateText, shortText, timeText } from './format.js'

type Plot = UPlot
type ChartOptions = UPlot.Options
type ChartData = UPlot.AlignedData
/** The page loads it as a separate script. */
declare const uPlot: typeof UPlot

/** The most rows that are kept here. The server keeps fewer, and sends all again when it has thinned them out. */
const maxRows = 1000
const height = 180

interface Chart {
  readonly title: string
  readonly text: (value: Known) => string
  readonly isLogarithmic?: boolean
  /** The range of the scale; by the values when absent. */
  readonly range?: [number, number]
  /** One column, or one for each peer. */
  readonly columns: (rows: readonly CurveRow[], peers: number) => Known[][]
}

const charts: readonly Chart[] = [
  {
    title: 'Loss',
    text: shortText,
    columns: (rows, peers) => {
      const ofPeers = Array.from({ length: peers }, (_, index) => rows.map(({ losses }) => losses[index] ?? null))
      return [...ofPeers, rows.map(({ losses }) => meanOf(losses))]
    }
  },
  {
    title: 'Accuracy',
    text: percentText,
    range: [0, 1],
    columns: (rows) => [rows.map(({ accuracy }) => accuracy)]
  },
  {
    title: 'Consensus distance',
    text: shortText,
    isLogarithmic: true,
    columns: (rows) => [rows.map(({ consensusDistance }) => positive(consensusDistance))]
  },
  { title: 'Sent by all peers', text: rateText, columns: (rows) => [rows.map(({ sentRate }) => sentRate)] }
]

let rows: CurveRow[] = []
let drawn: { readonly chart: Chart; readonly plot: Plot; readonly value: HTMLElement }[] = []

/** Draws all curves again. */
export function startCharts(facts: RunFacts, all: readonly CurveRow[]): void {
  rows = [...all]
  const host = found<HTMLElement>('#charts')
  for (const { plot } of drawn) plot.destroy()
  host.replaceChildren()
  const peers = facts.peers.length
  const figures = charts.map((chart) => {
    const value = element('span', { class: 'quiet' })
    return { chart, value, figure: element('figure', {}, element('h3', {}, `${chart.title} `, value)) }
  })
  // The width of a figure is final once all are in the grid.
  host.append(...figures.map(({ figure }) => figure))
  drawn = figures.map(({ chart, value, figure }) => {
    const data = dataOf(chart, peers)
    return { chart, value, plot: new uPlot(optionsOf(chart, data.length - 1, figure.clientWidth), data, figure) }
  })
  for (const { chart, plot } of drawn) {
    plot.root.setAttribute('role', 'img')
    plot.root.setAttribute('aria-label', `${chart.title} over time`)
  }
  showValues()
}

/** Adds one row to the curves. */
export function addRow(facts: RunFacts, row: CurveRow): void {
  rows.push(row)
  if (rows.length > maxRows) rows.shift()
  for (const { chart, plot } of drawn) plot.setData(dataOf(chart, facts.peers.length))
  showValues()
}

/** To be called when the width of the window has changed. */
export function resizeCharts(): void {
  for (const { plot } of drawn) {
    const { parentElement } = plot.root
    if (parentElement !== null) plot.setSize({ width: parentElement.clientWidth, height })
  }
}

function showValues(): void {
  for (const { chart, plot, value } of drawn) value.textContent = chart.text(lastOf(plot.data.at(-1)))
}

const dataOf = (chart: Chart, peers: number): ChartData => [rows.map(({ time }) => time), ...chart.columns(rows, peers)]

function optionsOf({ text, isLogarithmic, range }: Chart, count: number, width: number): ChartOptions {
  const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } }
  const thin = { stroke: `${colour('series')}55`, width: 1, points: { show: false }, spanGaps: false }
  const thick = { stroke: colour('series'), width: 2, spanGaps: true }
  const series = Array.from({ length: count }, (_, index) => (index === count - 1 ? thick : thin))
  return {
    width: Math.max(200, width),
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false },
      y: isLogarithmic ? { distr: 3, log: 10, range: logarithmic } : { range: range ?? linear }
    },
    axes: [
      { ...axis, size: 30, incrs: timeSteps, values: (_plot, ticks) => ticks.map(timeText) },
      { ...axis, size: 70, values: (_plot, ticks) => ticks.map((tick) => (tick === null ? '' : text(tick))) }
    ],
    series: [{}, ...series]
  }
}

/** Seconds between two labels of the time: never less than what a label shows. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43_200, 86_400]

/** The range of a scale over the values; any before the first value, so that the chart has its axis from the start. */
const linear: UPlot.Range.Function = (_plot, least, most) =>
  isKnown(least) ? uPlot.rangeNum(least, most, 0.1, true) : [0, 1]
const logarithmic: UPlot.Range.Function = (_plot, least, most) =>
  isKnown(least) ? uPlot.rangeLog(least, most, 10, true) : [0.1, 1]

const isKnown = (value: number | null | undefined): value is number => value !== null && value !== undefined

/** A logarithmic scale cannot show 0. */
const positive = (value: Known): Known => (value !== null && value > 0 ? value : null)

function meanOf(values: readonly Known[]): Known {
  const numbers = values.filter((value) => value !== null)
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length
}

function lastOf(values: ArrayLike<Known | undefined> | undefined): Known {
  const all = Array.from(values ?? [])
  return all.findLast((value) => value !== null && value !== undefined) ?? null
}
