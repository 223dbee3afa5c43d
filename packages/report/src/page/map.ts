/** Which method wins where: the map's controls, and the choice between the kinds of map. */
import { element } from './elements.js'
import { cellMap } from './map-cells.js'
import { barMap } from './map-bars.js'
import { measurePicker, picker, pickers, settingPickers } from './pickers.js'
import type { PageStore, PageView } from './store.js'

export function mountMap(store: PageStore, part: HTMLElement): void {
  const host = element('div')
  part.append(pickers(measurePicker(store), ...mapPickers(store)), host)
  store.listen(['measure', 'places', 'across', 'down', 'map', 'over', 'under'], () =>
    host.replaceChildren(...(store.view.down === undefined ? barMap(store, host) : cellMap(store, host)))
  )
}

function mapPickers(store: PageStore): readonly HTMLElement[] {
  const { axes, methods } = store.data
  if (axes.length < 2) return []
  const inFactors = ({ map }: PageView) => map === 'factor'
  const mode = picker(store, {
    title: 'show',
    options: ['the winner', 'a factor between two'],
    read: ({ map }) => (map === 'winner' ? 0 : 1),
    change: (index) => ({ map: index === 0 ? 'winner' : 'factor' })
  })
  const over = picker(store, {
    title: 'factor of',
    options: methods,
    read: (view) => view.over,
    change: (index) => ({ over: index }),
    enabled: inFactors
  })
  const under = picker(store, {
    title: 'over',
    options: methods,
    read: (view) => view.under,
    change: (index) => ({ under: index }),
    enabled: inFactors
  })
  return [mode, over, under, ...(axes.length > 2 ? axisPickers(store) : [])]
}

/** The axes of the map; choosing the same axis twice swaps the two. */
function axisPickers(store: PageStore): readonly HTMLElement[] {
  const options = store.data.axes.map(({ name }) => name)
  const swapped = (key: 'across' | 'down', index: number): Partial<PageView> => {
    const other = key === 'across' ? 'down' : 'across'
    return store.view[other] === index ? { [key]: index, [other]: store.view[key] } : { [key]: index }
  }
  const axisPicker = (title: string, key: 'across' | 'down') =>
    picker(store, { title, options, read: (view) => view[key] ?? 0, change: (index) => swapped(key, index) })
  return [
    axisPicker('across', 'across'),
    axisPicker('down', 'down'),
    ...settingPickers(store, (axis, { across, down }) => axis !== across && axis !== down)
  ]
}
