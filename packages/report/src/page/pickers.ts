/** Controls that show and change what is chosen. */
import { measures } from '../shared/measures.js'
import { element } from './elements.js'
import { moved, type PageStore, type PageView } from './store.js'

export interface PickerChoice {
  readonly title: string
  readonly options: readonly string[]
  /** The index of the chosen option. */
  readonly read: (view: PageView) => number
  readonly change: (place: number) => Partial<PageView>
  /** Whether the choice has an effect now; always if absent. */
  readonly enabled?: (view: PageView) => boolean
}

export function picker(store: PageStore, { title, options, read, change, enabled }: PickerChoice): HTMLElement {
  const select = element(
    'select',
    { 'aria-label': title },
    ...options.map((text, place) => element('option', { value: String(place) }, text))
  )
  select.addEventListener('change', () => store.change(change(Number(select.value))))
  const label = element('label', {}, title, select)
  store.listen('all', () => {
    select.value = String(read(store.view))
    label.hidden = !(enabled?.(store.view) ?? true)
  })
  return label
}

export function checkBox(store: PageStore, title: string, key: 'logarithmic'): HTMLElement {
  const box = element('input', { type: 'checkbox' })
  box.addEventListener('change', () => store.change({ [key]: box.checked }))
  store.listen('all', () => {
    box.checked = store.view[key]
  })
  return element('label', { class: 'check' }, box, title)
}

export const pickers = (...controls: readonly HTMLElement[]): HTMLElement =>
  element('div', { class: 'pickers' }, ...controls)

/** The measure by which methods are compared. */
export function measurePicker(store: PageStore): HTMLElement {
  const keys = store.data.measures
  return picker(store, {
    title: 'compare by',
    options: keys.map((key) => measures[key].title),
    read: ({ measure }) => keys.indexOf(measure),
    change: (place) => ({ measure: keys[place] })
  })
}

/** One control for each axis that varies; those that `enabled` refuses are hidden. */
export function settingPickers(store: PageStore, enabled?: (axis: number, view: PageView) => boolean): HTMLElement[] {
  return store.data.axes.map(({ name, values }, axis) =>
    picker(store, {
      title: name,
      options: values,
      read: ({ places }) => places[axis],
      change: (place) => ({ places: moved(store.view.places, axis, place) }),
      ...(enabled && { enabled: (view: PageView) => enabled(axis, view) })
    })
  )
}
