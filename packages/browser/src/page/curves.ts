/** The curves of loss and accuracy. */
import { colour, element, found, percentText, shortText } from '@murmuration/watch/page'
import uPlot from 'uplot'

/** The most points of a curve; beyond, every second one is dropped. */
const maxPoints = 2000

/** In pixels. */
const height = 170

interface RoundCurve {
  readonly title: string
  readonly text: (value: number) => string
  readonly range?: [number, number]
  readonly rounds: number[]
  readonly values: number[]
}

/** Draws the curves; one appears with its first value. */
export class Curves {
  readonly #curves: readonly RoundCurve[] = [
    { title: 'Loss', text: shortText, rounds: [], values: [] },
    { title: 'Accuracy', text: percentText, range: [0, 1], rounds: [], values: [] }
  ]
  readonly #drawn = new Map<RoundCurve, { readonly plot: uPlot; readonly value: HTMLElement }>()

  constructor() {
    // Axes keep the colours of their first drawing.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw())
  }

  /** Adds the figures of a round; the accuracy is known only in some. */
  add(round: number, loss: number, accuracy: number | undefined): void {
    const [losses, accuracies] = this.#curves
    this.#append(losses, round, loss)
    if (accuracy !== undefined) this.#append(accuracies, round, accuracy)
  }

  #append(curve: RoundCurve, round: number, value: number): void {
    const { rounds, values } = curve
    if (!Number.isFinite(value)) return
    if (rounds.length >= maxPoints)
      for (const list of [rounds, values]) list.splice(0, Infinity, ...list.filter((_, index) => index % 2 === 1))
    rounds.push(round)
    values.push(value)
    const drawn = this.#drawn.get(curve) ?? this.#draw(curve)
    drawn.plot.setData([rounds, values])
    drawn.value.textContent = curve.text(value)
    drawn.plot.root.setAttribute('aria-label', `${curve.title} by round; now ${curve.text(value)}`)
  }

  #draw(curve: RoundCurve): { readonly plot: uPlot; readonly value: HTMLElement } {
    const value = element('span', { class: 'quiet' })
    const figure = element('figure', {}, element('h3', {}, `${curve.title} `, value))
    found('#charts').append(figure)
    const drawn = { plot: plotIn(figure, curve), value }
    this.#drawn.set(curve, drawn)
    return drawn
  }

  #redraw(): void {
    const shown = this.#curves.filter((curve) => this.#drawn.has(curve))
    for (const { plot } of this.#drawn.values()) plot.destroy()
    this.#drawn.clear()
    found('#charts').replaceChildren()
    for (const curve of shown) {
      const { plot, value } = this.#draw(curve)
      plot.setData([curve.rounds, curve.values])
      value.textContent = curve.text(curve.values.at(-1) ?? 0)
    }
  }
}

function plotIn(figure: HTMLElement, { text, range }: RoundCurve): uPlot {
  const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } }
  const options: uPlot.Options = {
    width: Math.max(200, figure.clientWidth),
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, ...(range === undefined ? {} : { y: { range } }) },
    axes: [
      { ...axis, size: 30, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000] },
      { ...axis, size: 60, values: (_plot, ticks) => ticks.map((tick) => text(tick).replace('.0 %', ' %')) }
    ],
    series: [{}, { stroke: colour('series'), width: 2, points: { show: false } }]
  }
  const plot = new uPlot(options, [[], []], figure)
  // A figure becomes narrower when a second one appears beside it.
  new ResizeObserver(() => plot.setSize({ width: Math.max(200, figure.clientWidth), height })).observe(figure)
  plot.root.setAttribute('role', 'img')
  return plot
}
