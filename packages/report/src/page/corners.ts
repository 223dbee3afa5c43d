/** The table at the corners of the map: what each method takes, absolute and relative to one of them. */
import { pairText } from '../shared/form-text.js'
import type { Case, FormPair, PageData } from '../shared/page-data.js'
import { measures, valueText } from '../shared/measures.js'
import { factorText, sentence } from '../shared/units.js'
import { caseAt, caseText, factorIn, middleOf, verdictIn } from '../shared/verdicts.js'
import { isRanked } from '../shared/world-words.js'
import { element, withDetail } from './elements.js'
import { measurePicker, picker, pickers, settingPickers } from './pickers.js'
import { moved, type PageStore, type PageView } from './store.js'

export function mountCorners(store: PageStore, part: HTMLElement): void {
  const host = element('div', { class: 'scroll' })
  const reference = picker(store, {
    title: 'relative to',
    options: store.data.methods,
    read: (view) => view.reference,
    change: (index) => ({ reference: index })
  })
  const others = settingPickers(store, (axis, { across, down }) => axis !== across && axis !== down)
  part.append(pickers(measurePicker(store), reference, ...others), host)
  store.listen(['measure', 'reference', 'places', 'across', 'down'], () => host.replaceChildren(cornerTable(store)))
}

/** Cases at the ends of the map's axes; the other axes as chosen. */
function cornersOf({ axes }: PageData, { places, across, down }: PageView): readonly (readonly number[])[] {
  const along = (axis: number | undefined) => (axis === undefined ? [-1] : axes[axis].ends)
  return along(down).flatMap((below) =>
    along(across).map((beside) => moved(moved(places, down, below), across, beside))
  )
}

function cornerTable({ data, view }: PageStore): HTMLElement {
  const corners = cornersOf(data, view).flatMap((places) => caseAt(data, places) ?? [])
  const caption = cornerCaption(data, view)
  const head = corners.map((corner) => element('th', { scope: 'col' }, ...cornerName(data, view, corner)))
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'method'), ...head)),
    element('tbody', {}, ...data.methods.flatMap((_, method) => rowsOf(data, view, corners, method)))
  )
}

function cornerCaption(data: PageData, view: PageView): string {
  const { title } = measures[view.measure]
  const shown = (axis: number) => axis === view.across || axis === view.down
  const others = caseText(data, view, (axis) => !shown(axis))
  const ends = data.axes.filter((_, axis) => shown(axis)).map(({ name }) => name)
  return (
    `${sentence(title)}, and in small letters relative to “${data.methods[view.reference]}”` +
    (ends.length === 0
      ? '.'
      : `, at the ends of ${ends.join(' and ')}${ends.length < data.axes.length ? ` (at ${others})` : ''}.`) +
    `${isRanked(data) ? ' Bold: the best.' : ''}${data.pairs.length > 0 ? ' Lines in italics: the effects of streaming in place of blocking, and of sending all tensors in one message.' : ''}`
  )
}

function cornerName({ axes }: PageData, { across, down }: PageView, { places }: Case): readonly (Node | string)[] {
  const name = (axis: number | undefined) =>
    axis === undefined ? [] : [`${axes[axis].name} ${axes[axis].values[places[axis]]}`]
  const lines = [...name(across), ...name(down)]
  return lines.length === 0 ? ['the only setting'] : lines.map((line) => element('div', {}, line))
}

function rowsOf(data: PageData, view: PageView, corners: readonly Case[], method: number): readonly HTMLElement[] {
  const cells = corners.map((corner) => {
    const verdict = verdictIn(data, corner, view.measure)
    const best = isRanked(data) && verdict.kind !== 'none' && verdict.winner === method
    const factor = factorIn(corner, method, view.reference, view.measure)
    const text =
      corner.entries[method] === null ? 'not run' : valueText(view.measure, middleOf(corner, method, view.measure))
    return element(
      'td',
      best ? { class: 'best' } : {},
      ...withDetail(text, factor === undefined ? '' : factorText(factor))
    )
  })
  const row = element('tr', {}, element('th', { scope: 'row' }, data.methods[method]), ...cells)
  const pairs = data.pairs.filter(({ before, after }) => method === Math.max(before, after))
  return [row, ...pairs.map((pair) => gainRow(corners, view, pair))]
}

function gainRow(corners: readonly Case[], view: PageView, pair: FormPair): HTMLElement {
  const gains = corners.map((corner) => {
    const gain = factorIn(corner, pair.before, pair.after, view.measure)
    return element('td', {}, gain === undefined ? '–' : factorText(gain))
  })
  return element('tr', { class: 'fusing' }, element('th', { scope: 'row' }, pairText(pair)), ...gains)
}
