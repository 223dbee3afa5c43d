/** The parts of the page, of which one is shown at a time. */
import { element, found } from '@murmuration/watch/page'

const views = ['no-link', 'network', 'opening', 'card', 'training'] as const

/** Shows a part, with the state in one word, and moves the focus there, so that it is read aloud. */
export function showView(view: (typeof views)[number], state: string, tone = ''): void {
  for (const each of views) found<HTMLElement>(`#${each}`).hidden = each !== view
  showState(state, tone)
  found<HTMLElement>(`#${view} h2`).focus({ preventScroll: true })
  scrollTo(0, 0)
}

/** The state in one word. */
export function showState(state: string, tone = ''): void {
  const chip = found<HTMLElement>('#state')
  if (chip.textContent !== state) chip.textContent = state
  chip.className = `chip ${tone}`
}

/** A sentence that matters now; '' for none. */
export function showAlert(text: string): void {
  const alert = found<HTMLElement>('#alert')
  alert.textContent = text
  alert.hidden = text === ''
}

/** Fills a list of terms and their descriptions. */
export function showTerms(
  selector: string,
  terms: readonly (readonly [title: string, value: string, detail?: string])[]
): void {
  found(selector).replaceChildren(
    ...terms.map(([title, value, detail = '']) => {
      const small = detail === '' ? [] : [element('small', {}, detail)]
      return element('div', {}, element('dt', {}, title), element('dd', {}, value, ...small))
    })
  )
}

/** Fills a list. */
export function showItems(selector: string, items: readonly string[]): void {
  found(selector).replaceChildren(...items.map((text) => element('li', {}, text)))
}

/** Calls `act` when a button is pressed; the button waits until it has ended. */
export function onPress(selector: string, act: () => void | Promise<void>): void {
  const button = found<HTMLButtonElement>(selector)
  button.addEventListener('click', () => {
    button.disabled = true
    void Promise.resolve(act()).finally(() => (button.disabled = false))
  })
}
