/** One chart of curves. */
import type { Band, Case, CurveKey, PageData, PageEpoch } from '../shared/page-data.js'
import { timeDecades, timeTicks } from '../shared/ticks.js'
import { secondsText } from '../shared/units.js'
import { colourOf, dashesOf, symbolOf } from './method-style.js'
import type { PageStore } from './store.js'
import { tipMark } from './tip.js'

/** What a chart shows. */
export interface ChartPlan {
  readonly key: CurveKey
  readonly title: string
  readonly x: string
  readonly xText: (value: number) => string
  /** Where epochs are on the x axis, if anywhere. */
  readonly epochs?: (epoch: PageEpoch) => number
  readonly y: string
  readonly yText: (value: number) => string
  /** How to read it. */
  readonly reading: string
}

export interface ChartPoint {
  readonly method: number
  readonly x: number
  readonly middle: number
  readonly low: number
  readonly high: number
}

/** The points of all methods' medians in a case. */
export function pointsOf({ entries }: Case, key: CurveKey): ChartPoint[] {
  return entries.flatMap((entry, method) => (entry === null ? [] : bandPoints(entry.curves[key], method)))
}

function bandPoints({ x, middle, low = middle, high = middle }: Band, method: number): ChartPoint[] {
  return x.flatMap((place, k) => {
    const median = middle[k]
    const least = low[k]
    const most = high[k]
    return median === null || least === null || most === null
      ? []
      : [{ method, x: place, middle: median, low: least, high: most }]
  })
}

/** A logarithmic scale helps from a factor of ten on, and needs numbers above 0. */
function needsLog(values: readonly number[]): boolean {
  const positive = values.filter((value) => value > 0)
  return positive.length > 0 && Math.max(...positive) / Math.min(...positive) > 10
}

/** The leader's line has no dashes. It is drawn first, so that a line with the same points shows over it. */
const byLook =
  ({ leader }: PageData) =>
  (one: number, other: number): number =>
    Number(one !== leader) - Number(other !== leader) || one - other

/** `all` has at least one point. */
export function curveChart(
  { data, view, chosen }: PageStore,
  plan: ChartPlan,
  all: readonly ChartPoint[],
  width: number
) {
  const methods = [...new Set(all.map(({ method }) => method))].sort(byLook(data))
  const lineOf = (points: readonly ChartPoint[], method: number) => points.filter((point) => point.method === method)
  const ends = methods.flatMap((method) => lineOf(all, method).slice(-1))
  // If the slowest takes more than ten times as long as the fastest, the fastest would be a vertical line.
  const logX = view.logarithmic && !plan.key.endsWith('ByRounds') && needsLog(ends.map(({ x }) => x))
  const points = logX ? all.filter(({ x }) => x > 0) : all
  const target = plan.y === 'loss' ? data.targetLoss : undefined
  const scale = xScale(points, logX)
  const y = yScale(plan, points, target, view.logarithmic)
  const epochs = epochLines(chosen, plan, scale)
  return Plot.plot({
    width,
    height: Math.round(Math.max(240, width * 0.7)),
    marginTop: 28,
    marginLeft: 52,
    marginRight: 18,
    marginBottom: 44,
    style: { fontSize: '11.5px' },
    x: scale,
    y,
    marks: [
      xAxis(plan, scale, width),
      ...(target === undefined ? [] : targetMarks(target)),
      ...methods.flatMap((method) => epochRules(epochs, method)),
      ...methods.flatMap((method) => lineMarks(lineOf(points, method), method, y.domain[1])),
      ...epochLabels(epochs, scale, width),
      tipMark(
        points,
        ({ x }) => x,
        ({ middle }) => middle,
        (point) => tipText(data, plan, point)
      )
    ]
  })
}

type XScale = ReturnType<typeof xScale>

function xScale(points: readonly ChartPoint[], log: boolean) {
  const places = points.map(({ x }) => x)
  return { type: log ? 'log' : 'linear', domain: [Math.min(...places), Math.max(...places)] } as const
}

/**
 * On logarithmic axes Plot labels only powers of ten. Marks of time are not powers of ten, so their texts are given.
 */
function xAxis({ x, xText }: ChartPlan, { type, domain }: XScale, width: number) {
  const count = Math.floor((width - 70) / 62)
  const label = { label: `${x} →`, labelOffset: 40 }
  if (xText !== secondsText) return Plot.axisX({ ...label, ticks: Math.min(count, 5), tickFormat: xText })
  const ticks = (type === 'log' ? timeDecades : timeTicks)(domain[0], domain[1], count)
  return Plot.axisX(
    ticks.map(({ seconds }) => seconds),
    { ...label, text: ticks.map(({ text }) => text) }
  )
}

