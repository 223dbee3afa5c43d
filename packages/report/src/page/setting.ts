/** The chosen setting: its controls, and its description in words, which is also printed. */
import { caseText } from '../shared/verdicts.js'
import { element } from './elements.js'
import { pickers, settingPickers } from './pickers.js'
import type { PageStore } from './store.js'

export function mountSetting(store: PageStore, part: HTMLElement): void {
  const words = element('p', { 'class': 'chosen', 'aria-live': 'polite' })
  part.append(pickers(...settingPickers(store)), words)
  store.listen(['places'], () => {
    const { data, view, chosen } = store
    const first = data.cases[data.telling]
    const remark =
      chosen === first && data.cases.length > 1
        ? ' (shown at first because most methods arrive there, and the lead over the runner-up is greatest)'
        : ''
    const where = element('strong', {}, caseText(data, view))
    words.replaceChildren('Setting: ', where, chosen === undefined ? ': no run here' : remark)
  })
}
