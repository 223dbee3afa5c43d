/**
 * The style of methods: a colour, dashes and a mark each, so that they can be distinguished without colours too. Style
 * sheets define the first two.
 */
import { element } from './elements.js'

const symbols = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'] as const

export const colourOf = (method: number): string => `var(--method-${method})`
export const textColourOn = (method: number): string => `var(--on-method-${method})`
export const dashesOf = (method: number): string => `var(--dashes-${method})`
export const symbolOf = (method: number) => symbols[method % symbols.length]

/** Names, each with a sample of its line. */
export function lineLegend(labels: readonly string[]): HTMLElement {
  return element(
    'ul',
    { class: 'legend' },
    ...labels.map((label, index) => element('li', {}, lineSample(index), label))
  )
}

function lineSample(method: number): Element {
  const sample = Plot.plot({
    width: 40,
    height: 12,
    margin: 0,
    axis: null,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    marks: [
      Plot.ruleY([0.5], { stroke: colourOf(method), strokeWidth: 2.5, strokeDasharray: dashesOf(method) }),
      Plot.dot([[0.5, 0.5]], { symbol: symbolOf(method), fill: colourOf(method), r: 3.5 })
    ]
  })
  sample.setAttribute('aria-hidden', 'true')
  return sample
}

/** Names, each with a patch of its colour. */
export function patchLegend(items: readonly { readonly label: string; readonly colour: string }[]): HTMLElement {
  return element(
    'ul',
    { class: 'legend' },
    ...items.map(({ label, colour }) => {
      const patch = element('span', { class: 'swatch' })
      patch.style.background = colour
      patch.style.marginRight = '0'
      patch.style.border = '1px solid var(--line)'
      return element('li', {}, patch, label)
    })
  )
}