/** A loss that grows without bound must not flatten all other curves: at most twice the first loss is shown. */
function yScale(
  { key, y, yText }: ChartPlan,
  points: readonly ChartPoint[],
  target: number | undefined,
  logarithmic: boolean
) {
  const values = points.flatMap(({ low, high }) => [low, high])
  const log = logarithmic && key !== 'accuracyBySeconds' && values.every((value) => value > 0) && needsLog(values)
  const most = Math.max(...values)
  const top = y === 'loss' && points[0].middle > 0 ? Math.min(most, 2 * points[0].middle) : most
  const bottom = Math.min(...values, target ?? Infinity)
  const domain = log ? [bottom / 1.15, top * 1.1] : [Math.min(0, bottom), top === 0 ? 1 : top * 1.05]
  return { type: log ? 'log' : 'linear', domain, label: `↑ ${y}`, tickFormat: yText, ticks: 5, grid: true } as const
}

function targetMarks(target: number) {
  return [
    Plot.ruleY([target], { stroke: 'var(--quiet)', strokeWidth: 1.5, strokeDasharray: '3 3' }),
    Plot.text([target], { y: [target], frameAnchor: 'left', text: ['target'], dx: 4, dy: 9, fill: 'var(--quiet)' })
  ]
}

/** The beginning of an epoch in the runs of a method. */
interface EpochLine {
  readonly method: number
  readonly x: number
  readonly text: string
}

/** From left to right, as far as they are on the scale. */
function epochLines(
  chosen: Case | undefined,
  { epochs: placeOf }: ChartPlan,
  { domain: [least, most] }: XScale
): readonly EpochLine[] {
  if (placeOf === undefined) return []
  const all = (chosen?.entries ?? []).flatMap((entry, method) =>
    (entry?.epochs ?? []).map((epoch) => ({ method, x: placeOf(epoch), text: `epoch ${epoch.epoch}` }))
  )
  return all.filter(({ x }) => x >= least && x <= most).sort((left, right) => left.x - right.x)
}

/** A thin line for each epoch, in the style of its method. */
function epochRules(lines: readonly EpochLine[], method: number) {
  const own = lines.filter((line) => line.method === method)
  const style = { stroke: colourOf(method), strokeWidth: 1, strokeDasharray: dashesOf(method), className: 'epoch' }
  return own.length === 0 ? [] : [Plot.ruleX(own, { x: 'x', ...style })]
}

/** Pixels of an epoch's label, and of the margins at both sides of a chart. */
const epochLabel = 52
const margins = 70

/** The labels of epochs, but for those without room. */
function epochLabels(lines: readonly EpochLine[], { type, domain: [least, most] }: XScale, width: number) {
  const onScale = type === 'log' ? Math.log : (value: number) => value
  const pixelOf = (x: number) => ((onScale(x) - onScale(least)) / (onScale(most) - onScale(least))) * (width - margins)
  let free = 0
  const labels = lines.filter(({ x }) => {
    const end = pixelOf(x) + epochLabel
    const hasRoom = pixelOf(x) >= free && end <= width - margins
    if (hasRoom) free = end
    return hasRoom
  })
  const fill = { value: ({ method }: EpochLine) => colourOf(method), scale: null }
  const halo = { stroke: 'var(--page)', strokeWidth: 3 }
  const place = { frameAnchor: 'top', textAnchor: 'start', dx: 4, dy: 4 } as const
  return labels.length === 0 ? [] : [Plot.text(labels, { x: 'x', text: 'text', ...place, fill, ...halo })]
}

/** A line that leaves the chart at its `top` has no mark at its end. */
function lineMarks(points: readonly ChartPoint[], method: number, top: number) {
  const end = points.slice(-1).filter(({ middle }) => middle <= top)
  const stroke = colourOf(method)
  const single = points.every(({ low, high }) => low === high)
  return [
    ...(single
      ? []
      : [Plot.areaY(points, { x: 'x', y1: 'low', y2: 'high', fill: stroke, fillOpacity: 0.2, clip: true })]),
    Plot.lineY(points, {
      x: 'x',
      y: 'middle',
      stroke,
      strokeWidth: 2,
      strokeDasharray: dashesOf(method),
      clip: true
    }),
    Plot.dot(end, {
      x: 'x',
      y: 'middle',
      fill: stroke,
      stroke: 'var(--page)',
      symbol: symbolOf(method),
      r: 5
    })
  ]
}

function tipText({ methods }: PageData, { x, xText, y, yText }: ChartPlan, point: ChartPoint): string {
  const spread = point.low === point.high ? '' : ` (${yText(point.low)} to ${yText(point.high)})`
  return `${methods[point.method]}\n${y} ${yText(point.middle)}${spread}\n${x} ${xText(point.x)}`
}
