/** Elements of the page. Texts go in as text, never as HTML. */

type Child = Node | string

/** A new element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/** A small figure and, in smaller letters, what belongs to it. */
export function withDetail(text: string, detail: string): readonly Child[] {
  return detail === '' ? [text] : [text, element('small', {}, detail)]
}

/** What belongs to a chart. */
export interface Figure {
  readonly chart: Element
  /** What a screen reader says of it. */
  readonly label: string
  readonly caption: string
  readonly title?: string
  readonly legend?: HTMLElement
}

/** A chart with its caption, which stay together on paper. */
export function figure({ chart, label, caption, title, legend }: Figure): HTMLElement {
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', label)
  const heading = title === undefined ? [] : [element('h4', {}, title)]
  return element('figure', {}, ...heading, ...(legend ? [legend] : []), chart, element('figcaption', {}, caption))
}

/** Paper is narrower than most screens; charts are drawn again for it, so that their letters stay readable. */
const paperWidth = 700
let printing = false

export function setPrinting(on: boolean): void {
  printing = on
}

/** Pixels that a chart in `host` may be wide. */
export const widthIn = (host: HTMLElement): number => (printing ? paperWidth : Math.max(320, host.clientWidth))

/** Pixels of one of several charts side by side, as the style sheet's `.row` lays them out. */
export function widthInRow(host: HTMLElement): number {
  const [all, gap, least] = [widthIn(host), 24, 330]
  const columns = printing ? 2 : Math.max(1, Math.floor((all + gap) / (least + gap)))
  return Math.floor((all - gap * (columns - 1)) / columns)
}

/** At most `rows` rows of about `letters` letters; what does not fit ends in dots. Nothing where there is no room at all. */
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

/** How many letters a line of a name has at the left of a chart that is `width` pixels wide: less than half of it is for names. */
const labelLetters = (width: number): number => Math.min(36, Math.max(12, Math.floor(width / 19)))

/** Pixels for names at the left of a chart; longer ones become two lines. */
export const labelMargin = (labels: readonly string[], width: number): number =>
  28 + 6.4 * Math.min(labelLetters(width), Math.max(...labels.map((label) => label.length)))

/** The name of a place in a list, short enough for the margin. */
export const labelIn =
  (labels: readonly string[], width: number) =>
  (place: number): string =>
    wrapped(labels[place], labelLetters(width), 2)
