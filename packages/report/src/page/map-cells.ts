/** The map over two axes: a cell for each setting. */
import type { PageData } from '../shared/page-data.js'
import { measures } from '../shared/measures.js'
import { caseText, verdictIn } from '../shared/verdicts.js'
import { colourOf, patchLegend } from './method-style.js'
import { figure, widthIn } from './elements.js'
import { type MapCell, cellsOf, open, shade } from './map-faces.js'
import type { PageStore, PageView } from './store.js'
import { tipMark } from './tip.js'

/** Cells narrower than this have no room for names. */
const namedWidth = 64

export function cellMap(store: PageStore, host: HTMLElement): readonly HTMLElement[] {
  const { data, view } = store
  const { across = 0, down = 0 } = view
  const columns = data.axes[across].values
  const rows = data.axes[down].values
  const width = widthIn(host)
  const marginLeft = 24 + 7 * Math.max(...rows.map((row) => row.length))
  const cellWidth = (width - marginLeft - 20) / columns.length
  const dense = cellWidth < namedWidth
  const [cellHeight, marginTop] = dense ? [36, 90] : [64, 46]
  const cells = cellsOf(store, dense ? 0 : Math.floor(cellWidth / 6.6))
  const tickRotate = dense ? -50 : 0
  const chart = Plot.plot({
    width,
    height: cellHeight * rows.length + marginTop + 8,
    marginLeft,
    marginTop,
    marginBottom: 8,
    style: { fontSize: '12px' },
    // The scales have indices, not texts, since two values may look alike when rounded.
    x: { type: 'band', domain: columns.map((_, index) => index), padding: 0 },
    y: { type: 'band', domain: rows.map((_, index) => index), padding: 0 },
    marks: [
      Plot.axisX({
        anchor: 'top',
        label: `${data.axes[across].name} →`,
        tickSize: 0,
        tickRotate,
        tickFormat: (index: number) => columns[index]
      }),
      Plot.axisY({
        label: `${data.axes[down].name} ↓`,
        labelAnchor: 'top',
        tickSize: 0,
        tickFormat: (index: number) => rows[index]
      }),
      ...cellMarks(cells, dense || view.map === 'factor' ? 0 : 15, Math.min(15, cellWidth / 4.6)),
      tipMark(
        cells,
        ({ column }) => column,
        ({ row }) => row,
        ({ tip }) => tip,
        { maxRadius: Math.hypot(cellWidth, cellHeight) / 2 }
      )
    ]
  })
  chart.classList.add('clickable')
  chart.addEventListener('click', () => {
    const cell = chart.value as MapCell | null
    if (cell) store.change({ places: cell.places })
  })
  return [figure({ chart, label: mapLabel(data, view), caption: mapCaption(store), legend: mapLegend(data, view) })]
}

/** The figure is `below` the middle if there is a name above it. */
function cellMarks(cells: readonly MapCell[], below: number, fontSize: number) {
  const at = { x: 'column', y: 'row' }
  const colour = (channel: keyof MapCell) => ({ value: channel, scale: null })
  const chosen = cells.filter((cell) => cell.chosen)
  const name = { ...at, text: 'name', fill: colour('textFill'), fontSize: 11.5 }
  return [
    Plot.cell(cells, { ...at, fill: colour('fill'), stroke: colour('stroke'), inset: 1.5, rx: 4 }),
    Plot.text(cells, { ...at, text: 'text', dy: below, fill: colour('textFill'), fontSize, fontWeight: 700 }),
    Plot.text(
      cells.filter(({ text }) => text !== ''),
      { ...name, dy: -9 }
    ),
    Plot.text(
      cells.filter(({ text }) => text === ''),
      name
    ),
    // Dark and light, so that it is visible on any colour.
    Plot.cell(chosen, { ...at, fill: 'none', stroke: 'var(--text)', strokeWidth: 3, rx: 5 }),
    Plot.cell(chosen, { ...at, fill: 'none', stroke: 'var(--page)', strokeWidth: 1.5, inset: 2.5, rx: 3 })
  ]
}

function mapLegend(data: PageData, { map, measure, over, under }: PageView): HTMLElement {
  const { methods, cases } = data
  if (map === 'factor') {
    return patchLegend([
      { label: `“${methods[under]}” is better (above 1x)`, colour: shade(0.75).fill },
      { label: `“${methods[over]}” is better (below 1x)`, colour: shade(-0.75).fill },
      { label: 'one of the two never arrives', colour: open.fill }
    ])
  }
  const verdicts = cases.map((of) => verdictIn(data, of, measure))
  const wins = methods.map((_, index) =>
    verdicts.some((v) => (v.kind === 'win' || v.kind === 'alone') && v.winner === index)
  )
  const hasOpen = verdicts.some(({ kind }) => kind === 'tie' || kind === 'none')
  return patchLegend([
    ...methods.flatMap((label, index) => (wins[index] ? [{ label, colour: colourOf(index) }] : [])),
    ...(hasOpen ? [{ label: 'a tie (within 1 %), or none arrives', colour: open.fill }] : [])
  ])
}

function mapLabel({ axes, methods }: PageData, { across = 0, down = 0, map, measure, over, under }: PageView): string {
  const where = `over ${axes[across].name} and ${axes[down].name}`
  return map === 'winner'
    ? `Map of the winner by ${measures[measure].title} ${where}`
    : `Map of the factor of ${methods[over]} over ${methods[under]} by ${measures[measure].title} ${where}`
}

function mapCaption({ data, view }: PageStore): string {
  const { title, relation } = measures[view.measure]
  const others = caseText(data, view, (axis) => axis !== view.across && axis !== view.down)
  const fixed = data.axes.length === 2 ? '' : ` Shown at ${others}.`
  const over = data.seeds === 1 ? 'one seed' : `medians over ${data.seeds} seeds`
  const read =
    view.map === 'winner'
      ? `Each cell is a setting, in the colour of the method with the least ${title} (${over}). The figure is the lead: 2x means ` +
        `that the next best${new Set(data.kinds).size < data.kinds.length ? ' of another kind' : ''} ${relation[0]} twice ${relation[1].replace(/ as$/, '')}. With ~ the ranges over the seeds of the two overlap. `
      : `Each cell is a setting. The figure is the ${title} of “${data.methods[view.over]}” divided by that of ` +
        `“${data.methods[view.under]}” (${over}). `
  return `${read}Point at a cell for all methods; click on it to see it in detail below (outlined: the one shown there).${fixed}`
}
