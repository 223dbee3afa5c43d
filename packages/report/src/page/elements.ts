/** Elements of the page. Texts are inserted as text, never as HTML. */
import { svgOf } from './svg-file.js'

/** A new element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/** A figure, and its details in smaller letters. */
export function withDetail(text: string, detail: string): readonly (Node | string)[] {
  return detail === '' ? [text] : [text, element('small', {}, detail)]
}

/** A chart and its texts. */
export interface Figure {
  readonly chart: Element
  /** The text for screen readers. */
  readonly label: string
  readonly caption: string
  readonly title?: string
  readonly legend?: HTMLElement
}

/** A chart with its caption, and a button that saves it as a file; print does not separate them. */
export function figure({ chart, label, caption, title, legend }: Figure): HTMLElement {
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', label)
  const heading = title === undefined ? [] : [element('h4', {}, title)]
  const save = element('button', { class: 'save', type: 'button' }, 'Save as SVG')
  save.addEventListener('click', () => {
    const href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(chart))}`
    element('a', { href, download: `${label.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase()}.svg` }).click()
  })
  const captions = element('figcaption', {}, caption, ' ', save)
  return element('figure', {}, ...heading, ...(legend ? [legend] : []), chart, captions)
}

/** Paper is narrower than most screens; charts are drawn again for it, so that their text stays readable. */
const paperWidth = 700
let printing = false

export function setPrinting(on: boolean): void {
  printing = on
}

/** The width of a chart in `host`, in pixels. */
export const widthIn = (host: HTMLElement): number => (printing ? paperWidth : Math.max(320, host.clientWidth))

/** The width of one of several charts side by side, in pixels, as the style sheet's `.row` lays them out. */
export function widthInRow(host: HTMLElement): number {
  const all = widthIn(host)
  const gap = 24
  const least = 330
  const columns = printing ? 2 : Math.max(1, Math.floor((all + gap) / (least + gap)))
  return Math.floor((all - gap * (columns - 1)) / columns)
}

/**
 * At most `rows` rows of about `letters` letters; longer text ends in an ellipsis. Empty if there is no room at all.
 */
export function wrapped(text: string, letters: number, rows: number): string {
  if (letters === 0) return ''
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1]
    if (last === '' || last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`.trim()
    else lines.push(word)
  }
  const kept = lines.slice(0, rows)
  if (lines.length > rows) kept[rows - 1] += ' …'
  return kept.map((line) => (line.length <= letters + 1 ? line : `${line.slice(0, letters - 1)}…`)).join('\n')
}

/**
 * How many letters of a name fit in a line at the left of a chart that is `width` pixels wide: names get less than half
 * of it.
 */
const labelLetters = (width: number): number => Math.min(36, Math.max(12, Math.floor(width / 19)))

/** The width of the margin for names at the left of a chart, in pixels; longer names take two lines. */
export const labelMargin = (labels: readonly string[], width: number): number =>
  28 + 6.4 * Math.min(labelLetters(width), Math.max(...labels.map((label) => label.length)))

/** The name at an index of a list, short enough for the margin. */
export const labelIn =
  (labels: readonly string[], width: number) =>
  (place: number): string =>
    wrapped(labels[place], labelLetters(width), 2)
